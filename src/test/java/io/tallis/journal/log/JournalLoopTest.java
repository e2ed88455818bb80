package io.tallis.journal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.journal.checkpoint.Ledger;
import io.tallis.journal.checkpoint.SimulatedMachine;
import io.tallis.journal.checkpoint.SimulatedProcess;
import io.tallis.journal.disk.Faults.Fate;
import io.tallis.runtime.Threads;
import io.tallis.testing.Gen;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The journal on a disk that fails, is full, or hangs.
@Timeout(60)
final class JournalLoopTest {
    private static final String FULL = "MISCONF Errors writing to the AOF file: No space left on device";

    private final SimulatedMachine machine = new SimulatedMachine();
    private SimulatedProcess process;
    private SimulatedProcess.Loop loop;

    @BeforeEach
    void start() throws IOException {
        startWith(FsyncPolicy.ALWAYS);
    }

    private void startWith(FsyncPolicy policy) throws IOException {
        process = new SimulatedProcess(machine, policy, new Ledger(), new Gen(3 + machine.starts++));
        loop = process.loops.getFirst();
    }

    @Test
    void turn_whenWritten_isAcknowledged() {
        loop.add("a", 1);
        loop.commit();
        assertThat(loop.written).isZero();

        process.step();

        assertThat(loop.written).isEqualTo(1);
    }

    @Test
    void turns_thatWaitTogether_shareOneWriteAndOneSync() {
        machine.heal();
        for (int i = 0; i < 10; i++) {
            loop.add("a", 1);
            loop.commit();
        }

        process.step();

        assertThat(loop.written).isEqualTo(10);
        assertThat(machine.faults.operations()).hasSize(2);
    }

    @Test
    void everysec_acknowledgesAfterTheWriteWithoutASync() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        machine.heal();

        process.count("a", 1);

