package io.tallis.journal;

import io.tallis.crdt.Cell;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.ReceivedCell;
import io.tallis.keyspace.TurnLog;

/// The turn log of a server without persistence: all changes count as written at once.
public final class UnjournaledTurns implements TurnLog {
    private boolean changed;

    @Override
    public void record(Key key, Cell counter, boolean whole) {
        changed = true;
    }

    @Override
    public void recordReceived(ReceivedCell cell) {
        changed = true;
    }

    @Override
    public void beginGroup() {}

    @Override
    public void endGroup() {}

    @Override
    public boolean hasChanges() {
        return changed;
    }

    @Override
    public void commit(Outcome outcome) {
        changed = false;
        outcome.written();
    }

    @Override
    public boolean isLong() {
        return false;
    }

    @Override
    public boolean congested() {
        return false;
    }
}
