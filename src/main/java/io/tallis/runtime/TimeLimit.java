package io.tallis.runtime;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// Bounded waiting for a call that may hang inside the operating system and cannot be interrupted, such as `fsync`.
public final class TimeLimit {
    private TimeLimit() {}

    /// Runs the task on a new thread and returns whether it ended within the limit. If not, the thread is left running.
    /// An interrupt ends the wait too.
    public static boolean isMetBy(Runnable task, String role, Duration limit) {
        return isMetBy(task, role, limit, () -> false);
    }

    /// The same, but at the end of the limit waits for as long again while `makesProgress` returns true.
    public static boolean isMetBy(Runnable task, String role, Duration limit, BooleanSupplier makesProgress) {
        CountDownLatch ended = new CountDownLatch(1);
        Threads.start(role, () -> {
            task.run();
            ended.countDown();
        });
        try {
            boolean met = ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
            while (!met && makesProgress.getAsBoolean()) {
                met = ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
            }
            return met;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
