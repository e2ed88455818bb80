package io.tallis.journal.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.CellStore;
import io.tallis.journal.DamagedException;
import io.tallis.journal.DataDirectoryException;
import io.tallis.journal.Place;
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
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
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
    private final AtomicBoolean away = new AtomicBoolean();

    @TempDir
    private Path temporary;

    @Test
    void emptyStore_wantsTheJournalFromItsBeginning() throws IOException {
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

        Golden.check("database-rows-v1", rows.toByteArray());
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
        Counter large = new Counter().clear(CounterType.PNCOUNT);
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

        try (CellStore store = RocksCellStore.open(copy, () -> {})) {
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
    void missingTableOfContents_isDamageAndNoNewStore() throws IOException {
        fill();
        Files.delete(temporary.resolve("cells/CURRENT"));

        assertThatThrownBy(this::open)
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("the file CURRENT is missing");
    }

    /// What becomes of a copy is none of the store's.
    @Test
    void store_isWholeThoughItsCopyFails() throws IOException {
        fill();
        Path place = temporary.resolve("copy");
        try (CellStore store = open()) {
            write(store, 0, "in a table of its own", CounterType.PNCOUNT, 1);
            store.commit(3);

            assertThatThrownBy(() -> store.copyTo(place.resolve("gone").resolve("cells"), () -> {}))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> store.copyTo(place, () -> delete(place))).isInstanceOf(IOException.class);

            assertThat(store.lost()).isNull();
            assertThat(store.prepare()).isTrue();
        }
    }

    private static void delete(Path directory) throws IOException {
        for (Path file : Directories.list(directory)) {
            Files.delete(file);
        }
    }

    @Test
    void store_thatIsBegunAnew_keepsTheFormerUntilItCommits() throws IOException {
        fill();
        Path former = temporary.resolve("cells.damaged");
        try (CellStore store = open()) {
            Files.delete(onlyFile(".sst"));
            assertThat(store.prepare()).isFalse();
            assertThat(former).isDirectoryContaining("glob:**/MANIFEST-*");

            write(store, 0, "first", CounterType.PNCOUNT, 1);
            store.commit(7);

            assertThat(former).doesNotExist();
            assertThat(store.lost()).isNull();
        }
        try (CellStore store = open()) {
            assertThat(load(store, 0, PARTITIONS)).isEqualTo(Map.of("PNCOUNT first", 1L));
        }
    }

    /// All that it held was in the memory of a process that has gone on from there.
    @Test
    void store_thatIsBegunAnew_keepsNoneOfAProcessBefore() throws IOException {
        fill();
        Path former = temporary.resolve("cells.damaged");
        Files.createDirectories(former.resolve("lost+found"));
        Files.writeString(former.resolve("CURRENT"), "of a process before");
        try (CellStore store = open()) {
            assertThat(load(store, 0, PARTITIONS)).hasSize(1_000);
            Files.delete(onlyFile(".sst"));

            assertThat(store.prepare()).isFalse();
            assertThat(former).isDirectoryContaining("glob:**/MANIFEST-*");
            String kept = Files.readString(former.resolve("IDENTITY"));
            delete(temporary.resolve("cells"));
            assertThat(store.prepare()).isFalse();
            assertThat(former.resolve("IDENTITY")).hasContent(kept);

            Files.createDirectory(former.resolve("lost+found"));
            store.commit(7);
            assertThat(former).doesNotExist();
        }
    }

    @Test
    void store_behindALink_isBegunAnewThere() throws IOException {
        Path elsewhere = Files.createDirectory(temporary.resolve("elsewhere"));
        Path ofTheDisk = Files.createDirectory(elsewhere.resolve("lost+found"));
        Path link = Files.createSymbolicLink(temporary.resolve("cells"), elsewhere);
        fill();
        try (CellStore store = open()) {
            Files.delete(elsewhere.resolve("CURRENT"));

            assertThat(store.prepare()).isFalse();
            store.commit(7);
        }
        assertThat(link).isSymbolicLink();
        assertThat(ofTheDisk).isDirectory();
        assertThat(temporary.resolve("cells.damaged")).doesNotExist();
        try (CellStore store = open()) {
            assertThat(store.replayFrom()).isEqualTo(7);
        }
    }

    /// It may be whole but for a file that somebody had moved away, and moves back to where it was.
    @Test
    void store_whoseProcessEndedWhileItWasBegunAnew_isTakenBackAndNothingIsDeleted() throws IOException {
        fill();
        Path table = onlyFile(".sst");
        Path moved = temporary.resolve(table.getFileName());
        Path former = temporary.resolve("cells.damaged");
        try (CellStore store = open()) {
            Files.move(table, moved);
            assertThat(store.prepare()).isFalse();
            write(store, 0, "not committed", CounterType.PNCOUNT, 1);
        }

        Files.move(moved, table);
        assertThatThrownBy(this::open)
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining(table.getFileName().toString());
        assertThat(former).doesNotExist();

        Path unfinished = temporary.resolve("cells.unfinished");
        Files.move(unfinished.resolve(table.getFileName()), table);
        try (CellStore store = open()) {
            assertThat(store.replayFrom()).isEqualTo(2);
            assertThat(load(store, 0, PARTITIONS)).hasSize(1_000);
            store.commit(3);
            assertThat(unfinished).doesNotExist();
        }
    }

    /// It names what lies in the other.
    @Test
    void store_whoseTableOfContentsIsBackInTheUnfinishedOne_isTakenBack() throws IOException {
        fill();
        // The first start renames nothing of that name.
        open().close();
        Path current = temporary.resolve("cells").resolve("CURRENT");
        Path moved = temporary.resolve("CURRENT");
        try (CellStore store = open()) {
            Files.move(current, moved);
            assertThat(store.prepare()).isFalse();
        }
        Files.move(moved, current, StandardCopyOption.REPLACE_EXISTING);

        assertThatThrownBy(this::open).hasMessageContaining("the file CURRENT is missing");
        Files.move(temporary.resolve("cells.unfinished").resolve("CURRENT"), current);
        try (CellStore store = open()) {
            assertThat(load(store, 0, PARTITIONS)).hasSize(1_000);
        }
    }

    @Test
    void store_whoseProcessEndedWhileItWasTakenBack_isTakenBack() throws IOException {
        fill();
        Path cells = temporary.resolve("cells");
        Path unfinished = Files.createDirectory(temporary.resolve("cells.unfinished"));
        Files.writeString(unfinished.resolve("moved"), "there by somebody");
        Files.move(cells, temporary.resolve("cells.damaged"));
        Files.createDirectory(cells);

        try (CellStore store = open()) {
            assertThat(store.replayFrom()).isEqualTo(2);
            assertThat(unfinished).isNotEmptyDirectory();
        }
    }

    @Test
    void copy_ofAStoreWhoseTableOfContentsRots_isNone() throws IOException {
        fill();
        try (CellStore store = open()) {
            flipABit(onlyFile("MANIFEST-"));

            assertThatThrownBy(() -> store.copyTo(temporary.resolve("copy"), () -> {}))
                    .isInstanceOf(DamagedException.class)
                    .hasMessageContaining("mismatch");
            assertThat(store.lost()).contains("mismatch");
            assertThat(store.prepare()).isFalse();
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

            assertThat(DatabaseFiles.tablesIn(copy)).isNotEmpty().noneMatch(RocksCellStoreTest::isShared);
            assertThat(pauses).hasValueGreaterThan(DatabaseFiles.tablesIn(copy).size());
            try (CellStore other = RocksCellStore.open(copy, () -> {})) {
                assertThat(load(other, 0, PARTITIONS)).hasSize(1_000);
            }
        } finally {
            Directories.deleteTree(elsewhere);
        }
    }

    /// As somebody may do for the room.
    @ParameterizedTest
    @ValueSource(strings = {"CURRENT", "MANIFEST-", ".sst"})
    void copy_ofWhichAFileIsDeletedWhileItIsRead_isNone(String part) throws IOException {
        fill();
        Path copy = temporary.resolve("copy");
        AtomicInteger pauses = new AtomicInteger();
        try (CellStore store = open()) {
            store.copyTo(temporary.resolve("whole"), pauses::incrementAndGet);
            AtomicInteger left = new AtomicInteger(pauses.get());

            assertThatThrownBy(() -> store.copyTo(copy, () -> {
                        if (left.decrementAndGet() == 0) {
                            deleteNamed(copy, part);
                        }
                    }))
                    .hasMessage("somebody has deleted files of " + copy);
        }
    }

    private static void deleteNamed(Path copy, String part) throws IOException {
        for (Path file : Directories.list(copy)) {
            if (file.getFileName().toString().contains(part)) {
                Files.delete(file);
            }
        }
    }

    /// A table that RocksDB merged meanwhile would stay for ever, were it not to delete any from then on.
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
                    .untilAsserted(() -> assertThat(DatabaseFiles.tablesIn(temporary.resolve("cells")))
                            .hasSizeLessThan(10));
        }
    }

    private void requireHere() throws DataDirectoryException {
        if (away.get()) {
            throw new DataDirectoryException("away");
        }
    }

    /// Whoever opened it for writing would delete the tables of the present one, which lie beside its own.
    @Test
    void formerStore_thatIsPutInWhileTheDirectoryIsAway_isNotGoneOnWith() throws IOException {
        fill();
        Path cells = temporary.resolve("cells");
        Path former = temporary.resolve("former");
        try (CellStore store = open(this::requireHere)) {
            store.copyTo(former, () -> {});
            write(store, 0, "later", CounterType.PNCOUNT, 1);
            store.commit(9);
            List<Path> tables = DatabaseFiles.tablesIn(cells);
            away.set(true);
            assertThat(store.lost()).isNull();
            for (Path file : Directories.list(former)) {
                Files.move(file, cells.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
            away.set(false);

            assertThat(store.prepare()).isFalse();
            assertThat(Directories.list(temporary.resolve("cells.damaged")))
                    .extracting(Path::getFileName)
                    .containsAll(tables.stream().map(Path::getFileName).toList());
        }
    }

    /// It may be that of another process, where RocksDB would look for files that it does not know, to delete them.
    @Test
    void copy_thatEndsInADirectoryOfAnother_deletesNothingThere() throws IOException {
        fill();
        Path cells = temporary.resolve("cells");
        Path another = temporary.resolve("another");
        Files.move(cells, another);
        fill();
        List<Path> files = Directories.list(another);
        try (CellStore store = open(this::requireHere)) {
            assertThatThrownBy(() -> store.copyTo(temporary.resolve("copy"), () -> {
                        away.set(true);
                        Files.move(cells, temporary.resolve("moved"));
                        Files.move(another, cells);
                        throw new IOException("given up");
                    }))
                    .hasMessage("given up");

            assertThat(Directories.list(cells))
                    .extracting(Path::getFileName)
                    .containsAll(files.stream().map(Path::getFileName).toList());
        }
    }

    @Test
    void nameOfTheTableOfContents_thatIsDeletedWhileTheStoreIsClosed_isMissed() throws IOException {
        fill();
        Path cells = temporary.resolve("cells");
        try (CellStore store = open()) {
            for (int number = 0; number < 100; number++) {
                Path inTheWay = cells.resolve(String.format("%06d.sst", number));
                if (Files.notExists(inTheWay)) {
                    Files.createDirectory(inTheWay);
                }
            }
            write(store, 0, "later", CounterType.PNCOUNT, 1);
            assertThatThrownBy(() -> store.commit(3)).hasMessageContaining("directory");
            assertThat(store.lost()).isNull();

            Files.delete(cells.resolve("CURRENT"));

            assertThat(store.lost()).contains("CURRENT is gone");
        }
    }

    /// A store that is begun anew gives its tables the names that those of the former had.
    @Test
    void table_thatIsPutBackWhereTheNextWouldBe_isNotWrittenOverInTheCopyThatSharesIt() throws IOException {
        Path copy = temporary.resolve("copy");
        Path moved = temporary.resolve("moved");
        try (CellStore store = open()) {
            commitOften(store, 2, 5);
            store.copyTo(copy, () -> {});
            Path table = DatabaseFiles.tablesIn(temporary.resolve("cells")).stream()
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
            Path shared = copy.resolve(table.getFileName());
            byte[] before = Files.readAllBytes(shared);
            Files.move(table, moved);
            assertThat(store.prepare()).isFalse();
            commitOften(store, 5, 6);
            Files.move(moved, table);

            commitOften(store, 6, 10);

            assertThat(shared).hasBinaryContent(before);
        }
    }

    private void commitOften(CellStore store, int from, int to) throws IOException {
        for (int commit = from; commit < to; commit++) {
            boolean _ = store.prepare();
            write(store, 0, "key", CounterType.PNCOUNT, commit);
            store.commit(commit);
        }
    }

    /// Stores that are begun anew have tables of contents of one name and often of one length.
    @Test
    void tableOfContents_thatIsAnotherOfTheSameLength_isMissedByTheNextCommit() throws IOException {
        Path cells = temporary.resolve("cells");
        Path former = temporary.resolve("former");
        try (CellStore store = open()) {
            write(store, 0, "a", CounterType.PNCOUNT, 1);
            store.commit(2);
            Files.delete(DatabaseFiles.tablesIn(cells).getFirst());
            assertThat(store.prepare()).isFalse();
            write(store, 0, "a", CounterType.PNCOUNT, 1);
            store.commit(3);
            Files.copy(onlyFile("MANIFEST"), former);
            String name = onlyFile("MANIFEST").getFileName().toString();
            Files.delete(DatabaseFiles.tablesIn(cells).getFirst());
            assertThat(store.prepare()).isFalse();
            write(store, 0, "a", CounterType.PNCOUNT, 1);
            store.commit(4);
            Path present = onlyFile("MANIFEST");
            assertThat(present).hasFileName(name).hasSize(Files.size(former));
            Files.write(present, Files.readAllBytes(former));
            assertThat(store.prepare()).isTrue();
            write(store, 0, "b", CounterType.PNCOUNT, 1);

            assertThatThrownBy(() -> store.commit(5)).isInstanceOf(IOException.class);
            assertThat(store.lost()).isNotNull();
            assertThat(store.prepare()).isFalse();
        }
    }

    /// It may lie on a disk of its own.
    @Test
    void copy_thatRotsAlone_isNoDamageToTheStore() throws IOException {
        fill();
        Path copy = temporary.resolve("copy");
        try (CellStore store = open()) {
            write(store, 0, "in a table of its own", CounterType.PNCOUNT, 1);
            store.commit(3);
            assertThatThrownBy(() -> store.copyTo(copy, () -> rotAlone(copy)))
                    .isInstanceOf(DamagedException.class)
                    .hasMessageContaining("mismatch");

            assertThat(store.lost()).isNull();
            assertThat(store.prepare()).isTrue();
        }
    }

    /// Shares no block with what it was made from any more.
    private static void rotAlone(Path copy) throws IOException {
        for (Path table : DatabaseFiles.tablesIn(copy)) {
            if (isShared(table)) {
                byte[] bytes = Files.readAllBytes(table);
                Files.delete(table);
                Files.write(table, bytes);
                flipABit(table);
            }
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
    void threadsThatAreHeldBack_takeTheirTime_untilTheyAreLetGo() throws Exception {
        try (CellStore store = open()) {
            CellStore.Batch batch = store.newBatch(replicas);
            for (int i = 0; i < 150_000; i++) {
                add(batch, i % PARTITIONS, "a key as long as this one " + i, CounterType.PNCOUNT, i);
            }
            store.write(batch);
            store.holdBack(true);
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
            store.holdBack(false);

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
        return open(() -> {});
    }

    private CellStore open(Place place) throws IOException {
        CellStore store = RocksCellStore.open(temporary.resolve("cells"), place);
        store.goOn();
        return store;
    }

    private void write(CellStore store, int partition, String key, CounterType type, long value) throws IOException {
        CellStore.Batch batch = store.newBatch(replicas);
        add(batch, partition, key, type, value);
        store.write(batch);
    }

    private static void add(CellStore.Batch batch, int partition, String key, CounterType type, long value) {
        Counter counter = new Counter().clear(type);
        if (type == CounterType.PNCOUNT) {
            counter.add(Replicas.OWN, value);
        } else {
            counter.grow(Replicas.OWN, value);
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
