package io.tallis.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.journal.Faults.Fate;
import io.tallis.runtime.Directories;
import io.tallis.testing.FakeClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BackupsTest {
    private final Faults faults = new Faults();

    @TempDir
    private Path temporary;

    private DataDirectory directory;
    private Backups backups;
    private Pause whileAllGoesOn = () -> {};

    @BeforeEach
    void open() throws IOException {
        directory = DataDirectory.open(temporary, () -> 7);
        backups = new Backups(
                directory,
                new SimulatedCellStore(faults),
                (_, _) -> {},
                () -> {},
                () -> whileAllGoesOn.take(),
                new FakeClock());
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    @Test
    void copyThatFails_leavesNothingThatKeepsItsRoom() throws IOException {
        faults.restart((_, operation) -> operation.equals("copy") ? Fate.FAILS_AFTER : Fate.GOOD);

        assertThatThrownBy(() -> take(1)).hasMessage("No space left on device");

        assertThat(names()).isEmpty();
        assertThat(directory.unfinishedBackups()).isEmpty();
    }

    @Test
    void copyThatWasLeftUnfinished_isDeletedByTheNextStart() throws IOException {
        Files.createDirectories(
                directory.unfinishedBackup("20200101-000000-000").resolve("journal"));

        backups.begin();

        assertThat(directory.unfinishedBackups()).isEmpty();
    }

    @Test
    void copy_onAnotherDisk_isCarriedThereWhole() throws IOException {
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
    void copy_thatIsGivenUpOnItsWay_leavesNothingBehind() throws IOException {
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
    void copy_thatADiskDoesNotKeepAsItWasWritten_isNone() throws IOException {
        try (Elsewhere elsewhere = new Elsewhere()) {
            whileAllGoesOn = elsewhere::rot;

            assertThatThrownBy(() -> take(1)).hasMessageEndingWith("does not have what was written to it");

            assertThat(names()).isEmpty();
        }
    }

    /// Has copies go to a disk of their own.
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

    /// A node that is restored from it knows no more than this one did.
    @Test
    void copy_ofAPart_isOne() throws IOException {
        assertThat(take(1).resolve("joining")).doesNotExist();

        Files.createFile(directory.joining());

        assertThat(take(2).resolve("joining")).exists();
    }

    @Test
    void copies_whenTheClockHasGoneBack_areTheNewest() throws IOException {
        for (int day = 1; day <= Backups.KEPT; day++) {
            Files.createDirectories(directory.backups().resolve("2099010" + day + "-000000-000"));
        }

        take(1);
        Path made = take(2);

        assertThat(made).isDirectory().hasFileName("20990108-000000-002");
        assertThat(names())
                .hasSize(Backups.KEPT)
                .contains("20990108-000000-001", "20990108-000000-002")
                .doesNotContain("20990101-000000-000", "20990102-000000-000");
    }

    /// As operators do to make room.
    @Test
    void copy_isMadeWhenSomebodyDeletedAllOfThem() throws IOException {
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
