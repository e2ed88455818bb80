package io.tallis.runtime;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// Waiting only so long for something that may hang inside the system, where nothing can call it back.
public final class TimeLimit {
    private TimeLimit() {}

    /// Runs the task on a thread of that role. Returns whether it ended in time; else it is left to itself. An
    /// interrupt ends the waiting too.
    public static boolean isMetBy(Runnable task, String role, Duration limit) {
        return isMetBy(task, role, limit, () -> false);
    }

    /// The same, with as much time again whenever that is over and `goesOn` says so.
    public static boolean isMetBy(Runnable task, String role, Duration limit, BooleanSupplier goesOn) {
        CountDownLatch ended = new CountDownLatch(1);
        Threads.start(role, () -> {
            task.run();
            ended.countDown();
        });
        try {
            boolean met = ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
            while (!met && goesOn.getAsBoolean()) {
                met = ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
            }
            return met;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
