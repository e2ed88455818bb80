package io.tallis.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.config.ConfigException;
import io.tallis.config.Given;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CommandLineOptionsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "conf/tallis.conf",
                "--port 7000",
                "conf/tallis.conf --port 7000 --bind 127.0.0.1 -::1",
                "--slowlog-log-slower-than -1 --client-output-buffer-limit normal 0 0 0"
            })
    void plainCommandLine_isParsedAsPicocliParsesIt(String line) {
        String[] arguments = line.isEmpty() ? new String[0] : line.split(" ", -1);

        CommandLineOptions plain = CommandLineOptions.readPlain(arguments);

        assertThat(plain).isNotNull();
        CommandLineOptions any = CommandLineOptions.readAny(arguments);
        assertThat(plain.settings()).containsExactlyInAnyOrderElementsOf(any.settings());
        assertThat(plain.file()).isEqualTo(any.file());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--port=7000", "--port", "--port 1 2", "--prot 1", "--help", "-v", "a b"})
    void otherCommandLine_isLeftToPicocli(String line) {
        assertThat(CommandLineOptions.readPlain(line.split(" ", -1))).isNull();
    }

    @Test
    void settings_keepTheirWords() {
        CommandLineOptions options = CommandLineOptions.parse("my.conf", "--bind", "127.0.0.1", "::1", "--port=0");

        assertThat(options.file()).isEqualTo(Path.of("my.conf"));
        assertThat(options.settings())
                .containsExactlyInAnyOrder(
                        new Given("bind", List.of("127.0.0.1", "::1"), "option --bind"),
                        new Given("port", List.of("0"), "option --port"));
    }

    @Test
    void unknownOption_namesTheNearest() {
        assertThatThrownBy(() -> CommandLineOptions.parse("--maxclient", "3"))
                .isInstanceOf(ConfigException.class)
                .hasMessage("option --maxclient: unknown setting 'maxclient'; did you mean 'maxclients'?");
        assertThatThrownBy(() -> CommandLineOptions.parse("a", "b")).hasMessage("unexpected argument 'b'; try --help");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--port", "--port --timeout 5", "--timeout 5 --port"})
    void option_withoutItsValue_isNamed(String line) {
        assertThatThrownBy(() -> CommandLineOptions.parse(line.split(" ", -1)))
                .isInstanceOf(ConfigException.class)
                .hasMessage("option --port: port needs a value (<n>)");
    }

    @Test
    void option_ofSeveralWords_withoutAny_isNamed() {
        assertThatThrownBy(() -> CommandLineOptions.parse("--bind"))
                .isInstanceOf(ConfigException.class)
                .hasMessage("option --bind: bind needs a value (<address>)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--save", "--save 3600 1 300 100", "--appendonly yes", "--daemonize=no --port 0"})
    void settingsOfRedis_areOptions(String line) {
        Given first = CommandLineOptions.parse(line.split(" ", -1)).settings().getLast();

        assertThat("--" + first.name()).isEqualTo(line.split("[ =]", -1)[0]);
        assertThat(first.origin()).isEqualTo("option --" + first.name());
    }

    @Test
    void emptyWord_isKept() {
        assertThat(CommandLineOptions.parse("--save", "").settings())
                .containsExactly(new Given("save", List.of(""), "option --save"));
    }
}
