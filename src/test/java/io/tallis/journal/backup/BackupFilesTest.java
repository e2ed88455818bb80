package io.tallis.journal.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.journal.checkpoint.Generations;
import io.tallis.journal.checkpoint.SimulatedCellStore;
import io.tallis.journal.checkpoint.SimulatedGenerations;
import io.tallis.journal.disk.DataDirectory;
import io.tallis.journal.disk.DataDirectoryException;
import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.Faults.Fate;
import io.tallis.journal.disk.Pause;
import io.tallis.runtime.Directories;
import io.tallis.testing.FakeClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BackupFilesTest {
    private final Faults faults = new Faults();

    @TempDir
    private Path temporary;

    private DataDirectory directory;
    private BackupFiles backups;
    private Pause whileAllGoesOn = () -> {};

    @BeforeEach
    void open() throws IOException {
        directory = DataDirectory.open(temporary.resolve("data"), () -> 7);
        backups = backupsIn(directory);
    }

    private BackupFiles backupsIn(DataDirectory data) throws IOException {
        return new BackupFiles(data, database(), (_, _) -> {}, () -> {}, () -> whileAllGoesOn.take(), new FakeClock());
    }

    private Generations database() throws IOException {
        SimulatedGenerations generations = new SimulatedGenerations(faults);
        generations.add(1, new SimulatedCellStore(faults));
        return Generations.open(generations, 1);
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    @Test
    void copyThatFails_isDeleted() throws IOException {
        faults.restart((_, operation) -> operation.equals("copy") ? Fate.FAILS_AFTER : Fate.GOOD);

        assertThatThrownBy(() -> take(1)).hasMessage("No space left on device");

        assertThat(names()).isEmpty();
        assertThat(directory.unfinishedBackups()).isEmpty();
    }

    /// Deleting it may have failed.
    @Test
    void copyThatWasLeftUnfinished_isDeletedByTheNext() throws IOException {
        Files.createDirectories(
                directory.unfinishedBackup("20200101-000000-000").resolve("journal"));

        take(1);

        assertThat(directory.unfinishedBackups()).isEmpty();
    }

    @Test
    void copy_toAnotherDisk_isComplete() throws IOException {
        try (Elsewhere _ = new Elsewhere()) {
            Files.writeString(directory.nodes(), "north, south");
            AtomicInteger pauses = new AtomicInteger();
            whileAllGoesOn = pauses::incrementAndGet;

            Path backup = take(1);

            assertThat(names()).containsExactly(backup.getFileName().toString());
            assertThat(backup.resolve("nodes")).hasContent("north, south");
            assertThat(backup.resolve("node")).hasContent(directory.node() + "\n");
            assertThat(backup.resolve("journal")).isEmptyDirectory();
            assertThat(directory.unfinishedBackups()).isEmpty();
            assertThat(pauses).hasValueGreaterThan(1);
        }
    }

    @Test
    void copy_thatIsGivenUpOnItsWay_isDeleted() throws IOException {
        try (Elsewhere _ = new Elsewhere()) {
            whileAllGoesOn = () -> {
                throw new IOException("the node stops");
            };

            assertThatThrownBy(() -> take(1)).hasMessage("the node stops");

            assertThat(names()).isEmpty();
            assertThat(directory.unfinishedBackups()).isEmpty();
        }
    }

    @Test
    void copy_thatReadsBackDifferently_fails() throws IOException {
        try (Elsewhere elsewhere = new Elsewhere()) {
            whileAllGoesOn = elsewhere::rot;

            assertThatThrownBy(() -> take(1)).hasMessageEndingWith("does not have what was written to it");

            assertThat(names()).isEmpty();
        }
    }

    @Test
    void copy_ofWhichSomethingIsDeletedOnItsWay_fails() throws IOException {
        try (Elsewhere _ = new Elsewhere()) {
            whileAllGoesOn = () -> {
                for (Path source : directory.unfinishedBackups()) {
                    Files.deleteIfExists(source.resolve("node"));
                }
            };

            assertThatThrownBy(() -> take(1)).isInstanceOf(NoSuchFileException.class);

            assertThat(names()).isEmpty();
        }
    }

    @Test
    void oldCopies_besideUnreadableOnes_areDeleted() throws IOException {
        Files.createFile(directory.backups().resolve("20200101-000000-000"));
        Files.createDirectories(directory.backups().resolve("20200102-000000-000/node"));

        for (int i = 0; i < BackupFiles.KEPT + 3; i++) {
            take(1);
        }

        assertThat(names()).hasSize(BackupFiles.KEPT + 2).contains("20200101-000000-000", "20200102-000000-000");
    }

    /// Another process may use the directory there now.
    @Test
    void copy_ofADirectoryThatIsAnotherProcesssNow_fails() throws IOException {
        try (Elsewhere _ = new Elsewhere()) {
            whileAllGoesOn = () -> Files.deleteIfExists(temporary.resolve("data/lock"));

            assertThatThrownBy(() -> take(1)).isInstanceOf(DataDirectoryException.class);

            // What is there is left to the other process.
            assertThat(names()).singleElement().asString().startsWith(".");
            assertThat(directory.unfinishedBackups()).hasSize(1);
        }
    }

    /// All nodes may keep their copies on one disk.
    @Test
    void copies_ofAnotherNode_areLeftAlone() throws IOException {
        try (Elsewhere elsewhere = new Elsewhere();
                DataDirectory other = DataDirectory.open(temporary.resolve("other"), () -> 8)) {
            Files.delete(other.backups());
            Files.createSymbolicLink(other.backups(), elsewhere.disk);
            BackupFiles others = backupsIn(other);
            AtomicInteger pauses = new AtomicInteger();
            whileAllGoesOn = () -> {
                // Something of this one's copy is there.
                if (pauses.incrementAndGet() == 2) {
                    for (int i = 0; i <= BackupFiles.KEPT; i++) {
                        others.keep(others.make(1));
                    }
                }
            };

            Path copy = take(1);

            assertThat(copy.resolve("node")).hasContent(directory.node() + "\n");
            for (int i = 0; i <= BackupFiles.KEPT; i++) {
                take(1);
            }
            assertThat(names()).hasSize(2 * BackupFiles.KEPT);
        }
    }

    @Test
    void unfinishedCopies_ofThisNodeAreDeletedByTheNext() throws IOException {
        String name = ".20200101-000000-000-";
        List<String> others = List.of(".mine-" + directory.node(), name + "00000000-0000-0008-0000-000000000008");
        for (String own : List.of(name + directory.node(), name + directory.node() + ".deleted")) {
            Files.createDirectories(directory.backups().resolve(own).resolve("cells"));
        }
        for (String other : others) {
            Files.createDirectory(directory.backups().resolve(other));
        }

        Path copy = take(1);

        assertThat(names())
                .hasSize(3)
                .containsAll(others)
                .contains(copy.getFileName().toString());
    }

    /// The clock of the other node is ahead.
    @Test
    void copy_besideOneOfAnotherNodeWithALaterName_isNamedByTheTime() throws IOException {
        directory.writeNode(Files.createDirectory(directory.backups().resolve("19700101-000000-000")));
        Files.createDirectory(directory.backups().resolve("20990101-000000-000"));

        assertThat(take(1)).hasFileName("19700101-000000-001");
    }

    /// A node was started in it.
    @Test
    void copy_thatHasBecomeADataDirectory_isLeftAlone() throws IOException {
        Path used = take(1);
        Files.createFile(used.resolve("lock"));

        for (int i = 0; i <= BackupFiles.KEPT; i++) {
            take(1);
        }

        assertThat(names())
                .hasSize(BackupFiles.KEPT + 1)
                .contains(used.getFileName().toString());
    }

    /// A disk for copies that is not mounted must not prevent a start.
    @Test
    void brokenLinkForCopies_failsTheNextCopyButNoStart() throws IOException {
        Files.delete(directory.backups());
        Files.createSymbolicLink(directory.backups(), temporary.resolve("nowhere"));
        directory.close();

        directory = DataDirectory.open(temporary.resolve("data"), () -> 7);

        BackupFiles again = backupsIn(directory);
        assertThatThrownBy(() -> again.keep(again.make(1))).hasMessage("what it links to is not there");
    }

    /// Puts copies on a disk of their own.
    private final class Elsewhere implements AutoCloseable {
        private final Path disk = Files.createTempDirectory(Path.of("/dev/shm"), "tallis-test");

        Elsewhere() throws IOException {
            Files.delete(directory.backups());
            Files.createSymbolicLink(directory.backups(), disk);
        }

        /// Changes a bit of each file.
        void rot() throws IOException {
            try (Stream<Path> files = Files.walk(disk)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    byte[] bytes = Files.readAllBytes(file);
                    bytes[0] ^= 1;
                    Files.write(file, bytes);
                }
            }
        }

        @Override
        public void close() throws IOException {
            Directories.deleteTree(disk);
        }
    }

    @Test
    void copy_hasWhatTheNodeKnowsOfOthers() throws IOException {
        Files.writeString(directory.nodes(), "north, south");

        assertThat(take(1).resolve("nodes")).hasContent("north, south");
    }

    /// A node that is restored from it lacks what this one did.
    @Test
    void copy_ofIncompleteData_isIncomplete() throws IOException {
        assertThat(take(1).resolve("cluster")).doesNotExist();

        Files.writeString(directory.cluster(), "5 incomplete");

        assertThat(take(2).resolve("cluster")).hasContent("5 incomplete");
    }

    @Test
    void copies_afterTheClockWentBack_areNamedBehindTheOthers() throws IOException {
        for (int day = 1; day <= BackupFiles.KEPT; day++) {
            Path old = Files.createDirectories(directory.backups().resolve("2099010" + day + "-000000-000"));
            directory.writeNode(old);
        }
        Files.createDirectories(directory.backups().resolve("mine"));

        take(1);
        Path made = take(2);

        assertThat(made).isDirectory().hasFileName("20990108-000000-002");
        assertThat(names())
                .hasSize(BackupFiles.KEPT + 1)
                .contains("mine", "20990108-000000-001", "20990108-000000-002")
                .doesNotContain("20990101-000000-000", "20990102-000000-000");
    }

    /// As operators do to make room.
    @Test
    void copy_isMadeAfterAllOfThemWereDeleted() throws IOException {
        Files.delete(directory.backups());

        Path made = take(1);

        assertThat(names()).containsExactly(made.getFileName().toString());
    }

    private Path take(long segment) throws IOException {
        return backups.keep(backups.make(segment));
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory.backups())) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
