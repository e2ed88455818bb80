package io.tallis.journal.disk;

import java.io.IOException;

/// Called between two steps of a long task on the disk: waits a little, so that clients get at processor and disk.
@FunctionalInterface
public interface Pause {
    /// Throws when the task is to be given up.
    void take() throws IOException;
}
