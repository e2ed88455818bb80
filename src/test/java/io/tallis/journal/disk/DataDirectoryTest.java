package io.tallis.journal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.runtime.Randomness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DataDirectoryTest {
    private final Randomness randomness = Randomness.secure();

    @TempDir
    private Path temporary;

    @Test
    void open_ofAMissingDirectory_makesIt() throws IOException {
        Path path = temporary.resolve("some/where");

        try (DataDirectory directory = DataDirectory.open(path, randomness)) {
            assertThat(directory.journal()).isDirectory();
            assertThat(Files.readString(path.resolve("node")).strip())
                    .isEqualTo(directory.node().toString());
        }
    }

    @Test
    void node_ofAnotherStart_isTheSame() throws IOException {
        UUID first;
        try (DataDirectory directory = DataDirectory.open(temporary, randomness)) {
            first = directory.node();
        }

        try (DataDirectory directory = DataDirectory.open(temporary, randomness)) {
            assertThat(directory.node()).isEqualTo(first);
        }
    }

    @Test
    void open_whileInUse_namesTheProcess() throws IOException {
        try (DataDirectory _ = DataDirectory.open(temporary, randomness)) {
            assertThatThrownBy(() -> DataDirectory.open(temporary, randomness))
                    .isInstanceOf(DataDirectoryException.class)
                    .hasMessage("the data directory " + temporary + " is in use by process "
                            + ProcessHandle.current().pid());
        }
    }

    @Test
    void open_afterClose_isFree() throws IOException {
        DataDirectory.open(temporary, randomness).close();

        DataDirectory.open(temporary, randomness).close();
    }

    @Test
    void open_ofAFile_saysSo() throws IOException {
        Path file = Files.createFile(temporary.resolve("file"));

        assertThatThrownBy(() -> DataDirectory.open(file, randomness))
                .hasMessage("cannot use the data directory " + file + ": " + file + " is not a directory");
    }

    /// As when a copy is put into a directory instead of in its place.
    @Test
    void open_aboveADataDirectory_isRefusedAndMakesNothing() throws IOException {
        DataDirectory.open(temporary.resolve("copy"), randomness).close();

        assertThatThrownBy(() -> DataDirectory.open(temporary, randomness))
                .hasMessage("the data directory " + temporary + " is new, but " + temporary.resolve("copy")
                        + " is one, or a copy of one: give that, or move it");
        assertThat(temporary).isDirectoryNotContaining("glob:**/lock");
    }

    @Test
    void open_ofADataDirectoryThatHoldsACopy_isFree() throws IOException {
        Path data = temporary.resolve("data");
        DataDirectory.open(data, randomness).close();
        DataDirectory.open(temporary.resolve("copy"), randomness).close();
        Files.move(temporary.resolve("copy"), data.resolve("copy"));

        DataDirectory.open(data, randomness).close();
    }

    /// The node of the outer directory deletes its old copies, and would not know that another runs in one.
    @ParameterizedTest
    @ValueSource(strings = {"backup/20260101-000000-000", "journal", "mine"})
    void open_withinADataDirectory_isRefusedAndMakesNothing(String within) throws IOException {
        DataDirectory.open(temporary, randomness).close();
        Path inner = temporary.resolve(within);

        assertThatThrownBy(() -> DataDirectory.open(inner, randomness))
                .hasMessage("the data directory " + inner + " lies in another one, " + temporary
                        + ": give it a place of its own; of a backup, make a copy there");
        assertThat(inner.resolve("lock")).doesNotExist();
    }

    @Test
    void open_whereNothingCanBeMade_saysWhy() {
        Path impossible = Path.of("/proc/tallis");

        assertThatThrownBy(() -> DataDirectory.open(impossible, randomness))
                .isInstanceOf(DataDirectoryException.class)
                .hasMessageStartingWith("cannot use the data directory /proc/tallis: ");
    }

    /// What a full disk leaves of the name of the process that holds the lock.
    @Test
    void open_whileInUseByANamelessProcess_saysSo() throws IOException {
        try (DataDirectory _ = DataDirectory.open(temporary, randomness)) {
            Files.writeString(temporary.resolve("lock"), "");

            assertThatThrownBy(() -> DataDirectory.open(temporary, randomness))
                    .hasMessage("the data directory " + temporary + " is in use by another process");
        }
    }

    @Test
    void open_afterAProcessWithALongerId_hasOnlyTheNewId() throws IOException {
        Files.writeString(temporary.resolve("lock"), "12345678901234567890");

        try (DataDirectory _ = DataDirectory.open(temporary, randomness)) {
            assertThat(temporary.resolve("lock"))
                    .hasContent(Long.toString(ProcessHandle.current().pid()));
        }
    }

    @Test
    void open_withAMalformedNodeFile_saysWhatWasExpected() throws IOException {
        Files.writeString(temporary.resolve("node"), "fred\n");

        assertThatThrownBy(() -> DataDirectory.open(temporary, randomness))
                .hasMessageEndingWith("node holds \"fred\", expected a UUID");
    }

    @Test
    void missingNodeFile_besideData_isRefused() throws IOException {
        try (DataDirectory directory = DataDirectory.open(temporary, randomness)) {
            Files.writeString(directory.journal().resolve("0000000000000001.log"), "");
        }
        Files.delete(temporary.resolve("node"));

        assertThatThrownBy(() -> DataDirectory.open(temporary, randomness))
                .isInstanceOf(DataDirectoryException.class)
                .hasMessageContaining("node is missing, though there is data in journal");
    }

    @Test
    void discard_takesAwayWhatOpeningMade() throws IOException {
        Path path = temporary.resolve("new");

        DataDirectory.open(path, randomness).discard();

        assertThat(path).doesNotExist();
    }
}
