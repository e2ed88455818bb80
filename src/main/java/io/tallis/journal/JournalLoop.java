package io.tallis.journal;

import io.tallis.keyspace.TurnLog.Outcome;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What the journal thread does, round by round: takes the turns that wait, writes them as one, tells their
/// outcomes.
///
/// A disk that fails is tried again and again, each time a little later, with the turns held and new changes
/// refused; it heals by itself. Outcomes are told under the lock of this object, so that each log's come in their
/// order though two threads tell them; an outcome therefore only passes the news on.
final class JournalLoop {
    /// What is gathered before it is written.
    private static final int ROUND_BYTES = Unsynced.BLOCK_BYTES;

    /// How often a write is tried at its place before it is tried in another file.
    private static final int TRIES_IN_PLACE = 5;

    private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int RETRY_DOUBLINGS = 7;

    /// The room that must be left for changes that are on their way, when there is no other segment to go on in.
    private static final long RESERVE_BYTES = 1 << 24;

    private final LogWriter log;
    private final Segments segments;
    private final Live<FsyncPolicy> policy;
    private final Clock clock;
    private final long lostAfterNanos;

    private final Inbox inbox;
    private final ConcurrentLinkedQueue<Barrier> newBarriers = new ConcurrentLinkedQueue<>();
    private final List<Barrier> barriers = new ArrayList<>();
    private final ArrayDeque<Turn> waiting = new ArrayDeque<>();
    private final ArrayDeque<Turn> gathered = new ArrayDeque<>();

    private int failures;
    private long retryAtNanos;
    private volatile long busySinceNanos;
    private volatile boolean busy;
    private volatile @Nullable String refusal;
    private volatile @Nullable String lastFailure;
    private volatile long failuresEver;

    JournalLoop(
            LogWriter log,
            Segments segments,
            Inbox inbox,
            JournalSettings settings,
            Live<FsyncPolicy> policy,
            Clock clock) {
        this.log = log;
        this.inbox = inbox;
        this.segments = segments;
        this.policy = policy;
        this.clock = clock;
        lostAfterNanos = TimeUnit.SECONDS.toNanos(settings.lostAfterSeconds());
    }

    void request(Barrier barrier) {
        newBarriers.add(barrier);
    }

    /// How long the disk, which failed, is to be left alone; 0 when it did not.
    long nanosToRetry() {
        return failures == 0 ? 0 : Math.max(0, retryAtNanos - clock.nanos());
    }

    /// One round. Any failure of the disk ends it and is dealt with in later ones.
    void step() {
        List<Barrier> ready = readyBarriers();
        collect();
        if (failures > 0 && retryAtNanos - clock.nanos() > 0) {
            return;
        }
        busySinceNanos = clock.nanos();
        busy = true;
        try {
            writeAll();
            pass(ready);
            succeeded();
        } catch (IOException e) {
            failed(e);
        } finally {
            busy = false;
        }
    }

    /// The barriers whose rows have all been handed over; to be asked before the turns are collected.
    private List<Barrier> readyBarriers() {
        for (Barrier barrier = newBarriers.poll(); barrier != null; barrier = newBarriers.poll()) {
            barriers.add(barrier);
        }
        return barriers.isEmpty()
                ? List.of()
                : barriers.stream().filter(Barrier::handedOver).toList();
    }

    private synchronized void collect() {
        Turn turn = inbox.takeAll();
        long now = turn == null ? 0 : clock.nanos();
        while (turn != null) {
            turn.sinceNanos = now;
            waiting.add(turn);
            turn = turn.next;
        }
    }

    private void writeAll() throws IOException {
        if (failures > TRIES_IN_PLACE) {
            log.moveOn();
        }
        log.flush();
        settle();
        while (gather()) {
            log.flush();
            settle();
        }
    }

