package io.tallis.journal.log;

import io.tallis.keyspace.TurnLog.Outcome;

/// An outcome that records whether the turn was written or lost.
public final class Told implements Outcome {
    private volatile boolean written;
    private volatile boolean lost;

    @Override
    public void written() {
        written = true;
    }

    @Override
    public void lost() {
        lost = true;
    }

    public boolean isWritten() {
        return written;
    }

    boolean isLost() {
        return lost;
    }
}
