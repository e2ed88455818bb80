package io.tallis.journal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.disk.DiskFile;
import io.tallis.journal.disk.HangingDisk;
import io.tallis.journal.disk.NioDisk;
import io.tallis.journal.disk.PassingDisk;
import io.tallis.journal.disk.PassingFile;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The journal with its threads, on a real directory.
@Timeout(60)
final class JournalTest {
    private static final int SEGMENT_BYTES = 1 << 14;
    private static final int CHECKPOINT_BYTES = 128;

    private final Replicas replicas = new Replicas(new ReplicaId(1, 2));
    private final Keyspace keyspace = new Keyspace(replicas, () -> 7, () -> 1_000_000);
    private final TurnLogs logs = new TurnLogs(replicas);
    private final TurnLog turns = logs.newLog();
    private final Counters counters = new Counters(keyspace, turns);

    @TempDir
    private Path directory;

    @Test
    void turn_withThePolicyEverysec_isSyncedSoon() throws IOException {
        try (Journal journal = open(1 << 20, () -> {})) {
            Told told = count();

            await().until(() -> told.isWritten() && journal.bytesAtRisk() == 0);
        }
    }

    /// What was acknowledged under another policy is kept as the present one promises.
    @Test
    void policyThatBecomesAlways_syncsEarlierWrites() throws IOException {
        AtomicReference<FsyncPolicy> policy = new AtomicReference<>(FsyncPolicy.NO);
        try (Journal journal = open(policy::get)) {
            Told told = count();
            await().until(told::isWritten);
            long before = journal.bytesAtRisk();

            policy.set(FsyncPolicy.ALWAYS);

            await().until(() -> journal.bytesAtRisk() == 0);
            assertThat(before).isPositive();
        }
    }

    @Test
    void sync_withNothingWrittenAfterIt_getsOneFrameWithADurableMark() throws IOException {
        AtomicReference<FsyncPolicy> policy = new AtomicReference<>(FsyncPolicy.NO);
        try (Journal journal = open(policy::get)) {
            Told told = count();
            await().until(told::isWritten);
            long written = journal.growth().bytesNeeded();

            policy.set(FsyncPolicy.EVERYSEC);

            await().until(() -> journal.growth().bytesNeeded() > written && journal.bytesAtRisk() == 0);
            await().during(3, TimeUnit.SECONDS)
                    .until(() -> journal.growth().bytesNeeded() == written + LogFrame.HEADER);
        }
    }

    @Test
    void spare_isMadeInAdvance() throws IOException {
        try (Journal _ = open(1 << 20, () -> {})) {
            await().until(() ->
                    new NioDisk(directory, () -> {}).names().stream().anyMatch(name -> name.endsWith(".spare")));
        }
    }

    @Test
    void mistakeOfOurs_onTheJournalThread_refusesChangesAndLosesWhatWaits() throws IOException {
        Runnable mistake = () -> {
            throw new IllegalStateException("made by a test");
        };
        Told later;
        try (Journal journal = open(1, mistake)) {
            await().dontCatchUncaughtExceptions().until(() -> journal.refusal() != null);
            later = count();

            assertThat(journal.refusal()).contains("the journal has stopped");
        }
        assertThat(later.isLost()).isTrue();
    }

    @Test
    void mistakeOfOurs_onAThreadThatHandsOver_refusesChanges() throws IOException {
        Runnable mistake = () -> {
            throw new IllegalStateException("made by a test");
        };
        try (Journal journal = open(1_000, mistake)) {
            for (int i = 0; i < 1_000; i++) {
                count();
            }

            await().dontCatchUncaughtExceptions().until(() -> journal.refusal() != null);
            assertThat(journal.refusal()).contains("the journal has stopped");
        }
    }

