package io.tallis.runtime;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// The one thread for short tasks that are due later, or again and again. After [#close] nothing more is done.
public final class Background implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Background.class.getName());

    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(Threads.named("background"));

    public void every(Duration period, Runnable task) {
        var _ = timer.scheduleAtFixedRate(guarded(task), period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    /// A task that comes too late, when this is closed, is dropped.
    public void after(Duration delay, Runnable task) {
        try {
            var _ = timer.schedule(guarded(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException _) {
            LOG.log(Level.DEBUG, "a task was due after the end");
        }
    }

    /// The timer would drop a task that throws in silence, and its repetitions with it. After an error of the JVM
    /// nothing is to be relied on: it is for those who hear of threads that fail.
    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException bug) {
                LOG.log(Level.ERROR, "a background task failed through a mistake of ours", bug);
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
