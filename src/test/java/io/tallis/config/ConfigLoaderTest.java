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

final class ConfigLoaderTest {
    @TempDir
    Path dir;

    @Test
    void environment_overridesTheFile_andOptionsOverrideBoth() throws IOException {
        Path file = Files.writeString(dir.resolve("t.conf"), "port 1\ntimeout 1\nmaxclients 1\n");

        Values values = ConfigLoader.load(
                        file,
                        Map.of("TALLIS_TIMEOUT", "2", "TALLIS_MAXCLIENTS", "2", "PATH", "/bin"),
                        List.of(option("maxclients", "3")))
                .values();

        assertThat(values.get(Settings.PORT)).isEqualTo(1);
        assertThat(values.get(Settings.TIMEOUT)).isEqualTo(2);
        assertThat(values.get(Settings.MAXCLIENTS)).isEqualTo(3);
    }

    @Test
    void unknownSetting_namesOriginAndNearest() {
        assertThatThrownBy(() -> load(option("maxclient", "3")))
                .hasMessage("option --maxclient: unknown setting 'maxclient'; did you mean 'maxclients'?");
        assertThatThrownBy(() -> ConfigLoader.load(null, Map.of("TALLIS_PROT", "1"), List.of()))
                .hasMessage("environment variable TALLIS_PROT: unknown setting 'prot'; did you mean 'port'?");
    }

    @Test
    void allMistakes_areReportedAtOnce() throws IOException {
        Path file = Files.writeString(dir.resolve("redis.conf"), "hz 10\nport 70000\nsave 3600 1\ntimeout 5\n");

        assertThatThrownBy(() -> ConfigLoader.load(file, Map.of(), List.of()))
                .message()
                .satisfies(text -> assertThat(text.lines())
                        .hasSize(3)
                        .anyMatch(line -> line.startsWith(file + " line 1: unknown setting 'hz'"))
                        .anyMatch(line -> line.startsWith(file + " line 2: port '70000': "))
                        .anyMatch(line -> line.startsWith(file + " line 3: save can only be ''")));
    }

    @Test
    void badValue_namesSettingValueAndWhatWasExpected() {
        assertThatThrownBy(() -> load(option("port", "70000")))
                .hasMessage("option --port: port '70000': argument must be between 0 and 65535 inclusive");
        assertThatThrownBy(() -> load(option("maxmemory", "12x")))
                .hasMessage("option --maxmemory: maxmemory '12x': argument must be a memory value");
        assertThatThrownBy(() -> load(option("appendfsync", "never")))
                .hasMessage("option --appendfsync: appendfsync 'never': "
                        + "argument(s) must be one of the following: everysec, always, no");
        assertThatThrownBy(() -> load(new Given("port", List.of("1", "2"), "f line 1")))
                .hasMessage("f line 1: port takes one value (<n>), not '1 2'");
    }

    @Test
    void setting_withoutAValue_isNamed() {
        assertThatThrownBy(() -> load(new Given("port", List.of(), "f line 1")))
                .hasMessage("f line 1: port needs a value (<n>)");
    }

    /// The empty path would be the current directory.
    @Test
    void emptyDirectory_isRefusedFromAnySource() throws IOException {
        Path file = Files.writeString(dir.resolve("t.conf"), "dir \"\"\n");

        assertThatThrownBy(() -> load(option("dir", "")))
                .hasMessage("option --dir: dir '': argument must name a directory");
        assertThatThrownBy(() -> load(option("dir", " "))).hasMessageEndingWith("argument must name a directory");
        assertThatThrownBy(() -> ConfigLoader.load(file, Map.of(), List.of()))
                .hasMessage(file + " line 1: dir '': argument must name a directory");
        assertThatThrownBy(() -> ConfigLoader.load(null, Map.of("TALLIS_DIR", ""), List.of()))
                .hasMessage("environment variable TALLIS_DIR: dir '': argument must name a directory");
    }

    @Test
    void emptyListOfAddresses_isRefused() {
        assertThatThrownBy(() -> load(option("bind", "")))
                .hasMessage("option --bind: bind '': argument must name at least one address");
    }

    @Test
    void variablesOfLauncherAndKubernetes_areIgnored() {
        Config config = ConfigLoader.load(
                null,
                Map.of(
                        "TALLIS_JAVA_OPTS", "-Xmx1g",
                        "TALLIS_PORT", "tcp://10.0.0.1:6379",
                        "TALLIS_SERVICE_HOST", "10.0.0.1",
                        "TALLIS_PORT_6379_TCP_ADDR", "10.0.0.1"),
                List.of());

        assertThat(config.values().get(Settings.PORT)).isEqualTo(6379);
    }

    @Test
    void outputLimits_onSeveralLines_areCombined() throws IOException {
        Path file = Files.writeString(dir.resolve("t.conf"), """
                client-output-buffer-limit normal 1mb 1kb 5
                client-output-buffer-limit pubsub 2mb 0 0
                """);

        OutputLimits limits =
                ConfigLoader.load(file, Map.of(), List.of()).values().get(Settings.CLIENT_OUTPUT_BUFFER_LIMIT);

        assertThat(limits.normal()).isEqualTo(new OutputLimits.Limit(1 << 20, 1 << 10, 5));
        assertThat(limits.pubsub()).isEqualTo(new OutputLimits.Limit(2 << 20, 0, 0));
    }

    @Test
    void unknownSetting_thatResemblesNone_getsNoSuggestion() {
        assertThatThrownBy(() -> load(option("hz", "10"))).hasMessage("option --hz: unknown setting 'hz'; see --help");
    }

    @Test
    void settingOfRedis_thatIsTrueHere_isAccepted() throws IOException {
        Path file = Files.writeString(dir.resolve("t.conf"), "save \"\"\nappendonly YES\ndaemonize no\n");

        Config config = ConfigLoader.load(file, Map.of("TALLIS_MAXMEMORY_POLICY", "noeviction"), List.of());

        assertThat(config.texts()).containsEntry("save", "").containsEntry("appendonly", "yes");
    }

    @Test
    void settingOfRedis_thatIsNotTrueHere_isRefusedWithAdvice() {
        assertThatThrownBy(() -> load(option("save", "60 1")))
                .hasMessage("option --save: save can only be '' here, not '60 1': "
                        + "every change is journalled before its reply; schedule BGSAVE for backups");
        assertThatThrownBy(() -> load(option("appendonly", "no")))
                .hasMessage("option --appendonly: appendonly can only be 'yes' here, not 'no': "
                        + "use 'persistence' to keep counters on disk or not");
        assertThatThrownBy(() -> ConfigLoader.load(
                        null, Map.of(), List.of(option("appendonly", "yes"), option("persistence", "no"))))
                .hasMessageStartingWith("option --appendonly: appendonly can only be 'no' here, not 'yes'");
    }

    private static Config load(Given given) {
        return ConfigLoader.load(null, Map.of(), List.of(given));
    }

    private static Given option(String name, String value) {
        return new Given(name, List.of(value), "option --" + name);
    }
}
