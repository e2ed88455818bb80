package io.tallis.journal;

import io.tallis.runtime.Clock;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// When checkpoints are taken: when the journal has grown, when somebody asks, and again after a failure. The
/// thread is `checkpoint`.
final class Checkpoints implements AutoCloseable {
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Checkpointer checkpointer;
    private final Clock clock;
    private final Worker worker;

    private volatile boolean due;
    private volatile boolean running;
    private volatile @Nullable String failure;
    private volatile Last last = new Last(-1, -1, -1);

    Checkpoints(Checkpointer checkpointer, Clock clock) {
        this.checkpointer = checkpointer;
        this.clock = clock;
        worker = new Worker("checkpoint", () -> REST_NANOS, this::runIfDue);
    }

    /// Starts the thread.
    void start() {
        worker.start();
    }

    /// What the last successful checkpoint was like; -1 in each if there was none.
    record Last(long epochMillis, long millis, long cells) {}

    /// Has a checkpoint taken soon. After a failure it is tried again after a rest.
    void request() {
        if (!due) {
            due = true;
            worker.wake();
        }
    }

    private void runIfDue() {
        if (due) {
            try {
                run();
                due = false;
            } catch (IOException e) {
                Failures.LOG.log(Level.ERROR, "no checkpoint: " + Failures.reason(e));
            }
        }
    }

    /// Takes a checkpoint and returns when it is done.
    Checkpointer.Done run() throws IOException {
        synchronized (checkpointer) {
            running = true;
            try {
                Checkpointer.Done done = checkpointer.run();
                long millis = TimeUnit.NANOSECONDS.toMillis(done.nanos());
                last = new Last(clock.epochMillis(), millis, done.cells());
                failure = null;
                Failures.LOG.log(Level.DEBUG, "checkpoint of {0} cells in {1} ms", done.cells(), millis);
                return done;
            } catch (IOException e) {
                failure = Failures.reason(e);
                throw e;
            } finally {
                running = false;
            }
        }
    }

    /// Takes a checkpoint and does something with it before another can begin.
    <T> T runThen(Step<T> step) throws IOException {
        synchronized (checkpointer) {
            return step.on(run());
        }
    }

    /// What follows on a checkpoint.
    @FunctionalInterface
    interface Step<T> {
        T on(Checkpointer.Done done) throws IOException;
    }

    boolean running() {
        return running;
    }

    Last last() {
        return last;
    }

    /// Why the last checkpoint failed; null if it did not.
    @Nullable
    String failure() {
        return failure;
    }

    CheckpointStatus status() {
        boolean now = running;
        Last done = last;
        Checkpointer.History history = checkpointer.history();
        return new CheckpointStatus(
                due && !now,
                now,
                now ? TimeUnit.NANOSECONDS.toMillis(clock.nanos() - history.beganNanos()) : -1,
                history.taken(),
                history.begunSince() - (now ? 1 : 0),
                failure,
                done.epochMillis,
                done.millis,
                done.cells,
                history.databaseBytes());
    }

    /// Waits for the checkpoint that runs, and takes no more by itself.
    @Override
    public void close() {
        worker.close();
    }
}
