package io.tallis.keyspace;

/// The change log of an event loop: gathers the changes of a turn and hands them to the journal together.
///
/// Belongs to the thread that records; [Outcome] is called from other threads.
public interface TurnLog extends ChangeLog {
    /// Records a cell that was not there before and is now as a peer sent it. Called under the lock of the cell.
    void recordReceived(ReceivedCell cell);

    /// Whether anything was recorded since the last commit.
    boolean hasChanges();

    /// Ends the turn and hands over what was recorded since the last one. May write it, if that is short, and waits for
    /// nothing else.
    ///
    /// `outcome` is called once for each commit, on any thread, perhaps before this returns: replies to the changes
    /// leave then. Outcomes come in the order of commits, except that of a turn without changes, which may overtake one
    /// that is being called.
    void commit(Outcome outcome);

    /// Whether so much was recorded since the last commit that the turn should end.
    boolean isLong();

    /// Whether so much waits for the disk that this thread should begin no further change until an outcome arrives.
    boolean congested();

    /// The end of a turn's way.
    interface Outcome {
        /// The journal has the changes, as durably as its policy promises.
        void written();

        /// The disk did not take the changes in time, or took them where no start would find them: the connections that
        /// wait for a reply are closed without one.
        void lost();
    }
}
