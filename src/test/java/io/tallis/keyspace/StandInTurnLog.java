package io.tallis.keyspace;

import io.tallis.crdt.Cell;

/// A turn log without a journal; the test decides the outcome of commits.
public abstract class StandInTurnLog implements TurnLog {
    private boolean changed;

    /// The turn ended, with changes or without.
    protected abstract void committed(Outcome outcome);

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
    public final void commit(Outcome outcome) {
        changed = false;
        committed(outcome);
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
