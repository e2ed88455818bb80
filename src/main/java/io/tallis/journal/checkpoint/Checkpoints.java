package io.tallis.journal.checkpoint;

import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Failures;
import io.tallis.runtime.Backoff;
import io.tallis.runtime.Clock;
import io.tallis.runtime.PeriodicThread;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The scheduler of checkpoints: has one taken when the journal has grown, on request, and again after a failure, on
/// the thread `checkpoint`.
public final class Checkpoints implements AutoCloseable {
    private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Checkpointer checkpointer;
    private final Clock clock;
    private final Backoff backoff;
    private final PeriodicThread worker;

    private volatile boolean due;
    private volatile boolean ending;
    private volatile boolean running;
    private volatile @Nullable String failure;
    private volatile Last last = new Last(-1, -1, -1);

    public Checkpoints(Checkpointer checkpointer, Clock clock) {
        this.checkpointer = checkpointer;
        this.clock = clock;
        backoff = new Backoff(clock, FIRST_RETRY_NANOS, LONGEST_RETRY_NANOS);
        worker = new PeriodicThread("checkpoint", this::nanosToNext, this::runIfDue);
    }

    /// Starts the thread.
    public void start() {
        worker.start();
    }

    /// What the last successful checkpoint was like; -1 in each if there was none.
    record Last(long epochMillis, long millis, long cells) {}

    private long nanosToNext() {
        return due ? backoff.nanosToRetry() : LONGEST_RETRY_NANOS;
    }

    /// Has a checkpoint taken soon; after a failure, when it is time to try again. Not after [#end].
    public void request() {
        if (!ending && !due) {
            due = true;
            worker.wake();
        }
    }

    /// Has a checkpoint taken at once, whatever failed before: there is a new reason for it.
    public void requestAtOnce() {
        backoff.succeeded();
        // Else the request would be taken for the one that is waiting for its retry, and wake nothing.
        due = false;
        request();
    }

    void runIfDue() {
        if (!due) {
            return;
        }
        synchronized (checkpointer) {
            // Asked again: the checkpoint of another thread that this one waited for may have met the request.
            if (due && backoff.nanosToRetry() == 0) {
                try {
                    run();
                } catch (IOException _) {
                    // It is logged, and tried again.
                }
            }
        }
    }

    /// Takes a checkpoint and returns when it is done. A failed one is tried again in the background, at growing
    /// intervals, until one succeeds; not after [#end].
    public Checkpointer.Done run() throws IOException {
        synchronized (checkpointer) {
            running = true;
            try {
                // A request that came before the rotation is met by this checkpoint.
                Checkpointer.Done done = checkpointer.run(() -> due = false);
                long millis = TimeUnit.NANOSECONDS.toMillis(done.nanos());
                last = new Last(clock.epochMillis(), millis, done.cells());
                succeeded();
                Failures.LOG.log(Level.DEBUG, "checkpoint done in {1} ms; cells written: {0}", done.cells(), millis);
                return done;
            } catch (IOException e) {
                failed(e);
                throw e;
            } finally {
                running = false;
            }
        }
    }

    private void succeeded() {
        if (failure != null) {
            Failures.LOG.log(Level.INFO, "checkpoints succeed again");
        }
        failure = null;
        backoff.succeeded();
    }

    private void failed(IOException e) {
        String reason = Failures.reason(e);
        if (ending || abandoned()) {
            due = false;
            failure = abandoned() ? failure : reason;
            return;
        }
        if (!reason.equals(failure)) {
            Failures.LOG.log(Level.ERROR, "checkpoint failed, will be tried again: " + reason);
        }
        failure = reason;
        backoff.failed();
        due = true;
        worker.wake();
    }

    /// Takes a checkpoint and runs a step on it before another can begin. Damage that the step meets is made up for by
    /// the next checkpoint.
    public <T> T runThen(Step<T> step) throws IOException {
        synchronized (checkpointer) {
            if (ending) {
                throw new IOException("the node stops");
            }
            Checkpointer.Done done = run();
            try {
                return step.on(done);
            } catch (DamagedException e) {
                request();
                throw e;
            }
        }
    }

    /// What follows on a checkpoint.
    @FunctionalInterface
    public interface Step<T> {
        T on(Checkpointer.Done done) throws IOException;
    }

    /// Stops retries and their log lines: the next checkpoints are the last, and the stop reports what becomes of them.
    public void end() {
        ending = true;
    }

    public boolean ending() {
        return ending;
    }

    /// Takes no checkpoint any more, and gives up a running one.
    public void abandon() {
        checkpointer.abandon();
    }

    public boolean abandoned() {
        return checkpointer.abandoned();
    }

    public boolean running() {
        return running;
    }

    Last last() {
        return last;
    }

    /// Why the last checkpoint failed; null if it did not.
    @Nullable
    public String failure() {
        return failure;
    }

    public CheckpointStatus status() {
        boolean now = running;
        Last done = last;
        Checkpointer.History history = checkpointer.history();
        return new CheckpointStatus(
                due && !now,
                now,
                now ? TimeUnit.NANOSECONDS.toMillis(clock.nanos() - history.beganNanos()) : -1,
                history.taken(),
                Math.max(0, history.begunSince() - (now ? 1 : 0)),
                failure,
                done.epochMillis,
                done.millis,
                done.cells,
                history.databaseBytes());
    }

    /// Ends the thread, after the checkpoint that it may be taking.
    @Override
    public void close() {
        worker.close();
    }

    /// Lets no checkpoint begin any more, and waits for a running one, on whatever thread.
    public void awaitEnd() {
        checkpointer.abandon();
        checkpointer.awaitEnd();
    }
}
