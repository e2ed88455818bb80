package io.tallis.journal;

import io.tallis.runtime.Clock;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// When checkpoints are taken: when the journal has grown, when somebody asks, and again after a failure. The
/// thread is `checkpoint`.
final class Checkpoints implements AutoCloseable {
    /// Why something is given up.
    static final String STOPPING = "the node stops";

    private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Checkpointer checkpointer;
    private final Clock clock;
    private final Runnable lookForFiles;
    private final BooleanSupplier hasLostFiles;
    private final Backoff backoff;
    private final Worker worker;

    private volatile boolean due;

    /// Whether what failed before was no try to make up for lost files.
    private volatile boolean knowsOfNoLoss = true;

    private volatile boolean ending;
    private volatile boolean running;
    private volatile @Nullable String failure;
    private volatile Last last = new Last(-1, -1, -1);

    /// What fails may have found files damaged or gone: then somebody looks for them at once, and `hasLostFiles` says
    /// what was seen last.
    Checkpoints(Checkpointer checkpointer, Clock clock, Runnable lookForFiles, BooleanSupplier hasLostFiles) {
        this.checkpointer = checkpointer;
        this.clock = clock;
        this.lookForFiles = lookForFiles;
        this.hasLostFiles = hasLostFiles;
        backoff = new Backoff(clock, FIRST_RETRY_NANOS, LONGEST_RETRY_NANOS);
        worker = new Worker("checkpoint", this::restNanos, this::runIfDue);
    }

    /// Starts the thread.
    void start() {
        worker.start();
    }

    /// What the last successful checkpoint was like; -1 in each if there was none.
    record Last(long epochMillis, long millis, long cells) {}

    private long restNanos() {
        return due ? backoff.nanosToRetry() : LONGEST_RETRY_NANOS;
    }

    /// Has a checkpoint taken soon; after a failure, when it is time to try again, or at once where files were found
    /// lost since. Not after [#end].
    void request() {
        if (ending) {
            return;
        }
        boolean isForNewLoss = knowsOfNoLoss && hasLostFiles.getAsBoolean();
        if (isForNewLoss) {
            knowsOfNoLoss = false;
            backoff.succeeded();
        }
        if (!due || isForNewLoss) {
            due = true;
            worker.wake();
        }
    }

    void runIfDue() {
        if (due && backoff.nanosToRetry() == 0) {
            try {
                run();
            } catch (IOException _) {
                // Told of by whoever noted it, and tried again.
            }
        }
    }

    /// Takes a checkpoint and returns when it is done. One that fails is tried again in the background, later and
    /// later, until one succeeds, whoever wanted it; not after [#end].
    Checkpointer.Done run() throws IOException {
        synchronized (checkpointer) {
            running = true;
            try {
                // What was wanted before the journal is rotated, this one is.
                Checkpointer.Done done = checkpointer.run(() -> due = false);
                long millis = TimeUnit.NANOSECONDS.toMillis(done.nanos());
                last = new Last(clock.epochMillis(), millis, done.cells());
                succeeded();
                Failures.LOG.log(Level.DEBUG, "checkpoint of {0} cells in {1} ms", done.cells(), millis);
                return done;
            } catch (IOException e) {
                lookForFiles.run();
                failed(e);
                throw e;
            } finally {
                running = false;
            }
        }
    }

    private void succeeded() {
        if (failure != null) {
            Failures.LOG.log(Level.INFO, "checkpoints are taken again");
        }
        failure = null;
        knowsOfNoLoss = true;
        backoff.succeeded();
    }

    private void failed(IOException e) {
        String reason = Failures.reason(e);
        if (ending || abandoned()) {
            // Whoever ends it tries again, or nobody.
            due = false;
            failure = abandoned() ? failure : reason;
            return;
        }
        if (!reason.equals(failure)) {
            Failures.LOG.log(Level.ERROR, "no checkpoint, it is tried again: " + reason);
        }
        failure = reason;
        backoff.failed();
        due = true;
        worker.wake();
    }

    /// Takes a checkpoint and does something with it before another can begin. The next makes up for what is damaged.
    <T> T runThen(Step<T> step) throws IOException {
        synchronized (checkpointer) {
            if (ending) {
                throw new IOException(STOPPING);
            }
            Checkpointer.Done done = run();
            try {
                return step.on(done);
            } catch (IOException e) {
                lookForFiles.run();
                if (e instanceof DamagedException) {
                    request();
                }
                throw e;
            }
        }
    }

    /// What follows on a checkpoint.
    @FunctionalInterface
    interface Step<T> {
        T on(Checkpointer.Done done) throws IOException;
    }

    /// Has failures kept for whoever asks, instead of telling of them and trying again: the next checkpoints are the
    /// last.
    void end() {
        ending = true;
    }

    boolean ending() {
        return ending;
    }

    /// Takes no checkpoint any more, nor goes on with the one that runs.
    void abandon() {
        checkpointer.abandon();
    }

    /// Takes that back.
    void resume() {
        checkpointer.resume();
    }

    boolean abandoned() {
        return checkpointer.abandoned();
    }

    /// Grows while one gets on.
    long batchesWritten() {
        return checkpointer.batchesWritten();
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
                Math.max(0, history.begunSince() - (now ? 1 : 0)),
                failure,
                done.epochMillis,
                done.millis,
                done.cells,
                history.databaseBytes());
    }

    /// Takes no more by itself, once the one is over that it may be taking.
    @Override
    public void close() {
        worker.close();
    }

    /// Lets no checkpoint begin any more, and waits for the one that runs, whoever takes it.
    void awaitEnd() {
        checkpointer.abandon();
        checkpointer.awaitEnd();
    }
}
