package io.tallis.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.backup.BackupFiles;
import io.tallis.journal.backup.JournalCopy;
import io.tallis.journal.checkpoint.GenerationFiles;
import io.tallis.journal.checkpoint.Generations;
import io.tallis.journal.checkpoint.SimulatedCellStore;
import io.tallis.journal.checkpoint.SimulatedGenerations;
import io.tallis.journal.disk.DataDirectory;
import io.tallis.journal.disk.DiskFile;
import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.FileCopy;
import io.tallis.journal.disk.NioDisk;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.journal.log.JournalSettings;
import io.tallis.journal.log.LogWriter;
import io.tallis.journal.log.Segments;
import io.tallis.journal.log.Told;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import io.tallis.testing.FakeClock;
import io.tallis.testing.ForcedPaths;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// That syncs reach the operating system, which tests with a simulated disk cannot prove.
@Timeout(60)
final class ForcedFilesTest {
    private final AtomicLong random = new AtomicLong(7);

    @TempDir
    private Path directory;

    @Test
    void sync_ofAFileAndOfTheDisk_reachesTheSystem() throws IOException {
        NioDisk disk = new NioDisk(directory, () -> {});
        try (ForcedPaths forced = new ForcedPaths();
                DiskFile file = disk.create("a")) {
            file.write(ByteBuffer.wrap(new byte[3]), 0);
            file.sync();
            disk.sync();

            assertThat(forced.under(directory)).containsExactly(directory.resolve("a"), directory);
        }
    }

    @Test
    void change_underAlways_isForcedBeforeItIsAcknowledged() throws IOException {
        Keyspace keyspace = new Keyspace(new Replicas(new ReplicaId(1, 1)), random::incrementAndGet, () -> 1_000_000);
        try (Storage storage = start(keyspace);
                ForcedPaths forced = new ForcedPaths()) {
            count(keyspace, storage.newTurnLog());

            assertThat(forced.under(directory)).contains(firstSegment());
        }
    }

    @Test
    void firstSegment_isForcedAndSoAreItsDirectoryAndTheNodesName() throws IOException {
        Keyspace keyspace = new Keyspace(new Replicas(new ReplicaId(1, 1)), random::incrementAndGet, () -> 1_000_000);
        try (ForcedPaths forced = new ForcedPaths();
                Storage _ = start(keyspace)) {
            assertThat(forced.under(directory))
                    .containsSubsequence(directory.resolve("node.new"), directory)
                    .containsSubsequence(firstSegment(), journal());
        }
    }

    private Path journal() {
        return directory.resolve("journal");
    }

    /// By the name that it was opened with, before it got its number.
    private Path firstSegment() {
        return journal().resolve("0.new");
    }

    private JournalSettings settings() {
        return new JournalSettings(directory, 1 << 16, 1 << 20, 10);
    }

    private Storage start(Keyspace keyspace) throws IOException {
        Storage storage = Storage.open(
                settings(),
                Live.fixed(FsyncPolicy.ALWAYS),
                _ -> new SimulatedCellStore(new Faults()),
                keyspace,
                Clock.system(),
                random::incrementAndGet);
        storage.load();
        return storage;
    }

    private static void count(Keyspace keyspace, TurnLog turns) {
        Told told = new Told();
        new Counters(keyspace, turns).add(Key.of(new byte[] {'a'}), 1);
        turns.commit(told);
        await().until(told::isWritten);
    }

    @Test
    void switchToAGeneration_forcesTheFileAndItsDirectory() throws IOException {
        try (DataDirectory data = DataDirectory.open(directory, random::incrementAndGet)) {
            GenerationFiles files = new GenerationFiles(data, _ -> new SimulatedCellStore(new Faults()));
            try (ForcedPaths forced = new ForcedPaths()) {
                files.create(2).close();
                files.use(2);

                assertThat(forced.under(directory))
                        .containsExactly(directory, directory.resolve("current.new"), directory);
            }
            assertThat(files.current()).isEqualTo(2);
            assertThat(files.numbers()).containsExactly(2L);
        }
    }

    @Test
    void backup_isForcedWithAllItsFilesAndDirectories() throws IOException {
        try (DataDirectory data = DataDirectory.open(directory, random::incrementAndGet)) {
            Files.writeString(data.nodes(), "north, south");
            Segments segments = new Segments(new NioDisk(data.journal(), () -> {}), settings());
            LogWriter log = new LogWriter(segments, new ReplicaId(1, 1), random::incrementAndGet, 3, 0);
            JournalCopy.Rotation rotation = () -> {
                log.moveOn();
                return log.segmentNumber();
            };
            JournalCopy rows = new JournalCopy(segments, rotation, () -> {});
            SimulatedGenerations generations = new SimulatedGenerations(new Faults());
            generations.add(1, new SimulatedCellStore(new Faults()));
            BackupFiles backups =
                    new BackupFiles(data, Generations.open(generations, 1), rows, () -> {}, () -> {}, new FakeClock());
            try (ForcedPaths forced = new ForcedPaths()) {
                Path copy = backups.make(3);
                backups.keep(copy);

                List<Path> paths = forced.under(directory);
                assertThat(paths)
                        .containsAll(partsOf(copy))
                        .contains(copy.resolve("node.new"), copy.resolve("current.new"));
                assertThat(paths).endsWith(copy, data.backups());
            }
            log.close();
        }
    }

    private static List<Path> partsOf(Path copy) {
        Path journal = copy.resolve("journal");
        return List.of(
                copy.resolve("nodes"),
                journal.resolve(Segments.nameOf(3)),
                journal.resolve(Segments.nameOf(4)),
                journal);
    }

    @Test
    void copyOnAnotherDisk_isForcedWithAllItsFilesAndDirectories() throws IOException {
        Path from = directory.resolve("from");
        Path to = directory.resolve("to");
        Files.createDirectories(from.resolve("cells-1"));
        Files.writeString(from.resolve("node"), "a name");
        Files.writeString(from.resolve("cells-1/1.sst"), "counters");
        try (ForcedPaths forced = new ForcedPaths()) {
            FileCopy.copyTree(from, to, () -> {});

            assertThat(forced.under(directory))
                    .contains(to.resolve("node"), to.resolve("cells-1/1.sst"), to.resolve("cells-1"))
                    .endsWith(to);
        }
    }
}
