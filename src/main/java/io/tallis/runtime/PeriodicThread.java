package io.tallis.runtime;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// A thread that repeats one task: when it is woken, and after each period.
///
/// An exception that escapes from the task ends the thread.
public final class PeriodicThread implements AutoCloseable {
    private final String role;
    private final Runnable work;
    private final LongSupplier restNanos;
    private volatile @Nullable Thread thread;
    private volatile boolean resting;
    private volatile boolean woken;
    private volatile boolean closed;

    public PeriodicThread(String role, LongSupplier restNanos, Runnable work) {
        this.work = work;
        this.restNanos = restNanos;
        this.role = role;
    }

    /// Starts the thread, once; being woken before does no harm.
    public void start() {
        Invariant.check(thread == null, "the thread " + role + " is started once");
        thread = Threads.start(role, this::run);
    }

    private void run() {
        while (!closed) {
            woken = false;
            work.run();
            rest();
        }
    }

    private void rest() {
        resting = true;
        if (!woken && !closed) {
            LockSupport.parkNanos(this, Math.max(1, restNanos.getAsLong()));
        }
        resting = false;
    }

    /// Has the task done soon, at least once from its beginning. Cheap when the thread is working.
    public void wake() {
        if (!woken) {
            woken = true;
        }
        if (resting) {
            resting = false;
            LockSupport.unpark(thread);
        }
    }

    /// Ends the thread after the task that it is in, and waits for that. An interrupt ends the wait.
    @Override
    public void close() {
        closed = true;
        Thread started = thread;
        if (started == null) {
            return;
        }
        LockSupport.unpark(started);
        try {
            started.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
