package io.tallis.journal.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.checkpoint.CellStore;
import io.tallis.journal.disk.DamagedException;
import io.tallis.keyspace.Key;
import io.tallis.runtime.Directories;
import io.tallis.runtime.Threads;
import io.tallis.testing.Golden;
import io.tallis.wire.ByteWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

final class RocksCellStoreTest {
    private static final int PARTITIONS = 1 << 10;

    private final Replicas replicas = new Replicas(new ReplicaId(1, 2));

    @TempDir
    private Path temporary;

    @Test
    void emptyStore_needsTheJournalFromItsBeginning() throws IOException {
        try (CellStore store = open()) {
            assertThat(store.replayFrom()).isEqualTo(CellStore.NEVER_COMMITTED);
            assertThat(load(store, 0, PARTITIONS)).isEmpty();
        }
    }

    @Test
    void committedRows_areThereAfterReopening() throws IOException {
        try (CellStore store = open()) {
            write(store, 0, "first", CounterType.PNCOUNT, 1);
            write(store, 513, "middle", CounterType.GCOUNT, 2);
            write(store, PARTITIONS - 1, "last", CounterType.PNCOUNT, 3);
            write(store, PARTITIONS - 1, "last", CounterType.GCOUNT, 4);
            store.commit(7);
        }

        try (CellStore store = open()) {
            assertThat(store.replayFrom()).isEqualTo(7);
            assertThat(load(store, 0, PARTITIONS))
                    .isEqualTo(Map.of("PNCOUNT first", 1L, "GCOUNT middle", 2L, "PNCOUNT last", 3L, "GCOUNT last", 4L));
            assertThat(load(store, 512, 514)).containsOnlyKeys("GCOUNT middle");
        }
    }

    @Test
    void notes_areThereAfterReopening_andAreNoRows() throws IOException {
        byte[] notes = {1, 2, 3};
        try (CellStore store = open()) {
            assertThat(store.notes()).isEmpty();
            write(store, 0, "first", CounterType.PNCOUNT, 1);
            store.writeNotes(notes);
            store.commit(7);
        }

        try (CellStore store = open()) {
            assertThat(store.notes()).isEqualTo(notes);
            assertThat(load(store, 0, PARTITIONS)).containsOnlyKeys("PNCOUNT first");
        }
    }

    @Test
    void rows_haveTheGoldenBytes() throws IOException, RocksDBException {
        try (CellStore store = open()) {
            write(store, 0x0201, "visits", CounterType.PNCOUNT, 300);
            write(store, 1, "pages", CounterType.GCOUNT, -1L);
            store.commit(7);
        }
        ByteWriter rows = new ByteWriter(256);
        try (RocksDB database = RocksDB.openReadOnly(temporary.resolve("cells").toString());
                RocksIterator row = database.newIterator()) {
            for (row.seekToFirst(); row.isValid(); row.next()) {
                rows.varint(row.key().length);
                rows.bytes(row.key(), 0, row.key().length);
                rows.varint(row.value().length);
                rows.bytes(row.value(), 0, row.value().length);
            }
        }

        Golden.check("database-rows-v3", rows.toByteArray());
    }

    @Test
    void row_writtenAgain_replacesTheFormer() throws IOException {
        try (CellStore store = open()) {
            write(store, 5, "key", CounterType.PNCOUNT, 1);
            store.commit(2);
            write(store, 5, "key", CounterType.PNCOUNT, 9);
            store.commit(3);

            assertThat(load(store, 0, PARTITIONS)).isEqualTo(Map.of("PNCOUNT key", 9L));
        }
    }

    @Test
    void longestKeyAndLargeCell_comeBack() throws IOException {
        String key = "k".repeat(65_535);
        Cell large = new Cell().clear(CounterType.PNCOUNT);
        for (int i = 0; i < 5_000; i++) {
            large.add(replicas.numberOf(new ReplicaId(9, i)), 1);
        }
        try (CellStore store = open()) {
            CellStore.Batch batch = store.newBatch(replicas);
            batch.add(3, Key.of(key.getBytes(StandardCharsets.US_ASCII)), large);
            store.write(batch);
            store.commit(2);

            assertThat(load(store, 0, PARTITIONS)).isEqualTo(Map.of("PNCOUNT " + key, 5_000L));
        }
    }

