package io.tallis.journal.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.journal.disk.Disk;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The write loop of the journal: takes the turns that event loops have ended, writes their rows to the disk, and then
/// tells each turn that its replies may leave.
///
/// It works in rounds. One round serves all turns that wait, so that many connections share one write and, with
/// `appendfsync always`, one sync:
///
/// ```
/// resp-1   turn 71 ─╮                    one round                       ╭─▶ turn 71: its replies leave
/// resp-2   turn 44 ─┼─▶ collect ─▶ one log frame ─▶ write (and sync) ─────┼─▶ turn 44: its replies leave
/// resp-3   turn 90 ─╯                                                    ╰─▶ turn 90: its replies leave
/// ```
///
/// Two kinds of threads do rounds. The thread `journal` does rounds of any length. An event loop that has just ended a
/// turn does the round itself when that is sure to be short: waking another thread and being woken by it takes longer
/// than the write. While the disk is slow ([DiskSpeed]) all rounds are left to `journal`.
///
/// After a failure of the disk the turns are kept and the round is repeated, at growing intervals, until the disk has
/// recovered. Meanwhile new changes are refused ([DiskTrouble]), and turns that have waited too long are lost: their
/// connections close without a reply.
public final class JournalLoop {
    /*
     * Which thread writes, and what that guarantees
     * ---------------------------------------------
     * All rounds take the lock `rounds`, so frames are written one after the other and the order of a log's turns is
     * kept. An event loop only tries that lock: if another thread has it, that thread may be waiting for the disk, and
     * the event loop must not. It wakes the journal thread instead, which finds its turn in the next round.
     *
     * An event loop that does a round does none of what may take long: it writes at most SHORT_BYTES into the system's
     * page cache, never syncs, never begins a segment, and leaves barriers alone. A write that fails, or a segment that
     * has failed or is full, is left to the journal thread, which finds the turns still gathered.
     *
     * An outcome is told only when the policy's promise is kept for the frame with that turn: after the write, or with
     * `always` after a sync. The policy may change in the midst of a round, so it is asked again when the outcome is
     * about to be told: the client that set `always` must not get its reply without a sync.
     *
     * Only the journal thread completes barriers, at the end of a round: by then everything that was recorded when the
     * barrier was made has been handed over, collected and written.
     */

    /// How many bytes of rows are gathered into one write.
    private static final int ROUND_BYTES = Unsynced.BLOCK_BYTES;

    /// How often a write is repeated at its place before it goes to another file.
    private static final int TRIES_IN_PLACE = 5;

    /// The room that must be left for changes under way when there is no spare for the next segment.
    private static final long RESERVE_BYTES = 1 << 24;

    /// The most bytes of rows that an event loop writes.
    private static final int SHORT_BYTES = 1 << 16;

    private final LogWriter log;
    private final Segments segments;
    private final Live<FsyncPolicy> policy;
    private final Clock clock;
    private final long lostAfterNanos;
    private final HangTimer hangTimer;
    private final DiskTrouble trouble;
    private final UnsettledTurns turns;
    private final ConcurrentLinkedQueue<Barrier> newBarriers = new ConcurrentLinkedQueue<>();

    private final ReentrantLock rounds = new ReentrantLock();

    @GuardedBy("rounds")
    private final List<Barrier> barriers = new ArrayList<>();

    @GuardedBy("rounds")
    private boolean ended;

    private volatile boolean failingFast;
    private volatile boolean durableMarkWanted;
    private final Syncs syncs;
    private final DiskSpeed diskSpeed;
    private volatile long busySinceNanos;
    private volatile boolean busy;

    /// Whether a sync that is under way was found to hang.
    private volatile boolean syncHung;

    private volatile @Nullable String damage;

    public JournalLoop(
            LogWriter log,
            Segments segments,
            TurnStack inbox,
            DiskTrouble trouble,
            JournalSettings settings,
            Live<FsyncPolicy> policy,
            Clock clock) {
        this.log = log;
        syncs = new Syncs(log, clock);
        diskSpeed = new DiskSpeed(syncs);
        turns = new UnsettledTurns(inbox, clock);
        this.trouble = trouble;
        this.segments = segments;
        this.policy = policy;
        this.clock = clock;
        lostAfterNanos = TimeUnit.SECONDS.toNanos(settings.lostAfterSeconds());
        hangTimer = new HangTimer(lostAfterNanos, clock.nanos());
    }

