package io.tallis.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Runs the dialogues of all pages and compares the replies.
final class TranscriptTest {
    private static final Path PAGES = Path.of("src/test/resources/io/tallis/transcript");

    static Stream<Arguments> dialogues() throws IOException {
        try (Stream<Path> files = Files.list(PAGES)) {
            return files.sorted().toList().stream().flatMap(file -> dialoguesOf(file).stream());
        }
    }

    private static List<Arguments> dialoguesOf(Path file) {
        try {
            return Transcript.of(Files.readString(file)).stream()
                    .map(transcript -> Arguments.of(file.getFileName() + ": " + transcript.title(), transcript))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("dialogues")
    void dialogue_takesPlaceAsWritten(String title, Transcript transcript) {
        assertThat(transcript.run()).as(title).isEqualTo(transcript.written());
    }
}