    /// Adds turns to the log, up to [#ROUND_BYTES]. Returns whether there were any.
    private boolean gather() throws IOException {
        int bytes = 0;
        for (Turn turn = oldestWaiting(); turn != null && bytes < ROUND_BYTES; turn = oldestWaiting()) {
            if (!log.fits(turn.bytes())) {
                log.moveOn();
            }
            if (turn.bytes() > 0) {
                log.add(turn.rows.array(), turn.bytes());
            }
            bytes += turn.bytes() + 1;
            synchronized (this) {
                gathered.add(waiting.remove());
            }
        }
        return bytes > 0;
    }

    private synchronized @Nullable Turn oldestWaiting() {
        return waiting.peek();
    }

    /// Tells the outcomes of what was written, once the policy's promise is kept.
    private void settle() throws IOException {
        if (gathered.isEmpty()) {
            return;
        }
        if (policy.now() == FsyncPolicy.ALWAYS) {
            makeDurable();
        }
        synchronized (this) {
            for (Turn turn = gathered.poll(); turn != null; turn = gathered.poll()) {
                Outcome outcome = turn.outcome;
                turn.owner.settled(turn);
                if (outcome != null) {
                    outcome.written();
                }
            }
        }
    }

    private void makeDurable() throws IOException {
        try {
            log.sync();
        } catch (IOException e) {
            noteFailure(e);
            log.moveOn();
        }
    }

    private void pass(List<Barrier> ready) throws IOException {
        barriers.removeAll(ready);
        for (Barrier barrier : ready) {
            try {
                if (barrier.rotates()) {
                    log.moveOn();
                }
                barrier.passed().complete(log.segmentNumber());
            } catch (IOException e) {
                barrier.passed().completeExceptionally(e);
                if (log.broken()) {
                    throw e;
                }
            }
        }
    }

    private void succeeded() {
        if (failures > 0) {
            failures = 0;
            Failures.LOG.log(Level.INFO, "the journal can be written again");
        }
        refuse(segments.spareFailure() != null && log.room() < RESERVE_BYTES ? segments.spareFailure() : null);
    }

    private void failed(IOException failure) {
        noteFailure(failure);
        retryAtNanos =
                clock.nanos() + Math.min(LONGEST_RETRY_NANOS, FIRST_RETRY_NANOS << Math.min(failures, RETRY_DOUBLINGS));
        failures++;
        refuse(Failures.reason(failure));
    }

    private void noteFailure(IOException failure) {
        String reason = Failures.reason(failure);
        if (!reason.equals(lastFailure) || failures == 0) {
            Failures.LOG.log(Level.ERROR, "cannot write the journal: " + reason);
        }
        lastFailure = reason;
        long before = failuresEver;
        failuresEver = before + 1;
    }

    private void refuse(@Nullable String reason) {
        if (reason != null || refusal != null) {
            refusal = reason == null ? null : "MISCONF Errors writing to the AOF file: " + reason;
        }
    }

    /// Gives up waiting on behalf of turns that the disk has not taken in time, though it may yet take them. For
    /// another thread, since this one may hang in a write.
    void loseOverdue() {
        collect();
        long now = clock.nanos();
        if (busy && now - busySinceNanos > lostAfterNanos) {
            refuse("the disk does not answer");
        }
        synchronized (this) {
            loseOverdue(gathered, now);
            loseOverdue(waiting, now);
        }
    }

    private void loseOverdue(ArrayDeque<Turn> turns, long now) {
        for (Turn turn : turns) {
            if (now - turn.sinceNanos > lostAfterNanos) {
                lose(turn);
            }
        }
    }

    /// Gives up on all turns: the journal is closed.
    synchronized void loseAll() {
        collect();
        for (Turn turn : gathered) {
            lose(turn);
        }
        for (Turn turn : waiting) {
            lose(turn);
        }
        gathered.clear();
        waiting.clear();
    }

    private static void lose(Turn turn) {
        Outcome outcome = turn.outcome;
        turn.outcome = null;
        if (outcome != null) {
            outcome.lost();
        }
    }

    /// Why no change may begin, as the error that clients get; null when changes may.
    @Nullable
    String refusal() {
        return refusal;
    }

    @Nullable
    String lastFailure() {
        return lastFailure;
    }

    long failuresEver() {
        return failuresEver;
    }
}