        assertThat(loop.written).isEqualTo(1);
        assertThat(process.log.bytesAtRisk()).isPositive();
        assertThat(machine.faults.operations()).singleElement().asString().contains("write");
    }

    @Test
    void commit_withoutChanges_isAcknowledgedInOrder() {
        loop.commit();
        assertThat(loop.written).isEqualTo(1);
        loop.add("a", 1);
        loop.commit();
        loop.commit();
        assertThat(loop.written).isEqualTo(1);

        process.step();

        assertThat(loop.written).isEqualTo(3);
    }

    @Test
    void fullDisk_refusesChangesAndHoldsRepliesUntilThereIsRoom() {
        machine.faults.restart((_, operation) -> operation.startsWith("sync") ? Fate.GOOD : Fate.FAILS);
        process.count("a", 1);
        assertThat(process.trouble.refusal()).isEqualTo(FULL);
        assertThat(loop.written).isZero();
        passTime();
        assertThat(loop.written).isZero();
        machine.heal();

        passTime();

        assertThat(process.trouble.refusal()).isNull();
        assertThat(loop.written).isEqualTo(1);
        assertThat(process.trouble.failuresEver()).isEqualTo(2);
    }

    @Test
    void failedWrites_areRepeatedInPlaceThenInAnotherFile() {
        String first = Segments.nameOf(1);
        machine.faults.restart((_, operation) -> operation.startsWith("write " + first) ? Fate.FAILS : Fate.GOOD);
        process.count("a", 1);
        for (int i = 0; i < 5; i++) {
            assertThat(loop.written).isZero();
            passTime();
        }

        passTime();

        assertThat(loop.written).isEqualTo(1);
        assertThat(process.log.segmentNumber()).isEqualTo(2);
        assertThat(process.trouble.refusal()).isNull();
    }

    @Test
    void retryIntervals_growUpToASecond() {
        machine.faults.restart((_, _) -> Fate.FAILS);
        process.count("a", 1);
        long first = process.trouble.nanosToRetry();
        for (int i = 0; i < 20; i++) {
            passTime();
        }

        assertThat(first).isLessThanOrEqualTo(Duration.ofMillis(20).toNanos());
        assertThat(process.trouble.nanosToRetry())
                .isBetween(
                        Duration.ofMillis(900).toNanos(), Duration.ofSeconds(1).toNanos());
    }

    @Test
    void turn_thatWaitsTooLong_isLostButStillWritten() throws IOException {
        machine.faults.restart((_, _) -> Fate.FAILS);
        process.count("a", 1);
        machine.clock.advance(Duration.ofSeconds(11));

        process.journal.loseOverdue();
        process.journal.loseOverdue();

        assertThat(loop.lost).isEqualTo(1);
        machine.heal();
        passTime();
        assertThat(loop.written).isZero();
        startWith(FsyncPolicy.ALWAYS);
        assertThat(process.value("a")).isEqualTo(1);
    }

    @Test
    void failedSync_underAlways_movesTheFrameToANewSegmentBeforeTheReply() throws IOException {
        String first = Segments.nameOf(1);
        machine.faults.restart((_, operation) -> operation.equals("sync " + first) ? Fate.FAILS : Fate.GOOD);

        process.count("a", 1);

        assertThat(loop.written).isEqualTo(1);
        assertThat(process.log.segmentNumber()).isEqualTo(2);
        machine.losePower(new Gen(1));
        startWith(FsyncPolicy.ALWAYS);
        assertThat(process.value("a")).isEqualTo(1);
    }

    @Test
    void failedSync_afterTheReply_isMadeUpForByTheNextRound() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        String segment = "sync " + Segments.nameOf(process.log.segmentNumber());
        machine.faults.restart((_, operation) -> operation.equals(segment) ? Fate.FAILS : Fate.GOOD);
        process.count("a", 1);
        syncExpectingFailure();

        process.step();

        assertThat(process.log.bytesAtRisk()).isZero();
        machine.losePower(new Gen(1));
        startWith(FsyncPolicy.EVERYSEC);
        assertThat(process.value("a")).isEqualTo(1);
    }

    @Test
    void sync_duringAnIncompleteWrite_coversCompleteFramesOnly() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        process.count("a", 1);
        long whole = process.log.bytesWritten();
        String segment = Segments.nameOf(process.log.segmentNumber());
        machine.faults.restart((number, _) -> number == 1 ? Fate.SHORT : number == 2 ? Fate.FAILS : Fate.GOOD);
        process.count("a", 2);
        process.log.sync();
        machine.faults.restart((_, operation) -> operation.equals("sync " + segment) ? Fate.FAILS : Fate.GOOD);
        passTime();
        syncExpectingFailure();

        process.step();

        assertThat(process.log.bytesWritten()).isGreaterThan(whole);
        machine.heal();
        startWith(FsyncPolicy.EVERYSEC);
        assertThat(process.value("a")).isEqualTo(3);
    }

    @Test
    void segment_almostFullWithoutASpare_refusesChangesUntilThereIsOne() {
        machine.faults.restart((_, operation) -> operation.startsWith("create") ? Fate.FAILS : Fate.GOOD);
        process.segments.spares().prepare(Spares.Filling.UNPAUSED);

        process.count("a", 1);

        assertThat(loop.written).isEqualTo(1);
        assertThat(process.trouble.refusal()).startsWith(FULL + ", making the next segment of");
        machine.heal();
        process.segments.spares().prepare(Spares.Filling.UNPAUSED);
        process.step();
        assertThat(process.trouble.refusal()).isNull();
    }

    @Test
    void turns_beyondTheBound_congestTheirLogOnly() {
        machine.faults.restart((_, _) -> Fate.FAILS);
        for (long i = 0; i <= BufferedTurnLog.CONGESTED_TURNS; i++) {
            assertThat(loop.turns.congested()).isFalse();
            loop.add("a", 1);
            loop.commit();
        }
        assertThat(loop.turns.congested()).isTrue();
        assertThat(process.loops.getLast().turns.congested()).isFalse();
        machine.heal();

        passTime();

        assertThat(loop.turns.congested()).isFalse();
        assertThat(loop.written).isEqualTo((int) BufferedTurnLog.CONGESTED_TURNS + 1);
    }

    @Test
    void bytes_beyondTheBound_congestTheLog() {
        String key = "k".repeat(60_000);
        for (long bytes = 0; bytes < BufferedTurnLog.CONGESTED_BYTES; bytes += key.length()) {
            assertThat(loop.turns.congested()).isFalse();
            loop.add(key, 1);
            loop.commit();
        }
        assertThat(loop.turns.congested()).isTrue();

        process.step();

        assertThat(loop.turns.congested()).isFalse();
        assertThat(loop.written).isEqualTo(70);
    }

    @Test
    void largeTurn_isWrittenInPartsAndAcknowledgedOnce() throws IOException {
        int keys = 40_000;
        for (int i = 0; i < keys; i++) {
            loop.add("key-" + i, 1);
        }
        loop.commit();

        process.step();

        assertThat(loop.written).isEqualTo(1);
        startWith(FsyncPolicy.ALWAYS);
        assertThat(process.keyspace.keys()).isEqualTo(keys);
    }

    @Test
    void largeGroup_isOneFrame() throws IOException {
        String key = "k".repeat(60_000);
        loop.turns.beginGroup();
        for (int i = 0; i < 12; i++) {
            loop.add(i + key, 1);
        }
        loop.turns.endGroup();
        loop.commit();

        process.step();

        assertThat(loop.written).isEqualTo(1);
        machine.disk.wipe(Segments.nameOf(1), (int) process.log.bytesWritten() - 1);
        startWith(FsyncPolicy.ALWAYS);
        assertThat(process.keyspace.keys()).isZero();
    }

    @Test
    void turn_ofFourMegabytes_isLongUntilItEnds() {
        String key = "k".repeat(60_000);
        List<Boolean> before = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            before.add(loop.turns.isLong());
            loop.add(i + key, 1);
        }
        boolean after = loop.turns.isLong();

        loop.commit();

        assertThat(before.subList(0, 70)).containsOnly(false);
        assertThat(after).isTrue();
        assertThat(loop.turns.isLong()).isFalse();
    }

    @Test
    void hangingWrite_blocksNoOtherThreadAndIsGivenUpInTime() throws InterruptedException {
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch disk = new CountDownLatch(1);
        machine.faults.restart((_, _) -> {
            writing.countDown();
            await(disk);
            return Fate.GOOD;
        });
        loop.add("a", 1);
        loop.commit();
        Thread journal = Threads.start("journal", process::step);
        writing.await();
        loop.add("a", 1);
        loop.commit();
        machine.clock.advance(Duration.ofSeconds(5));
        process.journal.loseOverdue();
        assertThat(process.trouble.refusal()).isNull();
        machine.clock.advance(Duration.ofSeconds(6));

        process.journal.loseOverdue();

        assertThat(process.trouble.refusal()).contains("the disk does not answer");
        assertThat(loop.lost).isEqualTo(1);
        disk.countDown();
        journal.join();
        assertThat(process.trouble.refusal()).isNull();
        assertThat(loop.written).isEqualTo(1);
    }

    /// Another thread may just be ending a round.
    @Test
    void refusalForGood_outlivesASuccessfulRound() {
        process.trouble.refuseForEver("the journal has stopped");

        process.count("a", 1);

        assertThat(process.trouble.refusal()).contains("the journal has stopped");
    }

    /// The disk had no time to answer either.
    @Test
    void turns_afterThePauseOfAProcess_areNotOverdue() {
        machine.faults.restart((_, _) -> Fate.FAILS);
        process.count("a", 1);
        look(Duration.ofSeconds(1));

        look(Duration.ofSeconds(60));
        for (int i = 0; i < 9; i++) {
            look(Duration.ofSeconds(1));
        }
        assertThat(loop.lost).isZero();

        look(Duration.ofSeconds(1));
        look(Duration.ofSeconds(1));
        assertThat(loop.lost).isEqualTo(1);
    }

    @Test
    void sync_afterThePauseOfAProcess_isNotTakenForHanging() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        Syncs syncs = process.journal.syncs();
        long began = syncs.begin();
        look(Duration.ofSeconds(1));

        machine.clock.advance(Duration.ofSeconds(60));
        process.count("a", 1);
        look(Duration.ZERO);
        process.count("a", 1);
        assertThat(process.trouble.refusal()).isNull();
        assertThat(process.trouble.lastFailure()).isNull();

        for (int i = 0; i < 11; i++) {
            look(Duration.ofSeconds(1));
        }
        assertThat(process.trouble.refusal()).endsWith("the disk does not answer");

        // What is known of it is not forgotten.
        look(Duration.ofSeconds(60));
        process.count("a", 1);
        assertThat(process.trouble.refusal()).endsWith("the disk does not answer");
        syncs.end(began);
    }

    @Test
    void hangingDisk_isNoticedInAProcessThatPausesAgainAndAgain() {
        machine.faults.restart((_, _) -> Fate.FAILS);
        process.count("a", 1);

        for (int i = 0; i < 8; i++) {
            look(Duration.ofSeconds(4));
        }

        assertThat(loop.lost).isEqualTo(1);
    }

    private void look(Duration later) {
        machine.clock.advance(later);
        process.journal.giveUpOverdue();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void barrier_completesWhenEveryTurnBeforeItIsWritten() {
        SimulatedProcess.Loop busy = process.loops.getLast();
        busy.add("a", 1);
        Barrier barrier = process.newBarrier(false);
        process.journal.request(barrier);
        process.count("b", 1);
        process.count("b", 1);
        assertThat(barrier.passed()).isNotDone();
        busy.commit();
        assertThat(barrier.passed()).isNotDone();

        process.step();

        assertThat(barrier.passed()).isCompletedWithValue(1L);
        assertThat(busy.written).isEqualTo(1);
    }

    @Test
    void barrier_doesNotWaitForTurnsThatBeganLater() {
        SimulatedProcess.Loop busy = process.loops.getLast();
        busy.add("a", 1);
        Barrier barrier = process.newBarrier(true);
        process.journal.request(barrier);
        busy.commit();
        busy.add("a", 1);

        process.step();

        assertThat(barrier.passed()).isCompletedWithValue(2L);
    }

    @Test
    void barrier_waitsForTheDisk() {
        machine.faults.restart((_, _) -> Fate.FAILS);
        loop.add("a", 1);
        Barrier barrier = process.newBarrier(false);
        process.journal.request(barrier);
        loop.commit();
        process.step();
        assertThat(barrier.passed()).isNotDone();
        machine.heal();

        passTime();

        assertThat(barrier.passed()).isDone();
    }

    @Test
    void close_losesTurnsThatTheDiskNeverTook() {
        machine.faults.restart((_, _) -> Fate.FAILS);
        process.count("a", 1);
        loop.add("a", 1);
        loop.commit();

        process.journal.loseAll();

        assertThat(loop.lost).isEqualTo(2);
    }

    @Test
    void shortStep_onAHealthyDisk_writesAndAcknowledges() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        handOver();

        assertThat(process.shortStep()).isTrue();

        assertThat(loop.written).isEqualTo(1);
        startWith(FsyncPolicy.EVERYSEC);
        assertThat(process.value("a")).isEqualTo(1);
    }

    @Test
    void shortStep_thatWouldSync_isLeftToTheJournalThread() {
        handOver();

        assertThat(process.shortStep()).isFalse();

        assertThat(loop.written).isZero();
    }

    @Test
    void shortStep_whileASyncHangs_isLeftToTheJournalThread() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        Syncs syncs = process.journal.syncs();
        long began = syncs.begin();
        handOver();
        assertThat(process.journal.shortStep()).isTrue();
        machine.clock.advance(Duration.ofMillis(11));
        handOver();

        assertThat(process.journal.shortStep()).isFalse();

        syncs.end(began);
        assertThat(process.journal.shortStep()).isTrue();
        assertThat(loop.written).isEqualTo(2);
    }

    @Test
    void hangingSync_hasChangesRefusedUntilItReturns() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        Syncs syncs = process.journal.syncs();
        long began = syncs.begin();
        process.count("a", 1);
        machine.clock.advance(Duration.ofSeconds(9));
        process.journal.loseOverdue();
        String soon = process.trouble.refusal();
        machine.clock.advance(Duration.ofSeconds(2));
        process.journal.loseOverdue();
        process.count("a", 1);
        String late = process.trouble.refusal();

        syncs.end(began);
        process.step();

        assertThat(soon).isNull();
        assertThat(late).endsWith("the disk does not answer");
        assertThat(loop.written).isEqualTo(2);
        assertThat(process.trouble.refusal()).isNull();
    }

    @Test
    void overlappingSyncs_thatSucceed_doNotRefuseChanges() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        Syncs syncs = process.journal.syncs();
        long oldest = syncs.begin();
        for (int i = 0; i < 20; i++) {
            process.count("a", 1);
            machine.clock.advance(Duration.ofSeconds(1));
            syncs.sync();
            process.journal.loseOverdue();
        }

        assertThat(process.trouble.refusal()).isNull();
        syncs.end(oldest);
    }

    @Test
    void syncOfAStep_countsInTheStatistics() {
        machine.faults.restart((_, operation) -> {
            if (operation.startsWith("sync")) {
                machine.clock.advance(Duration.ofSeconds(2));
            }
            return Fate.GOOD;
        });
        handOver();

        process.step();

        assertThat(process.journal.syncs().lastNanos()).isEqualTo(machine.clock.nanos());
        assertThat(process.journal.syncs().late()).isEqualTo(1);
        assertThat(process.journal.syncs().anyUnderWay()).isFalse();
    }

    @Test
    void shortStep_longAfterASyncBeganToHang_isLeftToTheJournalThread() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        long _ = process.journal.syncs().begin();
        machine.clock.advance(Duration.ofSeconds(3));
        handOver();

        assertThat(process.journal.shortStep()).isFalse();
    }

    @Test
    void shortStep_whoseSegmentFailsMeanwhile_isAcknowledgedFromTheNextSegment() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        process.count("a", 1);
        long number = process.log.segmentNumber();
        String segment = Segments.nameOf(number);
        handOver();
        machine.faults.restart((_, operation) -> {
            if (operation.startsWith("write " + segment)) {
                machine.faults.restart((_, then) -> then.equals("sync " + segment) ? Fate.FAILS : Fate.GOOD);
                syncExpectingFailure();
                machine.heal();
            }
            return Fate.GOOD;
        });

        assertThat(process.journal.shortStep()).isFalse();
        assertThat(loop.written).isEqualTo(1);

        process.step();
        assertThat(loop.written).isEqualTo(2);
        assertThat(process.log.segmentNumber()).isEqualTo(number + 1);
    }

    @Test
    void shortStep_whileTheJournalThreadWrites_doesNotWait() throws Exception {
        startWith(FsyncPolicy.EVERYSEC);
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch disk = new CountDownLatch(1);
        machine.faults.restart((_, _) -> {
            writing.countDown();
            await(disk);
            return Fate.GOOD;
        });
        handOver();
        Thread journal = Threads.start("journal", process.journal::step);
        writing.await();
        handOver();

        assertThat(process.journal.shortStep()).isFalse();

        disk.countDown();
        journal.join();
        assertThat(loop.written).isEqualTo(1);
        assertThat(process.journal.shortStep()).isTrue();
        assertThat(loop.written).isEqualTo(2);
    }

    @Test
    void shortStep_afterAVerySlowWrite_isRefusedForFiftyTimesAsLong() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        shortStepThatTakes(Duration.ofMillis(100));
        machine.clock.advance(Duration.ofMillis(4_990));
        handOver();
        assertThat(process.shortStep()).isFalse();
        machine.clock.advance(Duration.ofMillis(10));

        assertThat(process.shortStep()).isTrue();

        assertThat(loop.written).isEqualTo(2);
    }

    @Test
    void shortStep_afterOneThatTookTenMilliseconds_isStillShort() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        shortStepThatTakes(Duration.ofMillis(10));
        handOver();

        assertThat(process.shortStep()).isTrue();
    }

    @Test
    void shortStep_onADiskThatIsAlwaysABitSlow_isGivenUpSoon() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        int taken = 0;
        machine.faults.restart((_, _) -> {
            machine.clock.advance(Duration.ofMillis(1));
            return Fate.GOOD;
        });
        do {
            taken++;
            handOver();
        } while (process.shortStep() && taken < 100);

        assertThat(taken).isBetween(10, 30);
    }

    private void shortStepThatTakes(Duration time) {
        machine.faults.restart((_, _) -> {
            machine.clock.advance(time);
            return Fate.GOOD;
        });
        handOver();
        assertThat(process.shortStep()).isTrue();
        machine.heal();
    }

    @Test
    void shortStep_thatFails_isTriedAgainByTheJournalThread() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        machine.faults.restart((_, _) -> Fate.FAILS);
        handOver();
        assertThat(process.shortStep()).isFalse();
        assertThat(process.trouble.refusal()).isEqualTo(FULL);
        machine.heal();
        machine.clock.advance(Duration.ofSeconds(1));
        assertThat(process.shortStep()).isFalse();

        process.step();

        assertThat(loop.written).isEqualTo(1);
        assertThat(process.trouble.refusal()).isNull();
    }

    @Test
    void shortStep_withMoreThanFitsTheSegment_isLeftToTheJournalThread() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        process.count("a", 1);
        loop.add("k".repeat((int) SimulatedProcess.SEGMENT_BYTES), 1);
        loop.commit();

        assertThat(process.shortStep()).isFalse();

        process.step();
        assertThat(loop.written).isEqualTo(2);
        assertThat(process.log.segmentNumber()).isEqualTo(3);
    }

    @Test
    void shortStep_besideABarrier_isLeftToTheJournalThread() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        Barrier barrier = process.newBarrier(true);
        process.journal.request(barrier);
        handOver();

        assertThat(process.shortStep()).isFalse();

        process.step();
        assertThat(barrier.passed()).isDone();
        assertThat(loop.written).isEqualTo(1);
    }

    @Test
    void shortStep_afterTheEnd_writesNothing() throws IOException {
        startWith(FsyncPolicy.EVERYSEC);
        handOver();
        process.journal.end();

        assertThat(process.shortStep()).isFalse();

        assertThat(loop.written).isZero();
    }

    private void handOver() {
        loop.add("a", 1);
        loop.commit();
    }

    private void passTime() {
        machine.clock.advance(Duration.ofSeconds(1));
        process.step();
    }

    private void syncExpectingFailure() {
        try {
            process.log.sync();
            throw new AssertionError("the sync did not fail");
        } catch (IOException e) {
            assertThat(process.log.broken()).isTrue();
        }
    }
}
