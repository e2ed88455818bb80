package io.tallis.journal.log;

import io.tallis.journal.disk.DiskFile;
import io.tallis.journal.disk.Failures;
import io.tallis.runtime.Backoff;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import io.tallis.runtime.PeriodicThread;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The journal of a running node: the log on the disk that gets every change before its client gets the reply.
///
/// This class owns the threads and passes work between them; [JournalLoop] decides what a round writes, [LogWriter]
/// writes it. A call to the disk may hang for minutes, so each kind of work has a thread of its own, which may hang
/// without holding up the others:
///
/// ```
/// journal         writes the turns that event loops have not written themselves
/// journal-sync    syncs once a second, or earlier when much is not synced
/// journal-spare   preallocates the file for a later segment
/// journal-watch   tells turns that have waited too long that they are lost, and wakes `journal`
/// ```
public final class Journal implements CheckpointJournal, AutoCloseable {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// With more bytes than this not synced, the sync of the next second begins at once, so that a rotation, which
    /// syncs the segment while all turns wait, has little to wait for.
    private static final long SYNC_BYTES = 1 << 24;

    /// How long all threads may take to end the turn that they are in.
    private static final long BARRIER_SECONDS = 60;

    /// The longest pause between attempts to make a spare: each attempt on a full disk takes all its room for a moment,
    /// which a checkpoint may need.
    private static final long LONGEST_SPARE_RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long PAUSE_OF_FILLING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final LogWriter log;
    private final Growth growth;
    private final Segments segments;
    private final DiskTrouble trouble;
    private final Backoff spareTries;
    private final JournalLoop loop;
    private final Syncs syncs;
    private final TurnLogs logs;
    private final JournalSettings settings;
    private final Live<FsyncPolicy> policy;
    private final Runnable checkpointDue;

    private final PeriodicThread writer;
    private final PeriodicThread syncer;
    private final PeriodicThread spareMaker;
    private final PeriodicThread watch;

    /// An exception of a round that an event loop did, for the journal thread to throw.
    private volatile @Nullable Throwable bugOnEventLoop;
    private volatile boolean ending;
    private volatile boolean dead;
    private volatile boolean closed;

    /// `checkpointDue` is run, on the thread that writes, whenever enough has been written since the last checkpoint.
    public Journal(
            LogWriter log,
            Segments segments,
            TurnLogs logs,
            JournalSettings settings,
            Live<FsyncPolicy> policy,
            Clock clock,
            Runnable checkpointDue) {
        this.log = log;
        growth = new Growth(log, settings);
        this.segments = segments;
        this.logs = logs;
        this.settings = settings;
        this.policy = policy;
        this.checkpointDue = checkpointDue;
        trouble = new DiskTrouble(clock);
        spareTries = new Backoff(clock, SECOND_NANOS, LONGEST_SPARE_RETRY_NANOS);
        loop = new JournalLoop(log, segments, logs.inbox(), trouble, settings, policy, clock);
        syncs = loop.syncs();
        syncer = new PeriodicThread("journal-sync", () -> SECOND_NANOS, this::syncIfDue);
        spareMaker = new PeriodicThread("journal-spare", () -> SECOND_NANOS, this::prepareSpare);
        writer = new PeriodicThread("journal", this::nanosToNext, this::write);
        watch = new PeriodicThread("journal-watch", () -> SECOND_NANOS, this::watch);
    }

    /// Starts the threads.
    public void start() {
        logs.goTo(this::handedOver);
        writer.start();
        syncer.start();
        spareMaker.start();
        watch.start();
    }

    private long nanosToNext() {
        long toRetry = trouble.nanosToRetry();
        return toRetry == 0 ? SECOND_NANOS : toRetry;
    }

    /// An exception that escapes ends the thread: then no change may begin, and `journal-watch` gives up turns that
    /// wait.
    private void write() {
        boolean done = false;
        try {
            throwBugOfEventLoop();
            if (!dead) {
                loop.step();
                wakeOthersIfDue();
            }
            done = true;
        } finally {
            if (!done) {
                dead = true;
                trouble.refuseForEver("the journal has stopped because of a bug");
            }
        }
    }

    /// After a round: wakes the threads that sync and make spares, and requests a checkpoint, where they have work.
    private void wakeOthersIfDue() {
        if (log.bytesAtRisk() > SYNC_BYTES) {
            syncer.wake();
        }
        if (!segments.spares().isReady() && segments.spares().failure() == null) {
            spareMaker.wake();
        }
        if (growth.isEnoughForCheckpoint()) {
            // After each round until the checkpoint has begun; further requests change nothing.
            checkpointDue.run();
        }
    }

    /// Sets whether this node is being filled with the counters of other nodes, as while it joins.
    public void filling(boolean filling) {
        growth.filling(filling);
        writer.wake();
    }

    private void syncIfDue() {
        // With `always` too: the policy may have been another when this was written.
        if (policy.now() != FsyncPolicy.NO || log.bytesAtRisk() > SYNC_BYTES) {
            try {
                syncs.sync();
                if (log.needsDurableMark()) {
                    loop.writeDurableMark();
                    writer.wake();
                }
            } catch (IOException e) {
                trouble.note(e);
                writer.wake();
            }
        }
    }

    private void prepareSpare() {
        if (!segments.spares().isReady() && spareTries.nanosToRetry() == 0) {
            String failureBefore = segments.spares().failure();
            boolean ready = segments.spares().prepare(this::pauseFilling);
            if (ready) {
                spareTries.succeeded();
            } else {
                spareTries.failed();
            }
            if (ready || failureBefore == null) {
                // The next round decides anew whether changes are refused for want of a spare.
                writer.wake();
            }
        }
    }