    public void request(Barrier barrier) {
        newBarriers.add(barrier);
    }

    /// One round, by the journal thread. A failure of the disk ends it, and a later round repeats it.
    public void step() {
        rounds.lock();
        try {
            // Barriers before turns: a turn that is handed over in between is written, and its barrier waits for the
            // next round. The other way round its barrier would be ready, and the turn not be written.
            List<Barrier> ready = readyBarriers();
            turns.collect();
            // A stop of the node does not wait for the next attempt: its barriers are to fail now.
            if (trouble.nanosToRetry() == 0 || (failingFast && !ready.isEmpty())) {
                round(ready);
            }
        } finally {
            rounds.unlock();
        }
    }

    /// A round by an event loop, which must not wait, if the round is sure to be short. Returns whether nothing is left
    /// for the journal thread to do.
    public boolean shortStep() {
        if (!isShort(0) || !rounds.tryLock()) {
            return false;
        }
        try {
            turns.collect();
            // Again, since turns of other event loops may have been collected too.
            if (!isShort(turns.bytesWaiting()) || !isIdle()) {
                return false;
            }
            shortRound();
            long now = clock.nanos();
            diskSpeed.report(now - busySinceNanos, now);
            return trouble.failuresInARow() == 0 && turns.none();
        } finally {
            rounds.unlock();
        }
    }

    private boolean isShort(int bytes) {
        return bytes <= SHORT_BYTES
                && policy.now() != FsyncPolicy.ALWAYS
                && newBarriers.isEmpty()
                && log.isReadyFor(bytes)
                && log.bytesAtRisk() < LogWriter.UNSYNCED_LIMIT / 2
                && diskSpeed.isFast(clock.nanos());
    }

    Syncs syncs() {
        return syncs;
    }

    @GuardedBy("rounds")
    private boolean isIdle() {
        return !ended && barriers.isEmpty() && trouble.failuresInARow() == 0;
    }

    private void round(List<Barrier> ready) {
        attempt(() -> {
            try {
                writeAll();
            } catch (IOException e) {
                failAtOnce(ready, e);
                throw e;
            }
            pass(ready);
        });
    }

    private void failAtOnce(List<Barrier> ready, IOException e) {
        if (failingFast) {
            ready.forEach(barrier -> barrier.passed().completeExceptionally(e));
        }
    }

    /// Writes and does nothing else: a segment that fails meanwhile is left to the journal thread.
    private void shortRound() {
        attempt(() -> {
            gatherShort();
            log.write();
            // The turn that changed the policy may be among those that were gathered.
            if (!log.broken() && policy.now() != FsyncPolicy.ALWAYS) {
                turns.tell(!isDamaged());
            }
        });
    }

    private void attempt(Disk.Task task) {
        busySinceNanos = clock.nanos();
        busy = true;
        try {
            task.run();
            trouble.roundSucceeded(reasonToRefuse());
        } catch (IOException e) {
            trouble.failed(e);
        } finally {
            busy = false;
        }
    }

    /// The barriers whose rows have all been handed over; to be asked before the turns are collected.
    @GuardedBy("rounds")
    private List<Barrier> readyBarriers() {
        for (Barrier barrier = newBarriers.poll(); barrier != null; barrier = newBarriers.poll()) {
            barriers.add(barrier);
        }
        barriers.removeIf(barrier -> barrier.passed().isDone());
        return barriers.isEmpty()
                ? List.of()
                : barriers.stream().filter(Barrier::handedOver).toList();
    }

    private void writeAll() throws IOException {
        if (trouble.failuresInARow() > TRIES_IN_PLACE) {
            log.moveOn();
        }
        // What a failed round has gathered goes first.
        log.flush();
        tellOutcomes();
        while (gather()) {
            log.flush();
            tellOutcomes();
        }
        if (durableMarkWanted && !failingFast) {
            durableMarkWanted = false;
            log.writeDurableMark();
        }
    }

    /// Adds turns to the log, up to [#ROUND_BYTES]. Returns whether there were any.
    private boolean gather() throws IOException {
        int bytes = 0;
        for (Turn turn = turns.oldestWaiting(); turn != null && bytes < ROUND_BYTES; turn = turns.oldestWaiting()) {
            if (!log.fits(turn.bytes())) {
                log.moveOn();
            }
            // One more, so that turns without rows count too.
            bytes += turn.bytes() + 1;
            gather(turn);
        }
        return bytes > 0;
    }

