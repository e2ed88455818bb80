package io.tallis.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LogFileTest {
    @TempDir
    Path dir;

    @Test
    void file_isAppendedTo() throws IOException {
        Path path = Files.writeString(dir.resolve("log"), "old\n");

        try (LogFile log = new LogFile(path)) {
            log.write("new\n".getBytes(StandardCharsets.US_ASCII));
        }

        assertThat(path).hasContent("old\nnew\n");
    }

    @Test
    void fileThatWasMoved_isCreatedAnew() throws IOException {
        Path path = dir.resolve("log");

        try (LogFile log = new LogFile(path)) {
            log.write("one\n".getBytes(StandardCharsets.US_ASCII));
            Files.move(path, dir.resolve("log.1"));
            log.write("two\n".getBytes(StandardCharsets.US_ASCII));
            log.write("three\n".getBytes(StandardCharsets.US_ASCII));
        }

        assertThat(dir.resolve("log.1")).hasContent("one\n");
        assertThat(path).hasContent("two\nthree\n");
    }

    @Test
    void fileThatCannotBeCreatedAnew_staysInUse() throws IOException {
        Path place = Files.createDirectory(dir.resolve("logs"));

        try (LogFile log = new LogFile(place.resolve("log"))) {
            Files.move(place, dir.resolve("moved"));
            log.write("one\n".getBytes(StandardCharsets.US_ASCII));
        }

        assertThat(dir.resolve("moved").resolve("log")).hasContent("one\n");
    }
}
