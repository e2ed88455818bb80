package io.tallis.keyspace;

import io.tallis.crdt.Counter;

/// Where one thread's changes go before its replies may leave (I3).
///
/// Called under the lock of the changed cell: appends to memory of the calling thread and does nothing else. Rows
/// hold absolute totals, so their order among threads does not matter.
public interface ChangeLog {
    /// Notes the counter as it now is: `whole`, or this process's own shard only.
    void record(Key key, Counter counter, boolean whole);

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
