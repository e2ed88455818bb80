package io.tallis.journal.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.CellStore;
import io.tallis.journal.DamagedException;
import io.tallis.journal.DataDirectoryException;
import io.tallis.journal.FsyncPolicy;
import io.tallis.journal.JournalSettings;
import io.tallis.journal.JournalStatus;
import io.tallis.journal.Pause;
import io.tallis.journal.Storage;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Directories;
import io.tallis.runtime.Live;
import io.tallis.runtime.Randomness;
import io.tallis.runtime.Threads;
import io.tallis.testing.Gen;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The whole of storage on a real directory with the real database and all threads.
@Timeout(60)
final class StorageTest {
    private static final int TRANSFERS = 1_000;

    /// Enough for several blocks of a table.
    private static final int MANY = 5_000;

    /// Enough for several batches of a checkpoint.
    private static final int LOTS = 60_000;

    /// One, and as many new ones as RocksDB leaves alone.
    private static final int MERGED_TABLES = 4;

    private final Randomness randomness = Randomness.secure();

    @TempDir
    private Path temporary;

    @Test
    void restart_afterClose_hasEveryCount() throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.add("a", 5);
            node.add("a", 6);
        }

        try (Node node = new Node(data)) {
            assertThat(node.value("a")).isEqualTo(11);
            node.add("a", 1);
            node.storage.checkpoint();
            node.add("a", 1);
        }

        try (Node node = new Node(data)) {
            assertThat(node.value("a")).isEqualTo(13);
            assertThat(node.storage.loading().done()).isTrue();
        }
    }

    @Test
    void copyOfARunningDirectory_whichIsWhatKillLeaves_hasEveryCount() throws Exception {
        Path data = temporary.resolve("data");
        Path copy = temporary.resolve("copy");
        try (Node node = new Node(data)) {
            node.add("a", 5);
            node.storage.checkpoint();
            node.add("a", 6);
            copyLive(data, copy);
        }

        try (Node node = new Node(copy)) {
            assertThat(node.value("a")).isEqualTo(11);
        }
    }

    /// Writes and syncs of files without a name go well.
    @Test
    void directory_thatIsDeleted_hasChangesRefusedAndIsToldOfAtTheEnd() throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.add("a", 5);
            delete(data);

            Awaitility.await()
                    .untilAsserted(() -> assertThat(node.storage.refusal()).contains("was moved or deleted"));
            // As a replicator does, whom no refusal keeps from it.
            assertThatThrownBy(() -> node.add("a", 1)).hasMessageContaining("lost");
            // It tries again, though it has recorded nothing since.
            assertThatThrownBy(() -> Node.commit(node.log).get()).hasMessageContaining("lost");
            assertThat(node.storage.end(Duration.ofSeconds(10), () -> {})).isFalse();
        }
    }

    /// All that it held is in memory, and the database is whole.
    @Test
    void segment_thatIsDeleted_isMadeUpForByACheckpoint() throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.add("a", 5);
            delete(data.resolve("journal"));

            awaitCheckpointAndNoRefusal(node);
            copyLive(data, temporary.resolve("copy"));
            assertThat(node.storage.end(Duration.ofSeconds(10), () -> {})).isTrue();
        }

        try (Node node = new Node(temporary.resolve("copy"))) {
            assertThat(node.value("a")).isEqualTo(5);
        }
    }

    /// The journal has only what was counted since the last checkpoint.
    @ParameterizedTest
    @ValueSource(strings = {"", "CURRENT", "MANIFEST-", ".sst"})
    void fileOfTheDatabase_thatIsDeleted_isMadeUpForByACheckpointOfAll(String part) throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.add("a", 5);
            node.storage.checkpoint();
            node.add("b", 6);
            delete(data.resolve("cells"), part);

            awaitCheckpointAndNoRefusal(node);
            copyLive(data, temporary.resolve("copy"));
            node.add("b", 1);
            assertThat(node.storage.end(Duration.ofSeconds(10), () -> {})).isTrue();
        }

        for (Path directory : List.of(data, temporary.resolve("copy"))) {
            try (Node node = new Node(directory)) {
                assertThat(node.value("a")).isEqualTo(5);
                assertThat(node.value("b")).isBetween(6L, 7L);
            }
        }
    }

    /// The patience of a stop is for a disk that does not answer.
    @Test
    void table_thatIsDeleted_isMadeUpForByTheLastCheckpointHoweverLongThatTakes() throws Exception {
        Path data = temporary.resolve("data");
        AtomicBoolean slow = new AtomicBoolean();
        CellStore.Opener slowly = (directory, place) ->
                before(RocksCellStore.open(directory, place), "write", _ -> Thread.sleep(slow.get() ? 600 : 0));
        Node node = new Node(data, slowly);
        node.addToMany(LOTS);
        node.storage.checkpoint();
        slow.set(true);
        delete(data.resolve("cells"), ".sst");
        Awaitility.await().pollInterval(Duration.ofMillis(10)).until(node.storage::hasLostFiles);

        assertThat(node.storage.end(Duration.ofSeconds(2), () -> {})).isTrue();

        try (Node next = new Node(data)) {
            assertThat(next.keyspace.keys()).isEqualTo(LOTS);
        }
    }

    /// Tables of a database that is begun anew are numbered anew.
    @Test
    void table_thatIsPutBackOverThatWhichWasMadeSince_isMadeUpForAgain() throws Exception {
        Path data = temporary.resolve("data");
        Path cells = data.resolve("cells");
        Path away = temporary.resolve("away");
        try (Node node = new Node(data)) {
            node.addToMany(MANY);
            node.storage.checkpoint();
            // The first one has tables of the first start.
            delete(cells, ".sst");
            awaitCheckpointAndNoRefusal(node);
            Path table = cells.resolve(tables(cells).iterator().next());
            Files.move(table, away);
            awaitCheckpointAndNoRefusal(node);
            assertThat(table).exists();
            String present = identity(data);

            Thread.sleep(1_500);
            Files.move(away, table, StandardCopyOption.REPLACE_EXISTING);
            Awaitility.await().until(() -> !identity(data).equals(present));
            awaitNoRefusal(node);
            node.add("a", 5);
        }

        try (Node node = new Node(data)) {
            assertThat(node.keyspace.keys()).isEqualTo(MANY + 1);
        }
    }

    /// As somebody may do who has moved it away by mistake. Where its table of contents has the name that the new one
    /// has, the database was never opened before.
    @ParameterizedTest
    @CsvSource({"3, ''", "3, CURRENT", "0, MANIFEST-"})
    void formerDatabase_thatIsPutBack_isNotTakenForThePresentOne(int starts, String part) throws Exception {
        Path data = temporary.resolve("data");
        Path cells = data.resolve("cells");
        Path away = Files.createDirectory(temporary.resolve("away"));
        startAndCount(data, starts);
        try (Node node = new Node(data)) {
            node.addToMany(MANY);
            node.storage.checkpoint();
            node.add("a", 5);
            node.storage.checkpoint();
            move(cells, away, part);
            awaitCheckpointAndNoRefusal(node);
            String present = identity(data);

            Thread.sleep(1_500);
            move(away, cells, part);
            Awaitility.await().until(() -> {
                // A table of contents that was longer is known by what is written to the present one.
                node.storage.requestCheckpoint();
                return !identity(data).equals(present) && !identity(data).isEmpty();
            });
            awaitNoRefusal(node);
            node.add("a", 1);
            copyLive(data, temporary.resolve("killed"));
        }

        for (Path directory : List.of(data, temporary.resolve("killed"))) {
            try (Node node = new Node(directory)) {
                assertThat(node.value("a")).isEqualTo(6);
                assertThat(node.keyspace.keys()).isEqualTo(MANY + 1 + starts);
            }
        }
    }

    /// RocksDB would take the tables of the present one for some that nobody needs.
    @Test
    void start_withAFormerDatabase_deletesNothingOfThePresentOne() throws Exception {
        Path data = temporary.resolve("data");
        Path cells = data.resolve("cells");
        Path former = Files.createDirectory(temporary.resolve("former"));
        startAndCount(data, 3);
        move(cells, former, "");
        for (Path file : Directories.list(former)) {
            Files.copy(file, cells.resolve(file.getFileName()));
        }
        try (Node node = new Node(data)) {
            node.add("a", 5);
            node.storage.checkpoint();
        }
        Set<Path> present = tables(cells);
        String current = Files.readString(cells.resolve("CURRENT"));
        move(former, cells, "");

        assertThatThrownBy(() -> new Node(data)).isInstanceOf(DamagedException.class);

        assertThat(tables(cells)).containsAll(present);
        Files.writeString(cells.resolve("CURRENT"), current);
        try (Node node = new Node(data)) {
            assertThat(node.value("a")).isEqualTo(5);
        }
    }

    private void startAndCount(Path data, int starts) throws Exception {
        for (int i = 0; i < starts; i++) {
            try (Node node = new Node(data)) {
                node.add("before-" + i, 1);
                node.storage.checkpoint();
            }
        }
    }

    /// Moves what has this in its name, over what is there.
    private static void move(Path from, Path to, String part) throws IOException {
        for (Path file : Directories.list(from)) {
            if (file.getFileName().toString().contains(part)) {
                Files.move(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /// The patience of a stop is for a disk that does not answer; this one opens and moves files slowly.
    @Test
    void table_thatIsDeletedRightBeforeTheEnd_isMadeUpForThoughThatBeginsSlowly() throws Exception {
        Path data = temporary.resolve("data");
        AtomicBoolean slow = new AtomicBoolean();
        CellStore.Opener slowly = (directory, place) -> {
            CellStore store = RocksCellStore.open(directory, place);
            return before(store, "prepare", _ -> {
                synchronized (store) {
                    Thread.sleep(slow.getAndSet(false) ? 4_000 : 0);
                }
            });
        };
        Node node = new Node(data, slowly);
        node.addToMany(MANY);
        node.storage.checkpoint();
        slow.set(true);
        delete(data.resolve("cells"), ".sst");

        assertThat(node.storage.end(Duration.ofSeconds(1), () -> {})).isTrue();

        try (Node next = new Node(data)) {
            assertThat(next.keyspace.keys()).isEqualTo(MANY);
        }
    }

    /// A backup takes as long as it takes to read all.
    @Test
    void table_thatIsDeletedDuringABackup_isMadeUpForBefore() throws Exception {
        Path data = temporary.resolve("data");
        CountDownLatch copying = new CountDownLatch(1);
        CellStore.Opener slowly = (directory, place) -> before(RocksCellStore.open(directory, place), "copyTo", it -> {
            copying.countDown();
            for (int i = 0; i < 1_000; i++) {
                ((Pause) it[1]).take();
                Thread.sleep(20);
            }
        });
        Node node = new Node(data, slowly);
        node.addToMany(MANY);
        node.storage.checkpoint();
        CompletableFuture<Void> backup = CompletableFuture.runAsync(
                () -> assertThatThrownBy(node.storage::backup).hasMessageContaining("what is lost comes first"));
        copying.await();
        delete(data.resolve("cells"), ".sst");

        backup.join();
        Awaitility.await().pollInterval(Duration.ofMillis(10)).until(() -> !node.storage.hasLostFiles());
        assertThat(node.storage.end(Duration.ofSeconds(2), () -> {})).isTrue();
        try (Node next = new Node(data)) {
            assertThat(next.keyspace.keys()).isEqualTo(MANY);
        }
    }

    @Test
    void backup_afterALossWasMadeUpFor_isMadeAtOnce() throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.addToMany(MANY);
            node.storage.checkpoint();
            delete(data.resolve("cells"), ".sst");
            Awaitility.await().pollInterval(Duration.ofMillis(10)).until(node.storage::hasLostFiles);

            copy(node.storage.backup(), temporary.resolve("copy"));
        }

        try (Node node = new Node(temporary.resolve("copy"))) {
            assertThat(node.keyspace.keys()).isEqualTo(MANY);
        }
    }

    @Test
    void table_thatIsDeletedAfterTheLastCheckpointWasGivenUp_isMadeUpFor() throws Exception {
        Path data = temporary.resolve("data");
        AtomicBoolean slow = new AtomicBoolean();
        CountDownLatch givenUp = new CountDownLatch(1);
        CellStore.Opener slowly = (directory, place) -> before(RocksCellStore.open(directory, place), "commit", _ -> {
            if (slow.getAndSet(false)) {
                givenUp.await();
                delete(data.resolve("cells"), ".sst");
            }
        });
        Node node = new Node(data, slowly);
        node.addToMany(MANY);
        node.storage.checkpoint();
        slow.set(true);
        node.add("a", 1);

        assertThat(node.storage.end(Duration.ofSeconds(2), givenUp::countDown)).isTrue();

        try (Node next = new Node(data)) {
            assertThat(next.keyspace.keys()).isEqualTo(MANY + 1);
        }
    }

    /// A full disk may be given room; memory is the only place where the counters are until then.
    @Test
    void table_thatIsGoneAtAStopWhoseDiskIsFullForAWhile_isMadeUpFor() throws Exception {
        Path data = temporary.resolve("data");
        AtomicInteger failures = new AtomicInteger();
        CellStore.Opener full = (directory, place) -> before(RocksCellStore.open(directory, place), "commit", _ -> {
            if (failures.getAndDecrement() > 0) {
                throw new IOException("No space left on device");
            }
        });
        Node node = new Node(data, full);
        node.addToMany(MANY);
        node.storage.checkpoint();
        // Two tries before it is given up, and the first of those that follow.
        failures.set(3);
        delete(data.resolve("cells"), ".sst");

        assertThat(node.storage.end(Duration.ofSeconds(10), () -> {})).isTrue();

        assertThat(failures.get()).isNegative();
        try (Node next = new Node(data)) {
            assertThat(next.keyspace.keys()).isEqualTo(MANY);
        }
    }

    /// Spare files and copies that nobody goes on with may be what takes the room.
    @Test
    void table_thatIsGoneAtAStopWhoseDiskHasWhatCanBeGivenUp_isMadeUpFor() throws Exception {
        Path data = temporary.resolve("data");
        AtomicBoolean full = new AtomicBoolean();
        CellStore.Opener store = (directory, place) -> before(RocksCellStore.open(directory, place), "commit", _ -> {
            if (full.get() && hasWhatCanBeGivenUp(data)) {
                throw new IOException("No space left on device");
            }
        });
        Node node = new Node(data, store);
        node.addToMany(MANY);
        node.storage.checkpoint();
        Awaitility.await().until(() -> hasWhatCanBeGivenUp(data));
        Files.createDirectories(data.resolve("backup.unfinished-20200101-000000-000/cells"));
        full.set(true);
        delete(data.resolve("cells"), ".sst");

        assertThat(node.storage.end(Duration.ofSeconds(10), () -> {})).isTrue();

        try (Node next = new Node(data)) {
            assertThat(next.keyspace.keys()).isEqualTo(MANY);
        }
    }

    private static boolean hasWhatCanBeGivenUp(Path data) throws IOException {
        return Stream.concat(Directories.list(data).stream(), Directories.list(data.resolve("journal")).stream())
                .map(file -> file.getFileName().toString())
                .anyMatch(name -> name.endsWith(".spare") || name.startsWith("backup.unfinished"));
    }

    /// RocksDB finds it out when it merges tables, and refuses all writes from then on.
    @Test
    void block_thatRots_isMadeUpForByACheckpointOfAll() throws Exception {
        Path data = temporary.resolve("data");
        long counted = 0;
        long tried = 0;
        try (Node node = new Node(data)) {
            node.addToMany(MANY);
            node.storage.checkpoint();
            rot(data.resolve("cells"));
            String rotten = identity(data);

            while (identity(data).equals(rotten)) {
                tried++;
                counted += countAndCheckpoint(node);
            }
            Awaitility.await().until(() -> node.storage.status().checkpoint().failure() == null);
            awaitNoRefusal(node);
            copyLive(data, temporary.resolve("copy"));
            assertThat(node.storage.end(Duration.ofSeconds(10), () -> {})).isTrue();
        }

        for (Path directory : List.of(data, temporary.resolve("copy"))) {
            try (Node node = new Node(directory)) {
                assertThat(node.keyspace.keys()).isEqualTo(MANY + 1);
                assertThat(node.value("a")).isBetween(counted, tried);
            }
        }
    }

    /// Whoever counts nothing writes nothing, which is what would be refused.
    @Test
    void block_thatRots_isMadeUpForWhenRocksDbHasMetItThoughNobodyCounts() throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            String rotten = rotUntilRocksDbMeetsIt(node, data);

            Awaitility.await().until(() -> !identity(data).equals(rotten));
            awaitNoRefusal(node);
            copyLive(data, temporary.resolve("copy"));
        }

        try (Node node = new Node(temporary.resolve("copy"))) {
            assertThat(node.keyspace.keys()).isEqualTo(MANY + 1);
        }
    }

    @Test
    void block_thatRots_isMadeUpForByTheLastCheckpoint() throws Exception {
        Path data = temporary.resolve("data");
        Node node = new Node(data);
        String _ = rotUntilRocksDbMeetsIt(node, data);

        assertThat(node.storage.end(Duration.ofSeconds(10), () -> {})).isTrue();

        try (Node next = new Node(data)) {
            assertThat(next.keyspace.keys()).isEqualTo(MANY + 1);
        }
    }

    /// Returns what tells the rotten database from another.
    private static String rotUntilRocksDbMeetsIt(Node node, Path data) throws Exception {
        node.addToMany(MANY);
        node.storage.checkpoint();
        rot(data.resolve("cells"));
        String rotten = identity(data);
        while (identity(data).equals(rotten) && !hasMetDamage(data)) {
            long _ = countAndCheckpoint(node);
            // What it merges it merges after that.
            Thread.sleep(300);
        }
        return rotten;
    }

    private static boolean hasMetDamage(Path data) throws IOException {
        return Files.readString(data.resolve("cells").resolve("LOG"), StandardCharsets.ISO_8859_1)
                .contains("Corruption");
    }

    private static String identity(Path data) throws IOException {
        Path file = data.resolve("cells").resolve("IDENTITY");
        return Files.exists(file) ? Files.readString(file) : "";
    }

    private static void awaitNoRefusal(Node node) {
        Awaitility.await().until(() -> node.storage.refusal() == null);
    }

    /// Whatever becomes of them. Returns how much was counted for sure.
    private static int countAndCheckpoint(Node node) throws Exception {
        awaitNoRefusal(node);
        int counted = 0;
        try {
            node.add("a", 1);
            counted = 1;
            node.storage.checkpoint();
        } catch (ExecutionException | IOException _) {
            // The damage was found.
        }
        return counted;
    }

    /// A copy shares its blocks.
    @Test
    void block_thatRots_isInNoBackup() throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.addToMany(MANY);
            node.storage.checkpoint();
            rot(data.resolve("cells"));
            // The one that the backup begins with has a single cell.
            node.add("key-0", 1);

            assertThatThrownBy(node.storage::backup).hasMessageContaining("mismatch");
            // A stop would take the counters with it.
            assertThat(node.storage.hasLostFiles()).isTrue();

            Awaitility.await().until(() -> node.storage.status().checkpoint().lastCells() == MANY);
            awaitNoRefusal(node);
            copy(node.storage.backup(), temporary.resolve("copy"));
        }

        for (Path directory : List.of(data, temporary.resolve("copy"))) {
            try (Node node = new Node(directory)) {
                assertThat(node.keyspace.keys()).isEqualTo(MANY);
            }
        }
    }

    private static void rot(Path cells) throws IOException {
        try (Stream<Path> files = Files.list(cells)) {
            Path table = files.filter(file -> file.toString().endsWith(".sst"))
                    .max(Comparator.comparingLong(file -> file.toFile().length()))
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(table);
            bytes[bytes.length / 4] ^= 1;
            FileTime written = Files.getLastModifiedTime(table);
            Files.write(table, bytes);
            Files.setLastModifiedTime(table, written);
        }
    }

    /// It stays closed as long as the disk takes no new table, and nobody can ask it for the names of its files.
    @Test
    void table_thatIsDeletedWhileTheDatabaseIsClosed_isMadeUpForByACheckpointOfAll() throws Exception {
        Path data = temporary.resolve("data");
        Path cells = data.resolve("cells");
        try (Node node = new Node(data)) {
            node.add("a", 5);
            node.storage.checkpoint();
            node.add("b", 6);
            Set<Path> tables = tables(cells);
            List<Path> inTheWay = IntStream.range(0, 100)
                    .mapToObj(number -> cells.resolve(String.format("%06d.sst", number)))
                    .filter(Files::notExists)
                    .toList();
            for (Path path : inTheWay) {
                Files.createDirectory(path);
            }
            assertThatThrownBy(node.storage::checkpoint).hasMessageContaining("directory");
            for (Path path : inTheWay) {
                Files.delete(path);
            }
            for (Path table : tables) {
                Files.delete(cells.resolve(table));
            }

            Awaitility.await().until(() -> node.storage.status().checkpoint().failure() == null);
            awaitNoRefusal(node);
            node.add("b", 1);
        }

        try (Node node = new Node(data)) {
            assertThat(node.value("a")).isEqualTo(5);
            assertThat(node.value("b")).isEqualTo(7);
        }
    }

    /// Nobody has looked for its files since.
    @Test
    void database_thatIsDeletedBeforeABackup_isInTheBackup() throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.add("a", 5);
            node.storage.checkpoint();
            delete(data.resolve("cells"));
            copy(node.storage.backup(), temporary.resolve("copy"));
        }

        for (Path directory : List.of(data, temporary.resolve("copy"))) {
            try (Node node = new Node(directory)) {
                assertThat(node.value("a")).isEqualTo(5);
            }
        }
    }

    private static void awaitCheckpointAndNoRefusal(Node node) {
        long before = node.storage.status().checkpoint().lastEpochMillis();
        Awaitility.await().until(() -> node.storage.status().checkpoint().lastEpochMillis() > before);
        awaitNoRefusal(node);
    }

    /// As when a copy is restored and the process before was not stopped: what it did there would be done to the files
    /// of the next.
    @Test
    void directory_thatIsReplaced_isLeftAlone() throws Exception {
        Path data = temporary.resolve("data");
        Path moved = temporary.resolve("moved");
        int counted = 5;
        try (Node node = new Node(data)) {
            node.add("a", counted);
            Path backup = node.storage.backup();
            counted += countUntilMerged(node, data.resolve("cells"), tables(backup.resolve("cells")));
            Files.move(data, moved);
            copy(moved.resolve(data.relativize(backup)), data);
            List<String> before = files(data);

            Awaitility.await()
                    .untilAsserted(() -> assertThat(node.storage.refusal()).contains("was moved or deleted"));
            assertThatThrownBy(node.storage::checkpoint).hasMessageContaining("was moved or deleted");
            assertThatThrownBy(node.storage::backup).hasMessageContaining("was moved or deleted");
            assertThat(node.storage.end(Duration.ofSeconds(10), () -> {})).isFalse();
            assertThat(files(data)).isEqualTo(before);
        }

        // This process has the database under its old name open still.
        Path restored = temporary.resolve("restored");
        copy(data, restored);
        try (Node node = new Node(restored)) {
            assertThat(node.value("a")).isEqualTo(5);
        }
        try (Node node = new Node(moved)) {
            assertThat(node.value("a")).isEqualTo(counted);
        }
    }

    /// Until none of these tables is the database's any more, and it has no reason to merge any. What RocksDB merges
    /// while its directory is replaced, it finishes by name.
    ///
    /// @return how much it has counted
    private static int countUntilMerged(Node node, Path cells, Set<Path> tables) throws Exception {
        int counted = 0;
        while (!Collections.disjoint(tables(cells), tables)) {
            node.add("a", 1);
            counted++;
            node.storage.checkpoint();
        }
        Awaitility.await().until(() -> tables(cells).size() <= MERGED_TABLES);
        return counted;
    }

    /// Their names.
    private static Set<Path> tables(Path cells) throws IOException {
        try (Stream<Path> files = Files.list(cells)) {
            return files.map(Path::getFileName)
                    .filter(file -> file.toString().endsWith(".sst"))
                    .collect(Collectors.toSet());
        }
    }

    /// What was not found meanwhile is not taken for deleted.
    @Test
    void directory_thatIsBack_isGoneOnWith() throws Exception {
        Path data = temporary.resolve("data");
        Path moved = temporary.resolve("moved");
        try (Node node = new Node(data)) {
            node.add("a", 5);
            node.storage.checkpoint();
            node.add("b", 6);
            Files.move(data, moved);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(node.storage.refusal()).contains("was moved or deleted"));
            Files.move(moved, data);
            Path identity = data.resolve("cells").resolve("IDENTITY");
            String same = Files.readString(identity);

            awaitNoRefusal(node);
            node.add("a", 1);
            node.storage.checkpoint();
            // Its tables may be others by now, which RocksDB merges.
            assertThat(identity).hasContent(same);
        }

        try (Node node = new Node(data)) {
            assertThat(node.value("a")).isEqualTo(6);
            assertThat(node.value("b")).isEqualTo(6);
        }
    }

    /// Where nobody but RocksDB notices at first.
    @Test
    void directory_thatIsGoneWhileACheckpointCommits_isGoneOnWithWhenItIsBack() throws Exception {
        Path data = temporary.resolve("data");
        Path moved = temporary.resolve("moved");
        AtomicBoolean move = new AtomicBoolean();
        CellStore.Opener moving = (directory, place) -> before(RocksCellStore.open(directory, place), "commit", _ -> {
            if (move.getAndSet(false)) {
                Files.move(data, moved);
            }
        });
        try (Node node = new Node(data, moving)) {
            node.add("a", 5);
            node.storage.checkpoint();
            node.add("b", 6);
            move.set(true);
            assertThatThrownBy(node.storage::checkpoint).isInstanceOf(IOException.class);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(node.storage.refusal()).contains("was moved or deleted"));
            Files.move(moved, data);

            awaitNoRefusal(node);
            node.storage.checkpoint();
        }

        try (Node node = new Node(data)) {
            assertThat(node.value("a")).isEqualTo(5);
            assertThat(node.value("b")).isEqualTo(6);
        }
    }

    /// What is done before a call, with its arguments.
    @FunctionalInterface
    private interface Step {
        void take(Object[] arguments) throws Exception;
    }

    /// Else the last checkpoint of a node that stops while others get much from it would not come to its end.
    @Test
    void end_letsGoOfTheDatabase_whichWasHeldBackForOthers() throws Exception {
        List<Object> told = new ArrayList<>();
        CellStore.Opener listening =
                (directory, place) -> before(RocksCellStore.open(directory, place), "holdBack", it -> told.add(it[0]));
        Node node = new Node(temporary, listening);
        node.storage.yieldTo(() -> true);

        node.storage.lookAtOthers();
        assertThat(told).containsExactly(true);
        node.close();

        assertThat(told).containsExactly(true, false);
    }

    private static CellStore before(CellStore store, String call, Step step) {
        return (CellStore) Proxy.newProxyInstance(
                CellStore.class.getClassLoader(), new Class<?>[] {CellStore.class}, (_, method, arguments) -> {
                    if (method.getName().equals(call)) {
                        step.take(arguments);
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /// Their names, and when they were written last.
    private static List<String> files(Path directory) throws IOException {
        List<String> files = new ArrayList<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.sorted().toList()) {
                files.add(file + " " + Files.getLastModifiedTime(file));
            }
        }
        return files;
    }

    @Test
    void start_withTheDatabaseOfAnother_changesNothing() throws Exception {
        Path data = temporary.resolve("data");
        Path other = temporary.resolve("other");
        try (Node node = new Node(data)) {
            node.add("a", 5);
            copyLive(data, temporary.resolve("copy"));
        }
        try (Node node = new Node(other)) {
            for (int i = 0; i < 5; i++) {
                node.add("b", 1);
                node.storage.checkpoint();
            }
        }
        Path copy = temporary.resolve("copy");
        Files.move(copy.resolve("cells"), temporary.resolve("cells"));
        copy(other.resolve("cells"), copy.resolve("cells"));

        assertThatThrownBy(() -> new Node(copy)).hasMessageContaining("is missing");

        delete(copy.resolve("cells"));
        Files.move(temporary.resolve("cells"), copy.resolve("cells"));
        try (Node node = new Node(copy)) {
            assertThat(node.value("a")).isEqualTo(5);
        }
    }

    /// A file system may leave both names of a rename behind after a crash.
    @Test
    void segment_thatHasTheNameOfAReleasedOneToo_isNotOverwritten() throws Exception {
        Path data = temporary.resolve("data");
        Path crashed = temporary.resolve("crashed");
        try (Node node = new Node(data)) {
            node.add("b", 1);
            node.storage.checkpoint();
            node.add("a", 5);
            copyLive(data, crashed);
        }
        Path journal = crashed.resolve("journal");
        Path needed;
        try (Stream<Path> segments = Files.list(journal)) {
            needed = segments.filter(file -> file.toString().endsWith(".log"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
        }
        Path released = journal.resolve("0000000000000001.log");
        assertThat(needed).isNotEqualTo(released);
        Files.createLink(released, needed);

        try (Node node = new Node(crashed)) {
            assertThat(node.value("a")).isEqualTo(5);
            assertThat(released).doesNotExist();
            copy(crashed, temporary.resolve("again"));
        }

        try (Node node = new Node(temporary.resolve("again"))) {
            assertThat(node.value("a")).isEqualTo(5);
        }
    }

    /// The node may make files meanwhile, or delete some.
    private static void delete(Path directory) throws IOException {
        while (Files.exists(directory)) {
            try {
                delete(directory, "");
            } catch (DirectoryNotEmptyException | NoSuchFileException _) {
                // Once more.
            }
        }
    }

    /// Deletes what has this in its name.
    private static void delete(Path directory, String part) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                if (path.getFileName().toString().contains(part)) {
                    Files.delete(path);
                }
            }
        }
    }

    @Test
    void loops_thatCountWhileCheckpointsAreTaken_loseNothing() throws Exception {
        Path data = temporary.resolve("data");
        int turns = 300;
        try (Node node = new Node(data)) {
            List<Thread> loops = new ArrayList<>();
            for (int loop = 0; loop < 3; loop++) {
                loops.add(Threads.start("loop-" + loop, () -> node.countAlone(turns)));
            }
            // Each makes a file, as did the start; of four RocksDB would make one, while they are copied.
            for (int i = 0; i < 2; i++) {
                node.storage.checkpoint();
            }
            for (Thread loop : loops) {
                loop.join();
            }
            copyLive(data, temporary.resolve("copy"));
        }

        try (Node node = new Node(temporary.resolve("copy"))) {
            assertThat(node.value("shared")).isEqualTo(3L * turns);
        }
    }

    @Test
    void backup_copiedBack_isADataDirectory() throws Exception {
        Path data = temporary.resolve("data");
        Path restored = temporary.resolve("restored");
        try (Node node = new Node(data)) {
            node.add("a", 5);
            Path backup = node.storage.backup();
            node.add("a", 6);
            copy(backup, restored);
            assertThat(backup.getParent()).isEqualTo(data.toAbsolutePath().resolve("backup"));
        }

        try (Node node = new Node(restored)) {
            assertThat(node.value("a")).isEqualTo(5);
            node.add("a", 1);
        }

        try (Node node = new Node(restored)) {
            assertThat(node.value("a")).isEqualTo(6);
        }
    }

    /// As long as such a disk hangs, the journal would grow, and files that are lost not be made up for.
    @Test
    void backup_thatIsOnItsWayToAnotherDisk_keepsNoCheckpointWaiting() throws Exception {
        Path copy = temporary.resolve("copy");
        try (Elsewhere elsewhere = new Elsewhere();
                Node node = new Node(elsewhere.data)) {
            node.add("a", 5);
            CompletableFuture<Path> backup = elsewhere.begin(node);

            node.add("a", 6);
            node.storage.checkpoint();
            assertThatThrownBy(node.storage::backup).hasMessageEndingWith("a copy is being made");
            assertThat(backup).isNotDone();

            elsewhere.hangs.set(false);
            copy(backup.get(10, TimeUnit.SECONDS), copy);
        }

        try (Node node = new Node(copy)) {
            assertThat(node.value("a")).isEqualTo(5);
        }
    }

    @Test
    void backup_thatIsOnItsWayToAnotherDiskAtAStop_isGivenUp() throws Exception {
        try (Elsewhere elsewhere = new Elsewhere()) {
            Node node = new Node(elsewhere.data);
            node.add("a", 5);
            CompletableFuture<Path> backup = elsewhere.begin(node);

            assertThat(node.storage.end(Duration.ofSeconds(10), () -> {})).isTrue();

            assertThat(backup)
                    .failsWithin(Duration.ofSeconds(10))
                    .withThrowableOfType(ExecutionException.class)
                    .withMessageEndingWith("the node stops");
            try (Node next = new Node(elsewhere.data)) {
                assertThat(next.value("a")).isEqualTo(5);
            }
        }
    }

    /// A data directory whose copies go to another disk, which takes its time.
    private final class Elsewhere implements AutoCloseable {
        private final Path data = Files.createDirectory(temporary.resolve("data"));
        private final Path disk = Files.createTempDirectory(Path.of("/dev/shm"), "tallis-test");
        private final AtomicBoolean hangs = new AtomicBoolean(true);

        Elsewhere() throws IOException {
            Files.createSymbolicLink(data.resolve("backup"), disk);
        }

        /// Returns when the copy is on its way.
        CompletableFuture<Path> begin(Node node) {
            node.storage.yieldTo(() -> hangs.get() && hasFiles());
            CompletableFuture<Path> copied = new CompletableFuture<>();
            Thread _ = Threads.start("copier", () -> {
                try {
                    copied.complete(node.storage.backup());
                } catch (IOException e) {
                    copied.completeExceptionally(e);
                }
            });
            Awaitility.await().until(this::hasFiles);
            return copied;
        }

        private boolean hasFiles() {
            String[] names = disk.toFile().list();
            return names != null && names.length > 0;
        }

        @Override
        public void close() throws IOException {
            Directories.deleteTree(disk);
        }
    }

    /// The database alone would not do: it is filled partition by partition, while transactions go on.
    @Test
    void backups_whileTransactionsRun_haveNoneByHalf() throws Exception {
        List<Path> copies = new ArrayList<>();
        AtomicBoolean stop = new AtomicBoolean();
        try (Node node = new Node(temporary.resolve("data"))) {
            Thread transfers = Threads.start("transfers", () -> node.transferUntil(stop));
            for (int i = 0; i < 5; i++) {
                Path copy = temporary.resolve("copy-" + i);
                copy(node.storage.backup(), copy);
                copies.add(copy);
            }
            stop.set(true);
            transfers.join();
        }

        for (Path copy : copies) {
            try (Node node = new Node(copy)) {
                assertThat(node.sumOfTransfers()).isZero();
            }
        }
    }

    @Test
    void copyThatWasLeftUnfinished_isDeletedByTheNextStart() throws Exception {
        Path left = Files.createDirectories(temporary.resolve("backup.unfinished-20200101-000000-000/cells"));

        try (Node _ = new Node(temporary)) {
            assertThat(left.getParent()).doesNotExist();
        }
    }

    @Test
    void secondProcess_onADirectoryInUse_isRefused() throws Exception {
        try (Node _ = new Node(temporary)) {
            assertThatThrownBy(() -> new Node(temporary))
                    .isInstanceOf(DataDirectoryException.class)
                    .hasMessageContaining("is in use by process");
        }
    }

    @Test
    void journalThatIsGone_isDamageAndNoEmptyStart() throws Exception {
        try (Node node = new Node(temporary)) {
            node.add("a", 5);
        }
        try (Stream<Path> files = Files.list(temporary.resolve("journal"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }

        assertThatThrownBy(() -> new Node(temporary))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining(".log is missing");
    }

    @Test
    void status_ofARunningNode_tellsOfItsJournalAndCheckpoints() throws Exception {
        try (Node node = new Node(temporary)) {
            node.add("a", 5);
            JournalStatus before = node.storage.status();
            node.storage.checkpoint();

            JournalStatus after = node.storage.status();

            assertThat(before.segments()).isEqualTo(1);
            assertThat(before.bytesNeeded()).isPositive();
            assertThat(before.checkpoint().lastEpochMillis()).isEqualTo(-1);
            assertThat(before.checkpoint().taken()).isZero();
            assertThat(after.checkpoint().lastCells()).isEqualTo(1);
            assertThat(after.checkpoint().taken()).isEqualTo(1);
            assertThat(after.checkpoint().databaseBytes()).isPositive();
            assertThat(after.checkpointRunning()).isFalse();
            assertThat(after.turnsWaiting()).isZero();
            assertThat(after.bytesWaiting()).isZero();
            assertThat(after.refusal()).isNull();
        }
    }

    @Test
    void turn_afterClose_isLost() throws Exception {
        Node node = new Node(temporary);
        node.add("a", 5);
        node.close();

        assertThatThrownBy(() -> node.add("a", 1)).hasMessageContaining("lost");
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    /// As a crash at some moment would leave it, whatever goes on there.
    private static void copyLive(Path from, Path to) {
        Awaitility.await().ignoreExceptions().until(() -> {
            if (Files.exists(to)) {
                Directories.deleteTree(to);
            }
            List<String> before = files(from);
            copy(from, to);
            return files(from).equals(before);
        });
    }

    private final class Node implements AutoCloseable {
        final Keyspace keyspace =
                new Keyspace(new Replicas(new ReplicaId(randomness.nextLong(), randomness.nextLong())), randomness);
        final Storage storage;
        final TurnLog log;

        Node(Path data) throws IOException {
            this(data, RocksCellStore::open);
        }

        Node(Path data, CellStore.Opener database) throws IOException {
            storage = Storage.open(
                    new JournalSettings(data, 1 << 16, 1 << 20, 10),
                    Live.fixed(FsyncPolicy.EVERYSEC),
                    database,
                    keyspace,
                    Clock.system(),
                    randomness);
            try {
                storage.load();
            } catch (IOException e) {
                storage.close();
                throw e;
            }
            log = storage.newTurnLog();
        }

        void add(String key, long amount) throws Exception {
            add(log, key, amount).get();
        }

        /// One to each of so many counters.
        void addToMany(int counters) {
            List<CompletableFuture<Void>> replies = new ArrayList<>();
            for (int i = 0; i < counters; i++) {
                replies.add(add(log, "key-" + i, 1));
            }
            replies.forEach(CompletableFuture::join);
        }

        /// Counts as an event loop of its own would.
        void countAlone(int turns) {
            TurnLog own = storage.newTurnLog();
            List<CompletableFuture<Void>> replies = new ArrayList<>();
            for (int i = 0; i < turns; i++) {
                replies.add(add(own, "shared", 1));
            }
            replies.forEach(CompletableFuture::join);
        }

        private CompletableFuture<Void> add(TurnLog turns, String key, long amount) {
            new Counters(keyspace, turns).add(Key.of(key.getBytes(StandardCharsets.UTF_8)), amount);
            return commit(turns);
        }

        private static CompletableFuture<Void> commit(TurnLog turns) {
            var reply = new CompletableFuture<Void>();
            turns.commit(new TurnLog.Outcome() {
                @Override
                public void written() {
                    reply.complete(null);
                }

                @Override
                public void lost() {
                    reply.completeExceptionally(new IOException("lost"));
                }
            });
            return reply;
        }

        /// Takes from one counter what it gives to another, each time as one.
        void transferUntil(AtomicBoolean stop) {
            TurnLog own = storage.newTurnLog();
            Counters counters = new Counters(keyspace, own);
            Gen gen = new Gen(7);
            while (!stop.get()) {
                Key from = transfer(gen.between(0, TRANSFERS - 1));
                Key to = transfer(gen.between(0, TRANSFERS - 1));
                BitSet partitions = new BitSet();
                partitions.set(keyspace.partitionOf(from));
                partitions.set(keyspace.partitionOf(to));
                counters.lockAll(partitions);
                own.beginGroup();
                counters.add(from, -1);
                counters.add(to, 1);
                own.endGroup();
                counters.unlockAll(partitions);
                CompletableFuture<Void> reply = commit(own);
                if (own.congested()) {
                    reply.join();
                }
            }
        }

        long sumOfTransfers() {
            long sum = 0;
            for (int i = 0; i < TRANSFERS; i++) {
                Counters counters = new Counters(keyspace, log);
                counters.read(CounterType.PNCOUNT, transfer(i));
                sum += counters.value();
            }
            return sum;
        }

        private static Key transfer(int number) {
            return Key.of(("transfer-" + number).getBytes(StandardCharsets.UTF_8));
        }

        long value(String key) {
            Counters counters = new Counters(keyspace, log);
            counters.read(CounterType.PNCOUNT, Key.of(key.getBytes(StandardCharsets.UTF_8)));
            return counters.value();
        }

        @Override
        public void close() throws IOException {
            storage.close();
        }
    }
}
