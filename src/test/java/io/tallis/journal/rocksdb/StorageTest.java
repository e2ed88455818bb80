package io.tallis.journal.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.JournalStatus;
import io.tallis.journal.Storage;
import io.tallis.journal.checkpoint.CellStore;
import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.DataDirectoryException;
import io.tallis.journal.disk.Pause;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.journal.log.JournalSettings;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Directories;
import io.tallis.runtime.FatalException;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The whole of storage on a real directory with the real database and all threads.
@Timeout(60)
final class StorageTest {
    private static final int TRANSFERS = 1_000;

    /// Enough for several blocks of a table.
    private static final int MANY = 5_000;

    /// Enough for several batches of a checkpoint.
    private static final int LOTS = 60_000;

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

    /// It would serve zeros, as a node that has all counters of its cluster.
    @Test
    void emptiedDirectory_thatKeepsTheFileCluster_isRefusedAtEachStart() throws Exception {
        Path data = Files.createDirectory(temporary.resolve("data"));
        Files.writeString(data.resolve("cluster"), "0000019c4f1a2b3c9d8e7f6a5b4c3d2e complete\n");

        for (int start = 0; start < 2; start++) {
            assertThatThrownBy(() -> new Node(data))
                    .isInstanceOf(DamagedException.class)
                    .hasMessageContaining("has neither a journal nor a database, but " + data.resolve("cluster"));
        }
    }

    @Test
    void copyOfARunningDirectory_hasEveryCount() throws Exception {
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

    /// Writes to files without a name succeed.
    @ParameterizedTest
    @ValueSource(strings = {"deleted", "moved", "lock deleted", "lock replaced"})
    void directory_thatIsNoLongerThisProcesss_refusesChangesAndEndsTheProcess(String how) throws Exception {
        Path data = temporary.resolve("data");
        Uncaught fatal = new Uncaught("storage-watch");
        try (fatal) {
            Node node = new Node(data);
            node.add("a", 5);
            switch (how) {
                case "deleted" -> delete(data);
                case "moved" -> Files.move(data, temporary.resolve("moved"));
                case "lock deleted" -> Files.delete(data.resolve("lock"));
                default -> {
                    Path other = Files.createFile(temporary.resolve("lock"));
                    Files.move(other, data.resolve("lock"), StandardCopyOption.REPLACE_EXISTING);
                }
            }

            Awaitility.await()
                    .dontCatchUncaughtExceptions()
                    .untilAsserted(() -> assertThat(fatal.thrown)
                            .isInstanceOf(FatalException.class)
                            .hasMessageContaining("is no longer the data directory that this process has locked"));
            assertThat(node.storage.refusal()).contains("is no longer the data directory");
            CompletableFuture<Void> later = node.add(node.log, "a", 1);
            assertThatThrownBy(node.storage::checkpoint).isInstanceOf(DataDirectoryException.class);
            assertThatThrownBy(node.storage::backup).isInstanceOf(IOException.class);
            assertThat(later).isNotDone();
        }
    }

    /// What a thread throws, which in a server ends the process.
    private static final class Uncaught implements AutoCloseable {
        private final Thread.@Nullable UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        private volatile @Nullable Throwable thrown;

        Uncaught(String name) {
            Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
                if (thread.getName().equals(name)) {
                    thrown = failure;
                }
            });
        }

        @Override
        public void close() {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    /// The process that was not stopped must not touch the files of the next one in its place.
    @Test
    void directory_thatIsReplacedByABackup_isLeftAlone() throws Exception {
        Path data = temporary.resolve("data");
        Path moved = temporary.resolve("moved");
        try (Uncaught fatal = new Uncaught("storage-watch")) {
            Node node = new Node(data);
            node.add("a", 5);
            Path backup = node.storage.backup();
            Files.move(data, moved);
            copy(moved.resolve(data.relativize(backup)), data);
            List<String> before = files(data);

            Awaitility.await().dontCatchUncaughtExceptions().until(() -> fatal.thrown != null);
            assertThatThrownBy(node.storage::checkpoint).isInstanceOf(DataDirectoryException.class);
            assertThat(files(data)).isEqualTo(before);
        }

        try (Node node = new Node(data)) {
            assertThat(node.value("a")).isEqualTo(5);
        }
    }

    /// Memory has all that it held, and the database is complete.
    @Test
    void deletedSegment_isMadeNeedlessByACheckpoint() throws Exception {
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
    void deletedFileOfTheDatabase_isMadeUpForByANewGeneration(String part) throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.add("a", 5);
            node.storage.checkpoint();
            node.add("b", 6);
            assertThat(data.resolve("current")).hasContent("cells-1");
            delete(data.resolve("cells-1"), part);

            awaitCheckpointAndNoRefusal(node);
            assertThat(data.resolve("current")).hasContent("cells-2");
            assertThat(data.resolve("cells-1")).doesNotExist();
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

    @Test
    void tableThatIsCutShort_isMadeUpForByANewGeneration() throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.addToMany(MANY);
            node.storage.checkpoint();
            Path table = largestTable(cells(data));
            byte[] bytes = Files.readAllBytes(table);
            Files.write(table, Arrays.copyOf(bytes, bytes.length / 2));

            awaitCheckpointAndNoRefusal(node);
            copyLive(data, temporary.resolve("killed"));
        }

        try (Node node = new Node(temporary.resolve("killed"))) {
            assertThat(node.keyspace.keys()).isEqualTo(MANY);
        }
    }

