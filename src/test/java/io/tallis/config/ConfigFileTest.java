package io.tallis.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `-Dpage=write` writes the shipped file anew.
final class ConfigFileTest {
    private static final Path SHIPPED = Path.of("conf/tallis.conf");

    @TempDir
    Path dir;

    @Test
    void shippedFile_hasEverySettingWithItsDefault() throws IOException {
        if ("write".equals(System.getProperty("page"))) {
            Files.writeString(SHIPPED, ConfigFile.ofDefaults());
        }

        assertThat(Files.readString(SHIPPED)).isEqualTo(ConfigFile.ofDefaults());
    }

    @Test
    void shippedFile_whenLoaded_changesNothing() {
        Config config = ConfigLoader.load(SHIPPED, Map.of(), List.of());

        assertThat(config.texts())
                .isEqualTo(ConfigLoader.load(null, Map.of(), List.of()).texts());
    }

    @Test
    void words_inQuotes_keepTheirBlanks() {
        assertThat(ConfigFile.words("requirepass \"a \\\"b\\\" \\\\c\" 'd e'", "x"))
                .containsExactly("requirepass", "a \"b\" \\c", "d e");
    }

    @Test
    void words_ofCommentOrBlankLine_areNone() {
        assertThat(ConfigFile.words("  # port 1", "x")).isEmpty();
        assertThat(ConfigFile.words("   ", "x")).isEmpty();
    }

    @Test
    void words_withOpenQuote_nameTheLine() {
        assertThatThrownBy(() -> ConfigFile.words("name \"a", "f line 3")).hasMessage("f line 3: unbalanced quotes");
    }

    @Test
    void rewrite_keepsCommentsAndPlacesAndAddsWhatChanged() throws IOException {
        Path file = Files.writeString(dir.resolve("t.conf"), """
                # mine
                timeout 5
                maxmemory 64mb
                """);
        Config config = ConfigLoader.load(file, Map.of(), List.of());

        config.set(Map.of("timeout", "7", "requirepass", "a b"));
        config.rewrite();

        assertThat(file).hasContent("""
                # mine
                timeout 7
                maxmemory 64mb
                requirepass "a b"
                """);
    }

    @Test
    void rewrite_withoutFile_isRefused() {
        Config config = ConfigLoader.load(null, Map.of(), List.of());

        assertThatThrownBy(config::rewrite).hasMessage("the server was started without a file of settings");
    }

    @Test
    void file_thatIsMissing_isNamed() {
        assertThatThrownBy(() -> ConfigLoader.load(dir.resolve("no.conf"), Map.of(), List.of()))
                .hasMessageEndingWith("no.conf: there is no such file");
    }
}
