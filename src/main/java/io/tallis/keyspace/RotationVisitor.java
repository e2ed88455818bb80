package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;

/// Is shown cells as a [CellVisitor] is, and told which of them were sent as own changes of this session.
@FunctionalInterface
public interface RotationVisitor {
    /// `key` and `counter` are good only until the call returns.
    void cell(CounterType type, Key key, Counter counter, boolean own);
}
