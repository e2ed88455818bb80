package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;

/// A callback that is shown cells one by one, under the lock of their partition: copies what it wants to keep, and
/// returns soon.
@FunctionalInterface
public interface CellVisitor {
    /// `key` and `counter` are good only until the call returns.
    void cell(CounterType type, Key key, Cell counter);
}
