package io.tallis.journal;

import java.io.IOException;

/// What a checkpoint asks of the journal.
interface Borders {
    /// Begins a new segment behind everything that any thread has recorded so far, and returns its number.
    long rotate() throws IOException;

    /// Returns when everything that any thread has recorded so far survives any crash.
    void settle() throws IOException;

    /// Gives up the segments before `number`.
    void release(long number) throws IOException;
}
