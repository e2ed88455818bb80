package io.tallis.journal;

import java.io.IOException;

/// The data directory, as whoever keeps files there sees it.
@FunctionalInterface
public interface Place {
    /// Fails when it is not this process's to write to any more: somebody has moved, deleted or replaced it.
    void requireHeld() throws IOException;
}
