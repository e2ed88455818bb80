package io.tallis.keyspace;

import io.tallis.crdt.Cell;

/// Where one thread records its changes, to be kept before the replies to them leave (I3).
///
/// Called under the lock of the changed cell: appends to memory of the calling thread and does nothing else. Rows have
/// absolute totals, so their order among threads does not matter.
public interface ChangeLog {
    /// Records the counter as it is now: the `whole` cell, or this process's own shard only.
    void record(Key key, Cell counter, boolean whole);

    /// Copies the change that was recorded last, which was of the own shard only, into `ring`. Returns false, having
    /// copied nothing, if there is no room.
    ///
    /// A log that keeps rows copies the row, so that a change is encoded once for the journal and the peers.
    default boolean copyTo(EntryRing ring, Key key, Cell counter, int stamp) {
        return ring.offer(key, counter, stamp);
    }

    /// Records a note of [Folds]. A log that keeps rows keeps it before those that are recorded later.
    default void recordNote(byte[] note) {}

    /// The changes up to [#endGroup] are kept or lost as one.
    void beginGroup();

    void endGroup();

    /// Keeps nothing: for loading, and for tests.
    ChangeLog NONE = new ChangeLog() {
        @Override
        public void record(Key key, Cell counter, boolean whole) {}

        @Override
        public void beginGroup() {}

        @Override
        public void endGroup() {}
    };
}
