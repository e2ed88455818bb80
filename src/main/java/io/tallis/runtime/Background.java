package io.tallis.runtime;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// A scheduler with one thread, for short tasks that are delayed or periodic. After [#close] no task runs.
public final class Background implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Background.class.getName());

    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(Threads.named("background"));

    public void every(Duration period, Runnable task) {
        var _ = timer.scheduleAtFixedRate(guarded(task), period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    /// Runs the task once, after the delay. Does nothing when this is closed.
    public void after(Duration delay, Runnable task) {
        try {
            var _ = timer.schedule(guarded(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException _) {
            LOG.log(Level.DEBUG, "Task dropped: the scheduler is closed");
        }
    }

    /// Logs an exception, which the executor would swallow, cancelling a periodic task. An `Error` ends the process.
    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException bug) {
                LOG.log(Level.ERROR, "A background task failed; it is a bug", bug);
            } catch (Error error) {
                throw Halt.because(error);
            }
        };
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