    /// Adds turns as long as the round is short: more may have arrived since it was found to be.
    private void gatherShort() {
        int bytes = 0;
        for (Turn turn = turns.oldestWaiting(); turn != null; turn = turns.oldestWaiting()) {
            bytes += turn.bytes();
            if (bytes > SHORT_BYTES || !log.fits(turn.bytes())) {
                return;
            }
            gather(turn);
        }
    }

    private void gather(Turn turn) {
        if (turn.bytes() > 0) {
            log.addTime(clock.epochMillis());
            log.add(turn.rows.array(), turn.bytes());
        }
        turns.gatherOldest();
    }

    /// Tells the outcomes of what was written, once the policy's promise is kept. While a file of the journal is
    /// damaged the turns are lost, though they were written: a start might not get as far as their rows.
    private void tellOutcomes() throws IOException {
        if (!turns.anyGathered()) {
            return;
        }
        if (policy.now() == FsyncPolicy.ALWAYS) {
            makeDurable();
        }
        turns.tell(!isDamaged());
    }

    private void makeDurable() throws IOException {
        try {
            syncs.sync();
        } catch (IOException e) {
            trouble.note(e);
            log.moveOn();
        }
    }

    private void pass(List<Barrier> ready) throws IOException {
        for (Barrier barrier : ready) {
            try {
                if (barrier.rotates() && needsNewSegment()) {
                    log.moveOn();
                }
                barrier.passed().complete(log.segmentNumber());
            } catch (IOException e) {
                // A disk without room for a next segment fails the barrier and not the round: the present segment is
                // good.
                barrier.passed().completeExceptionally(e);
                if (log.broken()) {
                    throw e;
                }
            }
        }
    }

    /// A segment without rows is as good as a new one, unless its file is gone.
    private boolean needsNewSegment() {
        return !log.isFresh() || segments.isDamaged(log.segmentNumber());
    }

    /// Why no change may begin, though the round succeeded; null if changes may.
    private @Nullable String reasonToRefuse() {
        String damaged = damage;
        if (damaged != null) {
            return damaged;
        }
        String noSpare = segments.spares().failure();
        if (noSpare != null && log.room() < RESERVE_BYTES) {
            return noSpare;
        }
        return syncHung && syncHangs() ? DiskTrouble.NO_ANSWER : null;
    }

    /// Has the next round write a frame without rows whose durable mark says that all before it is on the disk, where
    /// that is so and no frame says it. For another thread.
    public void writeDurableMark() {
        durableMarkWanted = true;
    }

    /// Sets what is wrong with a file that the next start needs; null if nothing is. For another thread.
    void damaged(@Nullable String damage) {
        this.damage = damage;
    }

    /// Whether a file that the next start needs is damaged. Any thread may ask.
    boolean isDamaged() {
        return damage != null;
    }

    /// Whether a sync hangs: what was written since the last one that succeeded may not survive a crash of the machine.
    private boolean syncHangs() {
        return syncs.anyUnderWay()
                && policy.now() != FsyncPolicy.NO
                && syncs.nanosWithoutSuccess(clock.nanos()) > lostAfterNanos;
    }

    /// Gives up turns that wait too long. To be called once a second, by another thread than the writing one.
    void giveUpOverdue() {
        hangTimer.update(clock.nanos());
        loseOverdue();
    }

    /// Tells turns that the disk has not taken in time that they are lost, though it may take them yet. Called by
    /// another thread than the writing one, which may hang in the disk.
    public void loseOverdue() {
        turns.collect();
        long now = clock.nanos();
        boolean hadTime = hangTimer.isOver(now);
        syncHung = (hadTime || syncHung) && syncHangs();
        if (syncHung || (hadTime && busy && now - busySinceNanos > lostAfterNanos)) {
            trouble.hung();
        }
        if (hadTime) {
            turns.loseOverdue(now - lostAfterNanos);
        }
    }

    /// From now on a write that fails fails the barriers too, which otherwise wait until the disk recovers: a stop of
    /// the node must not wait for room on a full disk.
    void failFast() {
        failingFast = true;
    }

    /// From now on only the journal thread does rounds.
    void end() {
        rounds.lock();
        try {
            ended = true;
        } finally {
            rounds.unlock();
        }
    }

    /// Gives up on all turns: the journal is closed.
    void loseAll() {
        turns.loseAll();
    }
}
