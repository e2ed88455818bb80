package io.tallis.journal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.SimulatedDisk;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/// A round by an event loop while others hand over turns.
final class ShortRoundTest {
    private static final JournalSettings SETTINGS = new JournalSettings(null, 1 << 20, 1 << 22, 10);
    private static final int LONG_KEY = 60_000;

    private final AtomicReference<Runnable> whenTheRoundBegins = new AtomicReference<>(() -> {});
    private final Replicas replicas = new Replicas(new ReplicaId(1, 2));
    private final Keyspace keyspace = new Keyspace(replicas, () -> 7, () -> 1_000_000);
    private final TurnLogs logs = new TurnLogs(replicas);
    private final AtomicReference<FsyncPolicy> policy = new AtomicReference<>(FsyncPolicy.EVERYSEC);
    private LogWriter log;

    @Test
    void turns_collectedAfterTheRoundBegan_areLeftToTheJournalThread() throws IOException {
        JournalLoop loop = loop();
        Told first = new Told();
        Told second = new Told();
        count(logs.newLog(), 1, first);
        TurnLog other = logs.newLog();
        whenTheRoundBegins.set(() -> {
            whenTheRoundBegins.set(() -> {});
            count(other, 2, second);
            loop.loseOverdue();
        });

        boolean done = loop.shortStep();

        assertThat(done).isFalse();
        assertThat(first.isWritten()).isTrue();
        assertThat(second.isWritten()).isFalse();
        loop.step();
        assertThat(second.isWritten()).isTrue();
    }

    @Test
    void turnThatMadeThePolicyAlways_isAcknowledgedWhenItIsSynced() throws IOException {
        JournalLoop loop = loop();
        Told told = new Told();
        count(logs.newLog(), 1, told);
        whenTheRoundBegins.set(() -> {
            whenTheRoundBegins.set(() -> {});
            policy.set(FsyncPolicy.ALWAYS);
        });

        boolean done = loop.shortStep();

        assertThat(done).isFalse();
        assertThat(told.isWritten()).isFalse();
        loop.step();
        assertThat(told.isWritten()).isTrue();
        assertThat(log.bytesAtRisk()).isZero();
    }

    private JournalLoop loop() throws IOException {
        Segments segments = new Segments(new SimulatedDisk(new Faults()), SETTINGS);
        log = new LogWriter(segments, replicas.own(), () -> 7, 1, 0);
        ClockThatTells clock = new ClockThatTells();
        DiskTrouble trouble = new DiskTrouble(clock);
        JournalLoop loop = new JournalLoop(log, segments, logs.inbox(), trouble, SETTINGS, policy::get, clock);
        clock.asked = 0;
        return loop;
    }

    /// A turn of so many long rows.
    private void count(TurnLog log, int rows, Told told) {
        Counters counters = new Counters(keyspace, log);
        for (int i = 0; i < rows; i++) {
            counters.add(Key.of((i + "k".repeat(LONG_KEY)).getBytes(StandardCharsets.US_ASCII)), 1);
        }
        log.commit(told);
    }

    /// Time stands still. When a round begins, with the turns counted, it is asked for the fourth time: to know whether
    /// the disk is calm before and after the turns are collected, and when they came.
    private final class ClockThatTells implements Clock {
        private static final int BEGINS = 4;

        private int asked;

        @Override
        public long nanos() {
            if (++asked == BEGINS) {
                whenTheRoundBegins.get().run();
            }
            return 0;
        }

        @Override
        public long epochMillis() {
            return 0;
        }
    }
}
