package io.tallis.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.checkpoint.SimulatedCellStore;
import io.tallis.journal.disk.DataDirectory;
import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.Faults.Fate;
import io.tallis.journal.disk.HangingDisk;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.journal.log.JournalSettings;
import io.tallis.journal.log.Told;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A stop waits for the disk only so long.
@Timeout(60)
final class StorageEndTest {
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Logger LOGGER = Logger.getLogger("io.tallis.journal");

    private final AtomicLong random = new AtomicLong(7);
    private final Faults faults = new Faults();
    private final SimulatedCellStore store = new SimulatedCellStore(faults);
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final Handler handler = new Recorder();
    private HangingDisk disk;
    private Keyspace keyspace;
    private TurnLog turns;

    @TempDir
    private Path directory;

    @BeforeEach
    void listen() {
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void release() {
        LOGGER.removeHandler(handler);
        disk.answer();
        await().until(this::isFree);
        assertThat(store.closedInUse()).isFalse();
    }

    /// Whether the last thread has left the directory.
    private boolean isFree() {
        try {
            DataDirectory.open(directory, random::incrementAndGet).close();
            return true;
        } catch (IOException inUse) {
            return false;
        }
    }

    @Test
    void end_onAGoodDisk_hasAllWrittenAndRefusesBeforeIt() throws IOException {
        Storage storage = start();
        count();
        List<String> refused = new CopyOnWriteArrayList<>();

        assertThat(storage.end(LONG, () -> refused.add("refused"))).isTrue();

        assertThat(refused).hasSize(1);
        assertThat(valueAfterRestart()).isEqualTo(1);
    }

    @Test
    void end_onADiskThatHangs_leavesItInTimeAndSaysWhatMayBeLost() throws IOException {
        Storage storage = start();
        count();
        disk.hang();
        List<String> refused = new CopyOnWriteArrayList<>();

        assertThat(storage.end(SHORT, () -> refused.add("refused"))).isFalse();

        assertThat(refused).hasSize(1);
        assertThat(log).anyMatch(line -> line.startsWith("the disk has not answered for"));
    }

    @Test
    void end_onAFullDisk_doesNotWaitForRoomAndLosesNothingAcknowledged() throws IOException {
        Storage storage = start();
        count();
        disk.fill();
        Told told = new Told();
        new Counters(keyspace, turns).add(key(), 1);
        turns.commit(told);

        assertThat(storage.end(LONG, () -> {})).isTrue();

        assertThat(told.isWritten()).isFalse();
        assertThat(log)
                .anyMatch(line -> line.startsWith("ended without a checkpoint: No space left on device. What was"))
                .noneMatch(line -> line.contains("has not answered") || line.startsWith("no checkpoint within"));
        assertThat(log).filteredOn(line -> line.contains("checkpoint")).hasSize(1);
        assertThat(valueAfterRestart()).isEqualTo(1);
    }

    @Test
    void end_inAnEndlessCheckpoint_givesItUpAndLosesNothing() throws IOException {
        Storage storage = start();
        count();
        CountDownLatch slow = slowWrites();

        storage.end(SHORT, slow::countDown);

        await().until(this::isFree);
        assertThat(log)
                .filteredOn(line -> line.contains("checkpoint"))
                .singleElement()
                .asString()
                .startsWith("no checkpoint within");
        assertThat(valueAfterRestart()).isEqualTo(1);
    }

    @Test
    void end_whileACheckpointIsWriting_leavesTheDatabaseOpenUntilItHasWritten() throws IOException {
        Storage storage = start();
        count();
        CountDownLatch slow = slowWrites();
        int closings = store.closings();

        assertThat(storage.end(SHORT, () -> {})).isFalse();
        assertThat(store.closings()).isEqualTo(closings);
        slow.countDown();

        await().until(() -> store.closings() > closings);
        await().until(this::isFree);
        assertThat(valueAfterRestart()).isEqualTo(1);
    }

    /// Has writes to the database wait for what is returned.
    private CountDownLatch slowWrites() {
        CountDownLatch slow = new CountDownLatch(1);
        faults.restart((_, operation) -> {
            if (operation.startsWith("write rows")) {
                awaitLatch(slow);
            }
            return Fate.GOOD;
        });
        return slow;
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Storage start() throws IOException {
        Replicas replicas = new Replicas(new ReplicaId(random.incrementAndGet(), 1));
        keyspace = new Keyspace(replicas, random::incrementAndGet, () -> 1_000_000);
        Storage storage = new Storage(
                new JournalSettings(directory, 1 << 16, 1 << 20, 10),
                Live.fixed(FsyncPolicy.EVERYSEC),
                _ -> store,
                keyspace,
                Clock.system(),
                random::incrementAndGet,
                journal -> {
                    disk = new HangingDisk(journal);
                    return disk;
                });
        try {
            storage.load();
        } catch (IOException e) {
            storage.close();
            throw e;
        }
        turns = storage.newTurnLog();
        return storage;
    }

    private long valueAfterRestart() throws IOException {
        faults.restart((_, _) -> Fate.GOOD);
        Storage storage = start();
        Counters counters = new Counters(keyspace, turns);
        counters.read(CounterType.PNCOUNT, key());
        storage.close();
        return counters.value();
    }

    /// Counts one, and returns when that is acknowledged.
    private void count() {
        Told told = new Told();
        new Counters(keyspace, turns).add(key(), 1);
        turns.commit(told);
        await().until(told::isWritten);
    }

    private static Key key() {
        return Key.of(new byte[] {'a'});
    }

    private final class Recorder extends Handler {
        @Override
        public void publish(LogRecord event) {
            log.add(event.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
