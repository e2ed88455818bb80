package io.tallis.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `-Dpage=write` regenerates `conf/tallis.conf`.
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
    void rewrite_ofAnyCharacter_roundTrips() throws IOException {
        Path file = Files.writeString(dir.resolve("t.conf"), "timeout 5\n");
        Config config = ConfigLoader.load(file, Map.of(), List.of());
        var password = new StringBuilder("\u00e9\u20ac");
        for (char letter = 1; letter < 256; letter++) {
            password.append(letter);
        }

        config.set(Map.of("requirepass", password.toString()));
        config.rewrite(List.of());

        assertThat(Files.readAllLines(file)).hasSize(2);
        assertThat(ConfigLoader.load(file, Map.of(), List.of()).texts())
                .containsEntry("requirepass", password.toString());
    }

    @Test
    void words_withOpenQuote_nameTheLine() {
        assertThatThrownBy(() -> ConfigFile.words("name \"a", "f line 3")).hasMessage("f line 3: unbalanced quotes");
    }

    @Test
    void rewrite_keepsCommentsAndOrderAndAppendsNewSettings() throws IOException {
        Path file = Files.writeString(dir.resolve("t.conf"), """
                # mine
                timeout 5
                maxmemory 64mb
                """);
        Config config = ConfigLoader.load(file, Map.of(), List.of());

        config.set(Map.of("timeout", "7", "requirepass", "a b"));
        config.rewrite(List.of());

        assertThat(file).hasContent("""
                # mine
                timeout 7
                maxmemory 64mb
                requirepass "a b"
                """);
    }

    @Test
    void rewrite_keepsTheModeOfTheFileAndTheLinkToIt() throws IOException {
        Path file = Files.writeString(dir.resolve("t.conf"), "timeout 5\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Path link = Files.createSymbolicLink(dir.resolve("link.conf"), file);
        Config config = ConfigLoader.load(link, Map.of(), List.of());

        config.set(Map.of("timeout", "7"));
        config.rewrite(List.of());

        assertThat(link).isSymbolicLink().hasContent("timeout 7");
        assertThat(mode(file)).isEqualTo("rw-r--r--");
        assertThat(dir).isDirectoryNotContaining("glob:**.new");
    }

    @Test
    void rewrite_thatAddsAPassword_makesTheFileUnreadableForOthers() throws IOException {
        Path file = Files.writeString(dir.resolve("t.conf"), "timeout 5\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Config config = ConfigLoader.load(file, Map.of(), List.of());

        config.set(Map.of("requirepass", "x"));
        config.rewrite(List.of());

        assertThat(file).content().contains("requirepass x");
        assertThat(mode(file)).isEqualTo("rw-r-----");
    }

    @Test
    void rewrite_ofFileThatHadThePassword_keepsItsMode() throws IOException {
        Path file = Files.writeString(dir.resolve("t.conf"), "requirepass x\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Config config = ConfigLoader.load(file, Map.of(), List.of());

        config.rewrite(List.of());

        assertThat(mode(file)).isEqualTo("rw-r--r--");
    }

    @Test
    void rewrite_afterACrashDuringARewrite_ignoresTheLeftoverFile() throws IOException {
        Path file = Files.writeString(dir.resolve("t.conf"), "timeout 5\n");
        Files.writeString(dir.resolve("t.conf.new"), "timeout 9 and much more\n");
        Config config = ConfigLoader.load(file, Map.of(), List.of());

        config.rewrite(List.of());

        assertThat(file).hasContent("timeout 5");
    }

    @Test
    void rewrite_ofFileWithAnInvalidLine_isRefusedAndNamesIt() throws IOException {
        Path file = Files.writeString(dir.resolve("t.conf"), "timeout 5\n");
        Config config = ConfigLoader.load(file, Map.of(), List.of());
        Files.writeString(file, "timeout soon\n");

        assertThatThrownBy(() -> config.rewrite(List.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessage(file + ": timeout 'soon': argument couldn't be parsed into an integer");
        assertThat(file).hasContent("timeout soon");
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void rewrite_withoutFile_isRefused() {
        Config config = ConfigLoader.load(null, Map.of(), List.of());

        assertThatThrownBy(() -> config.rewrite(List.of()))
                .hasMessage("the server was started without a configuration file");
    }

    @Test
    void file_thatIsMissing_isNamed() {
        assertThatThrownBy(() -> ConfigLoader.load(dir.resolve("no.conf"), Map.of(), List.of()))
                .hasMessageEndingWith("no.conf: no such file");
    }
}
