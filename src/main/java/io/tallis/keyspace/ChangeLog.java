package io.tallis.keyspace;

import io.tallis.crdt.Counter;

/// Where one thread's changes go before its replies may leave (I3).
///
/// Called under the lock of the changed cell: appends to memory of the calling thread and does nothing else. Rows
/// hold absolute totals, so their order among threads does not matter.
public interface ChangeLog {
    /// Notes the counter as it now is: `whole`, or this process's own shard only.
    void record(Key key, Counter counter, boolean whole);

    /// Copies what was recorded last, this process's own shard, into `ring`. Returns false, having copied nothing, when
    /// there is no room. A log that keeps rows copies the row: it is encoded once.
    default boolean copyTo(OwnEntries ring, Key key, Counter counter, int stamp) {
        return ring.offer(key, counter, stamp);
    }

    /// What follows, up to [#endGroup], is kept or lost as one.
    void beginGroup();

    void endGroup();

    /// Keeps nothing: for a server without persistence, and for loading.
    ChangeLog NONE = new ChangeLog() {
        @Override
        public void record(Key key, Counter counter, boolean whole) {}

        @Override
        public void beginGroup() {}

        @Override
        public void endGroup() {}
    };
}