    @Test
    void copy_isAStoreOfItsOwn() throws IOException {
        Path copy = temporary.resolve("copy");
        try (CellStore store = open()) {
            write(store, 1, "key", CounterType.PNCOUNT, 1);
            store.commit(4);
            store.copyTo(copy, () -> {});
            write(store, 1, "key", CounterType.PNCOUNT, 2);
            store.commit(5);
        }

        try (CellStore store = RocksCellStore.open(copy)) {
            assertThat(store.replayFrom()).isEqualTo(4);
            assertThat(load(store, 0, PARTITIONS)).isEqualTo(Map.of("PNCOUNT key", 1L));
        }
    }

    @Test
    void flippedBitInARow_isDamage() throws IOException {
        fill();
        Path table = onlyFile(".sst");
        flipABit(table);

        try (CellStore store = open()) {
            assertThatThrownBy(() -> load(store, 0, PARTITIONS))
                    .isInstanceOf(DamagedException.class)
                    .hasMessageContaining(table.getFileName().toString());
        }
    }

    @Test
    void missingTable_isDamage() throws IOException {
        fill();
        Files.delete(onlyFile(".sst"));

        assertThatThrownBy(this::open).isInstanceOf(DamagedException.class);
    }

    @Test
    void missingCurrent_isDamageAndNoNewStore() throws IOException {
        fill();
        Files.delete(temporary.resolve("cells/CURRENT"));

        assertThatThrownBy(this::open).isInstanceOf(DamagedException.class).hasMessageEndingWith("CURRENT is gone");
    }

