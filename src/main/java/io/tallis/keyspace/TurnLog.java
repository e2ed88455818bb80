package io.tallis.keyspace;

/// The change log of an event loop, which gathers a turn's changes and hands them to the journal as one.
///
/// Belongs to the thread that records; only [Outcome] comes from elsewhere.
public interface TurnLog extends ChangeLog {
    /// Notes a cell that was not there before and is now as others told it. As [#record], under the lock of the cell.
    void recordTold(ToldCell cell);

    /// Whether anything was recorded since the last commit.
    boolean hasChanges();

    /// Ends the turn and hands over what was recorded since the last one. May write it, if that is short, and waits
    /// for nothing else. Replies to those changes leave when `outcome` says so, which happens once for each commit, on
    /// any thread, perhaps before this returns, and in their order; only that of a turn without changes may come before
    /// one that is just being told.
    void commit(Outcome outcome);

    /// Whether so much was recorded since the last commit that the turn should end.
    boolean isLong();

    /// Whether so much is waiting for the disk that this thread should make no further change until an outcome
    /// arrives. What is already being done may be finished.
    boolean congested();

    /// What became of a turn.
    interface Outcome {
        /// The journal has what its policy promises.
        void written();

        /// The disk took it in no bounded time, or where no start would find it: nothing may be said to those who wait,
        /// their connections close.
        void lost();
    }
}
