package io.tallis.journal;

import java.io.IOException;

/// Lets others get at processor and disk in the midst of a long task.
@FunctionalInterface
public interface Pause {
    /// Rests a little, after a step of the task. Throws when there is no time for more.
    void take() throws IOException;
}
