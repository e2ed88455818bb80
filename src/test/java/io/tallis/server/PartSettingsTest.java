package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.config.Config;
import io.tallis.config.ConfigLoader;
import io.tallis.config.Given;
import io.tallis.journal.FsyncPolicy;
import io.tallis.resp.RespLimits.OutputLimit;
import io.tallis.resp.RespSettings;
import io.tallis.runtime.Live;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PartSettingsTest {
    @Test
    void defaults_areRedissWhereRedisHasTheSetting() {
        Config config = ConfigLoader.load(null, Map.of(), List.of());

        assertThat(PartSettings.resp(config.values()).port()).isEqualTo(6379);
        assertThat(PartSettings.resp(config.values()).bind()).containsExactly("127.0.0.1", "-::1");
        assertThat(PartSettings.limits(config.values()).maxClients()).isEqualTo(10_000);
        assertThat(PartSettings.limits(config.values()).protectedMode()).isTrue();
        assertThat(PartSettings.commands(config.values()).slowlogMaxLen()).isEqualTo(128);
        assertThat(PartSettings.fsyncPolicy(config.values())).isEqualTo(FsyncPolicy.EVERYSEC);
    }

    @Test
    void changedSetting_isSeenByItsPart() {
        Config config = ConfigLoader.load(null, Map.of(), List.of());
        var limits = config.live(PartSettings::limits);
        Live<FsyncPolicy> policy = config.live(PartSettings::fsyncPolicy);

        config.set(Map.of(
                "requirepass", "secret",
                "client-output-buffer-limit", "pubsub 1mb 1kb 5",
                "appendfsync", "always"));

        assertThat(limits.now().passwordSet()).isTrue();
        assertThat(limits.now().pubsubOutput()).isEqualTo(new OutputLimit(1 << 20, 1 << 10, 5));
        assertThat(limits.now().normalOutput().hardBytes()).isEqualTo(64 << 20);
        assertThat(policy.now()).isEqualTo(FsyncPolicy.ALWAYS);
    }

    @Test
    void portZero_isAnyFreeOneUnlessThereIsAPortForTls() {
        Config any = ConfigLoader.load(null, Map.of(), List.of(new Given("port", List.of("0"), "test")));
        Config none = ConfigLoader.load(
                null,
                Map.of(),
                List.of(new Given("port", List.of("0"), "test"), new Given("tls-port", List.of("6380"), "test")));

        assertThat(PartSettings.resp(any.values()).port()).isZero();
        assertThat(PartSettings.resp(none.values()).port()).isEqualTo(RespSettings.NO_PORT);
    }

    @Test
    void directory_isAbsolute() {
        Config config = ConfigLoader.load(null, Map.of(), List.of(new Given("dir", List.of("a/../b"), "test")));

        assertThat(PartSettings.dir(config.values())).isEqualTo(Path.of("b").toAbsolutePath());
    }
}
