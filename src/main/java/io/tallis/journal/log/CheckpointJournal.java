package io.tallis.journal.log;

import java.io.IOException;

/// The journal as checkpoints use it: a port, so that their tests need no threads and no disk.
public interface CheckpointJournal {
    /// Begins a new segment behind everything that any thread has recorded so far, and returns its number.
    long rotate() throws IOException;

    /// Returns when everything that any thread has recorded so far survives any crash.
    void makeDurable() throws IOException;

    /// Gives up the segments before `number`.
    void release(long number) throws IOException;
}
