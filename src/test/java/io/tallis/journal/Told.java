package io.tallis.journal;

import io.tallis.keyspace.TurnLog.Outcome;

/// An outcome that remembers what it was told.
final class Told implements Outcome {
    private boolean written;

    @Override
    public void written() {
        written = true;
    }

    @Override
    public void lost() {
        throw new AssertionError("lost");
    }

    boolean isWritten() {
        return written;
    }
}
