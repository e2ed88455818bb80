package io.tallis.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.journal.Faults.Fate;
import io.tallis.testing.FakeClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    @BeforeEach
    void open() throws IOException {
        directory = DataDirectory.open(temporary, () -> 7);
        backups = new Backups(directory, new SimulatedCellStore(faults), (_, _) -> {}, () -> {}, new FakeClock());
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    @Test
    void copyThatFails_leavesNothingThatKeepsItsRoom() throws IOException {
        faults.restart((_, operation) -> operation.equals("copy") ? Fate.FAILS_AFTER : Fate.GOOD);

        assertThatThrownBy(() -> backups.take(1)).hasMessage("No space left on device");

        assertThat(names()).isEmpty();
    }

    @Test
    void copy_hasWhatTheNodeKnowsOfOthers() throws IOException {
        Files.writeString(directory.nodes(), "north, south");

        assertThat(backups.take(1).resolve("nodes")).hasContent("north, south");
    }

    /// A node that is restored from it knows no more than this one did.
    @Test
    void copy_ofAPart_isOne() throws IOException {
        assertThat(backups.take(1).resolve("joining")).doesNotExist();

        Files.createFile(directory.joining());

        assertThat(backups.take(2).resolve("joining")).exists();
    }

    @Test
    void copies_whenTheClockHasGoneBack_areTheNewest() throws IOException {
        for (int day = 1; day <= Backups.KEPT; day++) {
            Files.createDirectories(directory.backups().resolve("2099010" + day + "-000000-000"));
        }

        backups.take(1);
        Path made = backups.take(2);

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

        Path made = backups.take(1);

        assertThat(names()).containsExactly(made.getFileName().toString());
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory.backups())) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