    /// Clients are served by the same disk: it gets a spare piece by piece, and there is no hurry as long as the
    /// present segment has room. Until the node is ready it serves no clients, and the next may be needed soon.
    private void pauseFilling(DiskFile spare) throws IOException {
        if (closed) {
            throw new Spares.NotWantedException();
        }
        if (growth.isFilling()) {
            return;
        }
        spare.sync();
        if (!ending && log.room() > settings.segmentBytes() / 2) {
            LockSupport.parkNanos(this, PAUSE_OF_FILLING_NANOS);
        }
    }

    private void watch() {
        loop.giveUpOverdue();
        writer.wake();
    }

    /// A turn was handed over, by the calling thread.
    private void handedOver(boolean mayWrite) {
        if (closed) {
            loop.loseAll();
        } else if (!mayWrite || !isWrittenHere()) {
            writer.wake();
        }
    }

    /// Has this thread, an event loop, do the round. Returns whether that was done. An exception is a bug, which is as
    /// bad here as on the journal thread, and is thrown there.
    private boolean isWrittenHere() {
        if (dead) {
            return false;
        }
        try {
            if (loop.shortStep()) {
                wakeOthersIfDue();
                return true;
            }
        } catch (RuntimeException | Error e) {
            bugOnEventLoop = e;
            dead = true;
        }
        return false;
    }

    private void throwBugOfEventLoop() {
        switch (bugOnEventLoop) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case null, default -> {}
        }
    }

    @Nullable
    public String refusal() {
        return trouble.refusal();
    }

    // For checkpoints

    @Override
    public long rotate() throws IOException {
        // Leaving a segment syncs it while all turns wait. Most of that is done here, where none does.
        syncs.sync();
        long written = log.bytesWritten();
        long number = pass(true);
        growth.checkpointBegins(written);
        return number;
    }

    /// Begins a new segment as [#rotate] does, though no checkpoint follows.
    public long rotateForCopy() throws IOException {
        syncs.sync();
        return pass(true);
    }

    @Override
    public void makeDurable() throws IOException {
        // First the barrier, which only says that all is written, then the sync.
        pass(false);
        syncs.sync();
    }

    private long pass(boolean rotates) throws IOException {
        if (dead) {
            throw new IOException("the journal has stopped");
        }
        Barrier barrier = new Barrier(logs.all(), rotates);
        loop.request(barrier);
        writer.wake();
        try {
            return await(barrier);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the journal was awaited");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e);
        } catch (TimeoutException e) {
            barrier.passed().cancel(false);
            String reason = trouble.lastFailure();
            throw new IOException(
                    "the journal could not write in time what was recorded"
                            + (trouble.refusal() == null || reason == null ? "" : ": " + reason),
                    e);
        }
    }

    /// Waits a minute. While changes are refused it waits no longer than turns do: a checkpoint or a stop should learn
    /// of the disk's failure, and not hang with it.
    private long await(Barrier barrier) throws InterruptedException, ExecutionException, TimeoutException {
        for (int second = 1; second < BARRIER_SECONDS; second++) {
            try {
                return barrier.passed().get(1, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                if (trouble.refusal() != null && second >= settings.lostAfterSeconds()) {
                    throw e;
                }
            }
        }
        return barrier.passed().get(1, TimeUnit.SECONDS);
    }

    @Override
    public void release(long number) throws IOException {
        growth.checkpointSucceeded();
        segments.release(number);
    }

    /// Whether checkpoints may be throttled. Not where the journal grows faster than they shorten it, has no room for
    /// much more, is about to end, or a checkpoint has to make up for damage.
    public boolean hasTime() {
        return !ending && !loop.isDamaged() && segments.spares().failure() == null && !growth.outgrowsCheckpoint();
    }

    // For INFO

    public Growth growth() {
        return growth;
    }

    public long bytesAtRisk() {
        return log.bytesAtRisk();
    }

    public Syncs syncs() {
        return syncs;
    }

    /// What is wrong with a file that the next start needs, null if nothing is: changes are refused as long as there is
    /// anything.
    public void damaged(@Nullable String damage) {
        loop.damaged(damage);
        if (damage != null) {
            // Not only from the next round on: what is acknowledged until then might not survive a crash.
            trouble.refuse(damage);
        }
        writer.wake();
    }

    /// Writes nothing any more and refuses changes for good: the process is about to end.
    public void stop(String reason) {
        dead = true;
        trouble.refuseForEver(reason);
    }

    public long failures() {
        return trouble.failuresEver();
    }

    @Nullable
    public String lastFailure() {
        return trouble.lastFailure();
    }

    public long lastFailureEpochMillis() {
        return trouble.lastFailureEpochMillis();
    }

    /// The node is about to stop: from now on checkpoints fail with a disk that fails, instead of waiting for it.
    public void end() {
        ending = true;
        loop.failFast();
    }

    /// Writes and syncs what was handed over, as far as the disk takes it in time; what is handed over later is lost.
    @Override
    public void close() {
        if (closed) {
            return;
        }
        end();
        writeRest();
        // From here on turns that are handed over are lost at once, instead of waiting for a round that never comes.
        closed = true;
        // Returns when no event loop is in a round, so the log can be closed below.
        loop.end();
        watch.close();
        spareMaker.close();
        syncer.close();
        writer.close();
        loop.loseAll();
        log.close();
    }

    /// Turns that the disk does not take were never acknowledged; the sync is for those before them.
    private void writeRest() {
        try {
            pass(false);
        } catch (IOException e) {
            Failures.LOG.log(Level.WARNING, "changes that were not acknowledged are dropped: " + Failures.reason(e));
        }
        try {
            syncs.sync();
        } catch (IOException e) {
            Failures.LOG.log(Level.ERROR, "the end of the journal may be lost: " + Failures.reason(e));
        }
    }
}
