package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.command.CommandError;
import io.tallis.config.ConfigLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LiveConfigurationTest {
    private final LiveConfiguration configuration =
            new LiveConfiguration(ConfigLoader.load(null, Map.of(), List.of()), 768);

    @Test
    void values_answerWhatClientsOfRedisAsk() {
        assertThat(configuration.values())
                .containsEntry("save", "")
                .containsEntry("appendonly", "yes")
                .containsEntry("databases", "1")
                .containsEntry("replica-read-only", "yes")
                .containsEntry("slave-read-only", "yes")
                .containsKeys("maxmemory", "proto-max-bulk-len", "timeout");
    }

    @Test
    void values_haveTheWholePathOfTheDirectory() {
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
    void change_ofWhatIsOnlyAnAnswer_isRefusedWithWhatToDoInstead() {
        assertThatThrownBy(() -> configuration.change(Map.of("save", "60 1")))
                .isInstanceOf(CommandError.class)
                .hasMessage("ERR CONFIG SET failed (possibly related to argument 'save') - can't set immutable config; "
                        + "save can only be '' here, not '60 1': every change is in the journal before its reply; "
                        + "run BGSAVE by a timer for copies");
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