    @Test
    void spareThatCannotBeMade_isRepeatedOnceASecond() throws Exception {
        FullDisk disk = new FullDisk(directory);
        JournalSettings settings = new JournalSettings(directory, 1 << 20, 1 << 22, 10);
        Segments segments = new Segments(disk, settings);
        LogWriter log = new LogWriter(segments, replicas.own(), () -> 7, 1, 0);
        disk.isFull = true;
        Live<FsyncPolicy> policy = Live.fixed(FsyncPolicy.EVERYSEC);
        try (Journal journal = new Journal(log, segments, logs, settings, policy, Clock.system(), () -> {})) {
            journal.start();
            await().until(() -> segments.spares().failure() != null);
            for (int i = 0; i < 100; i++) {
                count();
            }

            assertThat(disk.refused.get()).isLessThan(5);
        }
    }

    /// As `SAVE` and checkpoints ask for.
    @Test
    void newSegment_onAFullDisk_isRefusedSoonAndWithTheReason() throws IOException {
        HangingDisk disk = new HangingDisk(directory);
        JournalSettings settings = new JournalSettings(directory, SEGMENT_BYTES, 1 << 20, 1);
        Segments segments = new Segments(disk, settings);
        LogWriter log = new LogWriter(segments, replicas.own(), () -> 7, 1, 0);
        Live<FsyncPolicy> policy = Live.fixed(FsyncPolicy.EVERYSEC);
        try (Journal journal = new Journal(log, segments, logs, settings, policy, Clock.system(), () -> {})) {
            journal.start();
            disk.fill();
            count();
            await().until(() -> journal.refusal() != null);
            long begin = System.nanoTime();

            assertThatThrownBy(journal::rotate).hasMessageContaining("No space left on device");

            assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(20));
        }
    }

    /// Checkpoints that fail while nothing is counted would fill the disk otherwise.
    @Test
    void newSegment_isBegunOnlyBehindRows() throws IOException {
        try (Journal journal = open(1 << 20, () -> {})) {
            long first = journal.rotate();
            assertThat(journal.rotate()).isEqualTo(first);

            Told told = count();
            await().until(told::isWritten);

            assertThat(journal.rotate()).isEqualTo(first + 1);
            long before = journal.growth().bytesNeeded();
            journal.release(first + 1);
            assertThat(journal.growth().bytesNeeded())
                    .isEqualTo(SegmentHead.BYTES)
                    .isLessThan(before);
        }
    }

    /// Otherwise no checkpoint would make the missing one needless.
    @Test
    void newSegment_isBegunWhenTheFileOfThePresentOneIsGone() throws IOException {
        try (Journal journal = open(1 << 20, () -> {})) {
            long first = journal.rotate();
            new NioDisk(directory, () -> {}).delete(Segments.nameOf(first));

            assertThat(journal.rotate()).isEqualTo(first + 1);
        }
    }

    @Test
    void failedBackgroundSync_isCounted() throws IOException {
        var disk = new DiskWithAFailingSync(directory);
        JournalSettings settings = new JournalSettings(directory, SEGMENT_BYTES, 1 << 20, 10);
        Segments segments = new Segments(disk, settings);
        LogWriter log = new LogWriter(segments, replicas.own(), () -> 7, 1, 0);
        Live<FsyncPolicy> policy = Live.fixed(FsyncPolicy.EVERYSEC);
        try (Journal journal = new Journal(log, segments, logs, settings, policy, Clock.system(), () -> {})) {
            journal.start();
            await().until(segments.spares()::isReady);
            disk.fails = true;
            count();

            await().until(() -> journal.failures() > 0);

            assertThat(journal.lastFailure()).isEqualTo("Input/output error");
            await().until(() -> journal.bytesAtRisk() == 0 && log.segmentNumber() > 1);
        }
    }

    @Test
    void checkpoint_whileOtherNodesFillThisOne_isDueLater() throws IOException {
        AtomicInteger due = new AtomicInteger();
        try (Journal journal = open(CHECKPOINT_BYTES, due::incrementAndGet)) {
            journal.filling(true);
            countUntil(() -> journal.growth().bytesSinceCheckpoint() > 2 * CHECKPOINT_BYTES);
            assertThat(due).hasValue(0);

            journal.filling(false);
            await().until(() -> due.get() > 0);
        }
    }

    @Test
    void checkpoint_whileOtherNodesFillThisOne_isDueAtFourTimesTheSize() throws IOException {
        AtomicInteger due = new AtomicInteger();
        try (Journal journal = open(CHECKPOINT_BYTES, due::incrementAndGet)) {
            journal.filling(true);
            countUntil(() -> due.get() > 0);

            assertThat(journal.growth().bytesSinceCheckpoint()).isGreaterThan(4 * CHECKPOINT_BYTES);
        }
    }

    private void countUntil(BooleanSupplier enough) {
        while (!enough.getAsBoolean()) {
            Told told = count();
            await().until(told::isWritten);
        }
    }

    private Told count() {
        Told told = new Told();
        counters.add(Key.of(new byte[] {'a'}), 1);
        turns.commit(told);
        return told;
    }

    private Journal open(Live<FsyncPolicy> policy) throws IOException {
        JournalSettings settings = new JournalSettings(directory, SEGMENT_BYTES, 1 << 20, 10);
        Segments segments = new Segments(new NioDisk(directory, () -> {}), settings);
        LogWriter log = new LogWriter(segments, replicas.own(), () -> 7, 1, 0);
        Journal journal = new Journal(log, segments, logs, settings, policy, Clock.system(), () -> {});
        journal.start();
        return journal;
    }

    private Journal open(long checkpointBytes, Runnable checkpointDue) throws IOException {
        JournalSettings settings = new JournalSettings(directory, SEGMENT_BYTES, checkpointBytes, 10);
        Segments segments = new Segments(new NioDisk(directory, () -> {}), settings);
        LogWriter log = new LogWriter(segments, replicas.own(), () -> 7, 1, 0);
        Live<FsyncPolicy> policy = Live.fixed(FsyncPolicy.EVERYSEC);
        Journal journal = new Journal(log, segments, logs, settings, policy, Clock.system(), checkpointDue);
        journal.start();
        return journal;
    }

    @Test
    void checkpoints_areNotThrottledWhereTheJournalOutgrowsItsBound() throws Exception {
        try (Journal journal = open(0, () -> {})) {
            assertThat(journal.hasTime()).isFalse();
        }
    }

    @Test
    void damage_refusesChangesAndThrottling_untilItIsOver() throws Exception {
        try (Journal journal = open(1 << 20, () -> {})) {
            assertThat(journal.hasTime()).isTrue();

            journal.damaged("a file is gone");

            assertThat(journal.hasTime()).isFalse();
            assertThat(journal.refusal()).isEqualTo("MISCONF Errors writing to the AOF file: a file is gone");
            Told told = count();
            await().until(told::isLost);

            journal.damaged(null);
            await().until(() -> journal.refusal() == null);
        }
    }

    @Test
    void stop_refusesChangesForGoodAndAcknowledgesNothing() throws Exception {
        try (Journal journal = open(1 << 20, () -> {})) {
            journal.stop("the directory is gone");

            Told told = count();

            journal.damaged(null);
            assertThat(journal.refusal()).endsWith("the directory is gone");
            assertThat(told.isWritten()).isFalse();
        }
    }

    /// A disk that can be made to have no room for further files.
    private static final class FullDisk extends PassingDisk {
        private final AtomicInteger refused = new AtomicInteger();
        private volatile boolean isFull;

        FullDisk(Path directory) {
            super(directory);
        }

        @Override
        public DiskFile create(String name) throws IOException {
            if (isFull) {
                refused.incrementAndGet();
                throw new IOException("No space left on device");
            }
            return super.create(name);
        }
    }

    /// A disk of which one sync behind the journal's thread fails.
    private static final class DiskWithAFailingSync extends PassingDisk {
        private volatile boolean fails;

        DiskWithAFailingSync(Path directory) {
            super(directory);
        }

        @Override
        public DiskFile create(String name) throws IOException {
            return failing(super.create(name));
        }

        @Override
        public DiskFile open(String name) throws IOException {
            return failing(super.open(name));
        }

        private DiskFile failing(DiskFile file) {
            return new PassingFile(file) {
                @Override
                public void sync() throws IOException {
                    if (fails && Thread.currentThread().getName().equals("journal-sync")) {
                        fails = false;
                        throw new IOException("Input/output error");
                    }
                    super.sync();
                }
            };
        }
    }
}