    /// Without the database nothing has what the journal does not reach back to.
    @Test
    void start_withADamagedDatabaseAndAReleasedSegment_isRefusedAndDeletesNothing() throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.addToMany(MANY);
        }
        Path table = largestTable(cells(data));
        Path away = temporary.resolve("away");
        Files.move(table, away);
        List<String> before = files(data.resolve("journal"));

        assertThatThrownBy(() -> new Node(data)).isInstanceOf(DamagedException.class);

        assertThat(files(data.resolve("journal"))).isEqualTo(before);
        Files.move(away, table);
        try (Node node = new Node(data)) {
            assertThat(node.keyspace.keys()).isEqualTo(MANY);
        }
    }

    /// No segment was ever released, so the journal has everything.
    @ParameterizedTest
    @ValueSource(strings = {"cells-1", "current", "cells-1/CURRENT"})
    void start_withADamagedDatabaseBehindTheWholeJournal_beginsANewGeneration(String damaged) throws Exception {
        Path data = temporary.resolve("data");
        Path killed = temporary.resolve("killed");
        try (Node node = new Node(data)) {
            node.add("a", 5);
            copyLive(data, killed);
        }
        delete(killed.resolve(damaged));

        try (Node node = new Node(killed)) {
            assertThat(node.value("a")).isEqualTo(5);
            node.add("a", 1);
        }

        try (Node node = new Node(killed)) {
            assertThat(node.value("a")).isEqualTo(6);
        }
    }

    /// A crash between the commit of a new generation and the switch to it.
    @Test
    void start_besideACommittedGeneration_takesItWhereTheOneInUseIsDamaged() throws Exception {
        Path data = temporary.resolve("data");
        Path killed = temporary.resolve("killed");
        try (Node node = new Node(data)) {
            node.addToMany(MANY);
            node.storage.checkpoint();
            node.add("a", 5);
            copyLive(data, killed);
        }
        Files.move(killed.resolve("cells-1"), killed.resolve("cells-2"));
        Files.createDirectory(killed.resolve("cells-1"));
        Files.writeString(killed.resolve("cells-1").resolve("000009.sst"), "what is left");

        try (Node node = new Node(killed)) {
            assertThat(node.value("a")).isEqualTo(5);
            assertThat(node.keyspace.keys()).isEqualTo(MANY + 1);
            assertThat(killed.resolve("current")).hasContent("cells-2");
            assertThat(killed.resolve("cells-1")).doesNotExist();
        }
    }

    /// A crash before the switch, or one that lost the deletion of the former generation.
    @Test
    void start_besideOtherGenerations_deletesThem() throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.add("a", 5);
        }
        Files.createDirectory(data.resolve("cells-2"));
        Files.writeString(data.resolve("cells-2").resolve("000009.sst"), "unfinished");

        try (Node node = new Node(data)) {
            assertThat(node.value("a")).isEqualTo(5);
            assertThat(data.resolve("cells-2")).doesNotExist();
        }
    }

    /// The time limit of a stop is for a disk that does not answer.
    @Test
    void deletedTable_isMadeUpForByTheLastCheckpointHoweverLongThatTakes() throws Exception {
        Path data = temporary.resolve("data");
        AtomicBoolean slow = new AtomicBoolean();
        CellStore.Opener slowly =
                directory -> before(RocksCellStore.open(directory), "write", _ -> Thread.sleep(slow.get() ? 600 : 0));
        Node node = new Node(data, slowly);
        node.addToMany(LOTS);
        node.storage.checkpoint();
        slow.set(true);
        Path cells = cells(data);
        // More than once: RocksDB may be making one table of those that were there.
        Awaitility.await()
                .pollInterval(Duration.ofMillis(10))
                .ignoreException(NoSuchFileException.class)
                .until(() -> {
                    delete(cells, ".sst");
                    return node.storage.hasLostFiles();
                });

        assertThat(node.storage.end(Duration.ofSeconds(2), () -> {})).isTrue();

        try (Node next = new Node(data)) {
            assertThat(next.keyspace.keys()).isEqualTo(LOTS);
        }
    }

    /// A large backup takes minutes, in which no checkpoint can be taken.
    @Test
    void tableDeletedDuringABackup_hasTheBackupGivenUpForIt() throws Exception {
        Path data = temporary.resolve("data");
        CountDownLatch copying = new CountDownLatch(1);
        CellStore.Opener slowly = directory -> before(RocksCellStore.open(directory), "copyTo", it -> {
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
                () -> assertThatThrownBy(node.storage::backup).hasMessageContaining("given up for a checkpoint"));
        copying.await();
        delete(cells(data), ".sst");

        backup.join();
        Awaitility.await().pollInterval(Duration.ofMillis(10)).until(() -> !node.storage.hasLostFiles());
        assertThat(node.storage.end(Duration.ofSeconds(2), () -> {})).isTrue();
        try (Node next = new Node(data)) {
            assertThat(next.keyspace.keys()).isEqualTo(MANY);
        }
    }

    @Test
    void backup_afterDamage_isComplete() throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.addToMany(MANY);
            node.storage.checkpoint();
            delete(cells(data), ".sst");
            Awaitility.await().pollInterval(Duration.ofMillis(10)).until(node.storage::hasLostFiles);

            copy(node.storage.backup(), temporary.resolve("copy"));
        }

        try (Node node = new Node(temporary.resolve("copy"))) {
            assertThat(node.keyspace.keys()).isEqualTo(MANY);
        }
    }

    /// The old generation is all that a disk without room for a second one has.
    @Test
    void deletedTable_onAFullDisk_refusesChangesUntilThereIsRoom() throws Exception {
        Path data = temporary.resolve("data");
        AtomicBoolean full = new AtomicBoolean();
        CellStore.Opener opener = directory -> before(RocksCellStore.open(directory), "commit", _ -> {
            if (full.get()) {
                throw new IOException("No space left on device");
            }
        });
        try (Node node = new Node(data, opener)) {
            node.addToMany(MANY);
            node.storage.checkpoint();
            full.set(true);
            delete(cells(data), ".sst");

            Awaitility.await()
                    .untilAsserted(
                            () -> assertThat(node.storage.status().checkpoint().failure())
                                    .contains("No space left"));
            assertThat(node.storage.refusal()).contains(" is gone; ", "do not stop the node", "checkpoint_failure");
            assertThat(node.value("key-0")).isEqualTo(1);
            assertThat(data.resolve("cells-1")).isDirectory();
            assertThat(data.resolve("current")).hasContent("cells-1");

            full.set(false);
            awaitNoRefusal(node);
            copyLive(data, temporary.resolve("killed"));
        }

        try (Node node = new Node(temporary.resolve("killed"))) {
            assertThat(node.keyspace.keys()).isEqualTo(MANY);
        }
    }

    @Test
    void stop_withDamageThatCannotBeMadeUpFor_reportsIt() throws Exception {
        Path data = temporary.resolve("data");
        AtomicBoolean full = new AtomicBoolean();
        CellStore.Opener opener = directory -> before(RocksCellStore.open(directory), "commit", _ -> {
            if (full.get()) {
                throw new IOException("No space left on device");
            }
        });
        Node node = new Node(data, opener);
        node.addToMany(MANY);
        node.storage.checkpoint();
        full.set(true);
        delete(cells(data), ".sst");

        assertThat(node.storage.end(Duration.ofSeconds(10), () -> {})).isFalse();
    }

    /// RocksDB meets it when it merges tables, and refuses all writes from then on.
    @Test
    void rottenBlock_isMadeUpForByANewGeneration() throws Exception {
        Path data = temporary.resolve("data");
        long counted = 0;
        long tried = 0;
        try (Node node = new Node(data)) {
            node.addToMany(MANY);
            node.storage.checkpoint();
            rot(cells(data));
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

    private static String identity(Path data) throws IOException {
        Path file = data.resolve("current");
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
    void rottenBlock_isInNoBackup() throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.addToMany(MANY);
            node.storage.checkpoint();
            rot(cells(data));
            // The one that the backup begins with has a single cell.
            node.add("key-0", 1);

            assertThatThrownBy(node.storage::backup).hasMessageContaining("mismatch");
            Awaitility.await()
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> node.storage.hasLostFiles()
                            || node.storage.status().checkpoint().lastCells() == MANY);

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
        Path table = largestTable(cells);
        byte[] bytes = Files.readAllBytes(table);
        bytes[bytes.length / 4] ^= 1;
        Files.write(table, bytes);
    }

    private static Path largestTable(Path cells) throws IOException {
        try (Stream<Path> files = Files.list(cells)) {
            return files.filter(file -> file.toString().endsWith(".sst"))
                    .max(Comparator.comparingLong(file -> file.toFile().length()))
                    .orElseThrow();
        }
    }

    /// The generation in use.
    private static Path cells(Path data) throws IOException {
        return data.resolve(Files.readString(data.resolve("current")).strip());
    }

    /// The database is closed while the disk takes no new table, and cannot be asked for the names of its files.
    @Test
    void tableDeletedWhileTheDatabaseIsClosed_isMadeUpForByANewGeneration() throws Exception {
        Path data = temporary.resolve("data");
        Path cells = data.resolve("cells-1");
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

    /// The watch has not looked for its files since.
    @Test
    void databaseDeletedRightBeforeABackup_isInTheBackup() throws Exception {
        Path data = temporary.resolve("data");
        try (Node node = new Node(data)) {
            node.add("a", 5);
            node.storage.checkpoint();
            delete(cells(data));
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

    /// Their names.
    private static Set<Path> tables(Path cells) throws IOException {
        try (Stream<Path> files = Files.list(cells)) {
            return files.map(Path::getFileName)
                    .filter(file -> file.toString().endsWith(".sst"))
                    .collect(Collectors.toSet());
        }
    }

    /// What is done before a call, with its arguments.
    @FunctionalInterface
    private interface Step {
        void take(Object[] arguments) throws Exception;
    }

    /// The last checkpoint of a node that stops during a repair would be slow otherwise.
    @Test
    void end_freesTheThrottledDatabase() throws Exception {
        List<Object> told = new ArrayList<>();
        CellStore.Opener listening =
                directory -> before(RocksCellStore.open(directory), "throttle", it -> told.add(it[0]));
        Node node = new Node(temporary, listening);
        node.storage.throttleWhile(() -> true);

        node.storage.updateThrottle();
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
            node.storage.checkpoint();
            copyLive(data, temporary.resolve("copy"));
        }
        try (Node node = new Node(other)) {
            for (int i = 0; i < 5; i++) {
                node.add("b", 1);
                node.storage.checkpoint();
            }
        }
        Path copy = temporary.resolve("copy");
        Files.move(copy.resolve("cells-1"), temporary.resolve("cells-1"));
        copy(cells(other), copy.resolve("cells-1"));

        assertThatThrownBy(() -> new Node(copy)).hasMessageContaining("is missing");

        delete(copy.resolve("cells-1"));
        Files.move(temporary.resolve("cells-1"), copy.resolve("cells-1"));
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

    /// A disk that hangs would keep the journal growing, and damage from being made up for.
    @Test
    void backup_thatIsOnItsWayToAnotherDisk_keepsNoCheckpointWaiting() throws Exception {
        Path copy = temporary.resolve("copy");
        try (Elsewhere elsewhere = new Elsewhere();
                Node node = new Node(elsewhere.data)) {
            node.add("a", 5);
            CompletableFuture<Path> backup = elsewhere.begin(node);

            node.add("a", 6);
            node.storage.checkpoint();
            assertThatThrownBy(node.storage::backup).hasMessageEndingWith("another backup is being made");
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
            node.storage.throttleWhile(() -> hangs.get() && hasFiles());
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
    void backups_duringTransactions_haveEachWholeOrNotAtAll() throws Exception {
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
        Path left = Files.createDirectories(temporary.resolve("backup.unfinished-20200101-000000-000/cells-1"));

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
    void missingJournal_isDamageAndNoEmptyStart() throws Exception {
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
    void status_ofARunningNode_hasJournalAndCheckpoints() throws Exception {
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
        final Keyspace keyspace = new Keyspace(
                new Replicas(new ReplicaId(randomness.nextLong(), randomness.nextLong())), randomness, () -> 1_000_000);
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
