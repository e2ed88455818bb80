package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.command.CommandError;
import io.tallis.config.Config;
import io.tallis.config.ConfigLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LiveConfigurationTest {
    private final LiveConfiguration configuration = of(ConfigLoader.load(null, Map.of(), List.of()));

    private static LiveConfiguration of(Config config) {
        return new LiveConfiguration(config, new UserSettings(config, NodeUsers.none()), 768, null);
    }

    @Test
    void values_haveTheSettingsThatRedisClientsRead() {
        assertThat(configuration.values())
                .containsEntry("save", "")
                .containsEntry("appendonly", "yes")
                .containsEntry("databases", "1")
                .containsEntry("replica-read-only", "yes")
                .containsEntry("slave-read-only", "yes")
                .containsKeys("maxmemory", "proto-max-bulk-len", "timeout");
    }

    @Test
    void values_haveTheAbsolutePathOfTheDirectory() {
        String dir = Path.of("data").toAbsolutePath().toString();

        assertThat(configuration.values()).containsEntry("dir", dir);
        configuration.change(Map.of("dir", dir));
        configuration.change(Map.of("dir", "./data"));
        assertThatThrownBy(() -> configuration.change(Map.of("dir", "/elsewhere")))
                .hasMessageEndingWith("'dir') - can't set immutable config");
    }

    @Test
    void change_ofUnknownSetting_isRefusedInRedissWords() {
        assertThatThrownBy(() -> configuration.change(Map.of("nosuch", "1")))
                .hasMessage("ERR Unknown option or number of arguments for CONFIG SET - 'nosuch'");
    }

    @Test
    void change_ofAFixedValue_isRefusedWithAHint() {
        assertThatThrownBy(() -> configuration.change(Map.of("save", "60 1")))
                .isInstanceOf(CommandError.class)
                .hasMessage("ERR CONFIG SET failed (possibly related to argument 'save') - can't set immutable config; "
                        + "save can only be '' here, not '60 1': every change is journalled before its reply; "
                        + "schedule BGSAVE for backups");
    }

    @Test
    void rewrite_ofFileThatIsGoneOrBad_isRefusedInRedissWords(@TempDir Path dir) throws IOException {
        Path file = Files.writeString(dir.resolve("t.conf"), "timeout 5\n");
        var fromFile = of(ConfigLoader.load(file, Map.of(), List.of()));

        Files.writeString(file, "timeout \"5\n");
        assertThatThrownBy(fromFile::rewrite)
                .isInstanceOf(CommandError.class)
                .hasMessage("ERR Rewriting config file: " + file + ": unbalanced quotes");

        Files.delete(file);
        assertThatThrownBy(fromFile::rewrite)
                .isInstanceOf(CommandError.class)
                .hasMessage("ERR Rewriting config file: cannot read the configuration file " + file + ": no such file");
    }

    @Test
    void rewrite_thatTheSystemRefuses_saysWhy(@TempDir Path dir) throws IOException {
        // The name of what is written beside it is too long, also for root, to whom permissions do not matter.
        Path file = Files.writeString(dir.resolve("c".repeat(252)), "timeout 5\n");
        var fromFile = of(ConfigLoader.load(file, Map.of(), List.of()));

        assertThatThrownBy(fromFile::rewrite)
                .isInstanceOf(CommandError.class)
                .hasMessage(
                        "ERR Rewriting config file: cannot write " + file.toRealPath() + ".new: File name too long");
    }

    @ParameterizedTest
    @ValueSource(strings = {"+900000", "\u0669\u0660\u0660\u0660\u0660\u0660"})
    void number_withAnUnusualSpelling_isRefused(String text) {
        assertThatThrownBy(() -> configuration.change(Map.of("maxclients", text)))
                .isInstanceOf(CommandError.class)
                .hasMessage("ERR CONFIG SET failed (possibly related to argument 'maxclients') - argument couldn't be"
                        + " parsed into an integer");
        assertThatThrownBy(() -> configuration.change(Map.of("maxmemory", text + "mb")))
                .hasMessageEndingWith("'maxmemory') - argument must be a memory value");
    }

    @Test
    void maxclients_withLeadingZeros_isComparedByValue() {
        String text = "0".repeat(20) + "769";

        assertThatThrownBy(() -> configuration.change(Map.of("maxclients", text)))
                .hasMessageEndingWith("try with 768");
    }

    @Test
    void maxclients_beyondTheDescriptors_isRefusedInRedissWords() {
        assertThatThrownBy(() -> configuration.change(Map.of("timeout", "5", "maxclients", "769")))
                .isInstanceOf(CommandError.class)
                .hasMessage(
                        "ERR CONFIG SET failed (possibly related to argument 'maxclients') - The operating system is"
                                + " not able to handle the specified number of clients, try with 768");

        configuration.change(Map.of("maxclients", "768"));

        assertThat(configuration.values()).containsEntry("maxclients", "768").containsEntry("timeout", "0");
    }
}
