package io.tallis.journal.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.checkpoint.SimulatedCellStore;
import io.tallis.journal.checkpoint.SimulatedGenerations;
import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.SimulatedDisk;
import io.tallis.journal.log.JournalSettings;
import io.tallis.journal.log.Segments;
import io.tallis.keyspace.CellVisitor;
import io.tallis.keyspace.Fold;
import io.tallis.keyspace.Keyspace;
import io.tallis.testing.FakeClock;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class RecoveryTest {
    private static final JournalSettings SETTINGS = new JournalSettings(null, 1 << 16, 1 << 18, 10);
    private static final Set<Thread.State> OVER = EnumSet.of(Thread.State.WAITING, Thread.State.TERMINATED);

    private static final Fold FOLD = Fold.proposal(new UUID(1, 1), List.of(new ReplicaId(2, 2), new ReplicaId(3, 3)))
            .made(5);

    private final Keyspace keyspace = new Keyspace(new Replicas(new ReplicaId(1, 1)), () -> 7, () -> 1_000_000);

    /// The database is closed after a failure, when no thread may be in it.
    @Test
    @Timeout(60)
    void run_whenALoaderFails_waitsForTheOthers() throws Exception {
        DamagedStore store = new DamagedStore();
        Segments segments = new Segments(new SimulatedDisk(new Faults()), SETTINGS);
        Recovery recovery = new Recovery(generations(store), segments, keyspace, new Loading(new FakeClock()), 3);

        Thread runner = Thread.ofPlatform()
                .unstarted(() -> assertThatThrownBy(() -> recovery.run(() -> 7)).isInstanceOf(DamagedException.class));
        store.runner = runner;
        runner.start();
        store.slowIsDone.await();
        runner.join();

        assertThat(store.leftBehind).isFalse();
    }

    private static SimulatedGenerations generations(SimulatedCellStore store) {
        SimulatedGenerations generations = new SimulatedGenerations(new Faults());
        generations.add(1, store);
        return generations;
    }

    @Test
    void run_withShardsOfAFoldWithoutItsNote_failsAndWithItStarts() throws Exception {
        keyspace.replicas().numberOf(FOLD.id());
        SimulatedCellStore store = new SimulatedCellStore(new Faults());
        Segments segments = new Segments(new SimulatedDisk(new Faults()), SETTINGS);
        Recovery recovery = new Recovery(generations(store), segments, keyspace, new Loading(new FakeClock()), 1);

        assertThatThrownBy(() -> recovery.run(() -> 7))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("folded");
        store.writeNotes(FOLD.note());

        assertThat(recovery.run(() -> 7)).isNotNull();
    }

    /// One thread finds damage, another is slow, and the runner finds nothing wrong.
    private static final class DamagedStore extends SimulatedCellStore {
        private final CountDownLatch bothAreIn = new CountDownLatch(2);
        private final CountDownLatch slowIsDone = new CountDownLatch(1);
        private volatile @Nullable Thread runner;
        private volatile @Nullable Thread failing;
        private volatile boolean leftBehind;

        DamagedStore() {
            super(new Faults());
        }

        @Override
        public void load(int from, int to, Replicas replicas, CellVisitor visitor) throws IOException {
            try {
                switch (Thread.currentThread().getName()) {
                    case "loader-1" -> {
                        failing = Thread.currentThread();
                        meet();
                        throw new DamagedException("a block is damaged");
                    }
                    case "loader-2" -> {
                        meet();
                        beSlow();
                    }
                    default -> {
                        bothAreIn.await();
                        failing.join();
                    }
                }
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        private void meet() throws InterruptedException {
            bothAreIn.countDown();
            bothAreIn.await();
        }

        /// Until the runner waits, or has ended too early.
        private void beSlow() throws InterruptedException {
            failing.join();
            while (!OVER.contains(runner.getState())) {
                Thread.onSpinWait();
            }
            leftBehind = runner.getState() == Thread.State.TERMINATED;
            slowIsDone.countDown();
        }
    }
}
