package io.tallis.command.server;

import java.time.Duration;

/// Has something done off the event loops, which it must not keep waiting.
public interface Later {
    /// Runs a short task on the background thread after that time.
    void after(Duration delay, Runnable task);

    /// Runs a long task on a thread of its own that has this name.
    void onItsOwn(String thread, Runnable task);
}
