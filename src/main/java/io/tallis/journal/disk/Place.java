package io.tallis.journal.disk;

import java.io.IOException;

/// The data directory as a place that this process may write to.
@FunctionalInterface
public interface Place {
    /// Fails with [DataDirectoryException] when the directory under this name is not the directory that this process
    /// has locked: it was moved, deleted or replaced, and what is there now may be another process's.
    void requireHeld() throws IOException;
}
