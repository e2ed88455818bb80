package io.tallis.command.server;

import java.time.Duration;

/// Has something done off the event loops, which it must not keep waiting.
public interface Later {
    /// Runs a short task on the background thread after that time.
    void after(Duration delay, Runnable task);

    /// Runs a long task on a thread that has this name, after those that were wanted before under the same name.
    /// Whoever asks keeps a client waiting for the end, so that clients bound how many tasks wait.
    void onItsOwn(String thread, Runnable task);
}