    /// A copy that fails for reasons of its own is no damage to the store.
    @Test
    void copyThatFails_leavesTheStoreUndamaged() throws IOException {
        fill();
        Path place = temporary.resolve("copy");
        try (CellStore store = open()) {
            assertThatThrownBy(() -> store.copyTo(place.resolve("gone").resolve("cells"), () -> {}))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> store.copyTo(place, () -> delete(place))).isInstanceOf(IOException.class);

            assertThat(store.damage()).isNull();
            store.openForWriting();
        }
    }

    private static void delete(Path directory) throws IOException {
        for (Path file : Directories.list(directory)) {
            Files.delete(file);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"CURRENT", "MANIFEST-", ".sst"})
    void fileThatIsDeletedOrCut_isDamage(String part) throws IOException {
        fill();
        try (CellStore store = open()) {
            assertThat(store.damage()).isNull();
            Path file = onlyFile(part);
            byte[] bytes = Files.readAllBytes(file);

            Files.write(file, new byte[0]);
            assertThat(store.damage()).isEqualTo("the file " + file + " is shorter than it was written");

            Files.write(file, bytes);
            assertThatThrownBy(store::openForWriting).isInstanceOf(DamagedException.class);
        }
        try (CellStore store = open()) {
            Path file = onlyFile(part);
            Files.delete(file);

            assertThat(store.damage()).isEqualTo("the file " + file + " is gone");
        }
    }

    @Test
    void directoryThatIsDeleted_isDamage() throws IOException {
        fill();
        try (CellStore store = open()) {
            Directories.deleteTree(temporary.resolve("cells"));

            assertThatThrownBy(store::openForWriting)
                    .isInstanceOf(DamagedException.class)
                    .hasMessage("the directory " + temporary.resolve("cells") + " is gone");
        }
    }

    /// A full disk has no room for the files that RocksDB makes when it is opened for writing.
    @Test
    void open_ofADatabase_makesNoFiles() throws IOException {
        fill();
        List<Path> before = Directories.list(temporary.resolve("cells"));
        try (CellStore store = RocksCellStore.open(temporary.resolve("cells"))) {
            assertThat(load(store, 0, PARTITIONS)).hasSize(1_000);
        }
        assertThat(Directories.list(temporary.resolve("cells"))).hasSameElementsAs(before);
    }

    @Test
    void copy_ofAStoreWithARottenManifest_fails() throws IOException {
        fill();
        try (CellStore store = open()) {
            flipABit(onlyFile("MANIFEST-"));

            assertThatThrownBy(() -> store.copyTo(temporary.resolve("copy"), () -> {}))
                    .isInstanceOf(DamagedException.class)
                    .hasMessageContaining("mismatch");
            assertThat(store.damage()).contains("mismatch");
        }
    }

    @Test
    void copy_ofAStoreWithARottenTable_fails() throws IOException {
        fill();
        try (CellStore store = open()) {
            flipABit(onlyFile(".sst"));

            assertThatThrownBy(() -> store.copyTo(temporary.resolve("copy"), () -> {}))
                    .isInstanceOf(DamagedException.class)
                    .hasMessageContaining("mismatch");
            assertThatThrownBy(store::openForWriting).isInstanceOf(DamagedException.class);
        }
    }

    @Test
    void copy_onAnotherDisk_isMadePieceByPieceAndSharesNothing() throws IOException {
        fill();
        Path elsewhere = Files.createTempDirectory(Path.of("/dev/shm"), "tallis-test");
        Path copy = elsewhere.resolve("cells");
        AtomicInteger pauses = new AtomicInteger();
        try (CellStore store = open()) {
            store.copyTo(copy, pauses::incrementAndGet);
            write(store, 0, "later", CounterType.PNCOUNT, 1);
            store.commit(3);

            assertThat(tablesIn(copy)).isNotEmpty().noneMatch(RocksCellStoreTest::isShared);
            assertThat(pauses).hasValueGreaterThan(tablesIn(copy).size());
            try (CellStore other = RocksCellStore.open(copy)) {
                assertThat(load(other, 0, PARTITIONS)).hasSize(1_000);
            }
        } finally {
            Directories.deleteTree(elsewhere);
        }
    }

    private static List<Path> tablesIn(Path directory) throws IOException {
        return Directories.list(directory).stream()
                .filter(file -> file.toString().endsWith(".sst"))
                .toList();
    }

    /// RocksDB deletes no files during a copy, and has to go on deleting them afterwards.
    @Test
    void copy_thatIsGivenUp_keepsNoTablesFromBeingDeleted() throws IOException {
        fill();
        try (CellStore store = open()) {
            assertThatThrownBy(() -> store.copyTo(temporary.resolve("copy"), () -> {
                        throw new IOException("given up");
                    }))
                    .hasMessage("given up");

            for (int i = 0; i < 30; i++) {
                write(store, 0, "again", CounterType.PNCOUNT, i);
                store.commit(3);
            }

            Awaitility.await()
                    .untilAsserted(() ->
                            assertThat(tablesIn(temporary.resolve("cells"))).hasSizeLessThan(10));
        }
    }

    private static boolean isShared(Path file) {
        try {
            return !Files.getAttribute(file, "unix:nlink").equals(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void flipABit(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 4] ^= 1;
        Files.write(file, bytes);
    }

    private void fill() throws IOException {
        try (CellStore store = open()) {
            CellStore.Batch batch = store.newBatch(replicas);
            for (int i = 0; i < 1_000; i++) {
                add(batch, i % PARTITIONS, "key-" + i, CounterType.PNCOUNT, i);
            }
            store.write(batch);
            store.commit(2);
        }
    }

    @Test
    void throttledThreads_areSlowUntilTheyAreFreed() throws Exception {
        try (CellStore store = open()) {
            CellStore.Batch batch = store.newBatch(replicas);
            for (int i = 0; i < 150_000; i++) {
                add(batch, i % PARTITIONS, "a key as long as this one " + i, CounterType.PNCOUNT, i);
            }
            store.write(batch);
            store.throttle(true);
            CompletableFuture<Void> committed = new CompletableFuture<>();
            Thread _ = Threads.start("committer", () -> {
                try {
                    store.commit(2);
                    committed.complete(null);
                } catch (IOException e) {
                    committed.completeExceptionally(e);
                }
            });

            assertThatThrownBy(() -> committed.get(2, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
            store.throttle(false);

            assertThat(committed).succeedsWithin(Duration.ofSeconds(2));
        }
    }

    private Path onlyFile(String part) throws IOException {
        try (Stream<Path> files = Files.list(temporary.resolve("cells"))) {
            return files.filter(file -> file.getFileName().toString().contains(part))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private CellStore open() throws IOException {
        Path cells = Files.createDirectories(temporary.resolve("cells"));
        CellStore store = RocksCellStore.open(cells);
        try {
            store.openForWriting();
            return store;
        } catch (IOException e) {
            store.close();
            throw e;
        }
    }

    private void write(CellStore store, int partition, String key, CounterType type, long value) throws IOException {
        CellStore.Batch batch = store.newBatch(replicas);
        add(batch, partition, key, type, value);
        store.write(batch);
    }

    private static void add(CellStore.Batch batch, int partition, String key, CounterType type, long value) {
        Cell counter = new Cell().clear(type);
        if (type == CounterType.PNCOUNT) {
            counter.add(Replicas.OWN, value);
        } else {
            counter.counts().grow(Replicas.OWN, value);
        }
        batch.add(partition, Key.of(key.getBytes(StandardCharsets.US_ASCII)), counter);
    }

    private Map<String, Long> load(CellStore store, int from, int to) throws IOException {
        Map<String, Long> cells = new TreeMap<>();
        store.load(
                from,
                to,
                replicas,
                (type, key, counter) -> cells.put(
                        type + " " + new String(key.toByteArray(), StandardCharsets.US_ASCII), counter.value()));
        return cells;
    }
}
