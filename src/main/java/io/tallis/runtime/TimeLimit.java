package io.tallis.runtime;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Waiting only so long for something that may hang inside the system, where nothing can call it back.
public final class TimeLimit {
    private TimeLimit() {}

    /// Runs the task on a thread of that role. Returns whether it ended in time; else it is left to itself. An
    /// interrupt ends the waiting too.
    public static boolean isMetBy(Runnable task, String role, Duration limit) {
        CountDownLatch ended = new CountDownLatch(1);
        Threads.start(role, () -> {
            task.run();
            ended.countDown();
        });
        try {
            return ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
