package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.cluster.records.Addresses;
import io.tallis.config.Config;
import io.tallis.config.ConfigLoader;
import io.tallis.config.Given;
import io.tallis.config.Values;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.resp.RespLimits.OutputLimit;
import io.tallis.resp.socket.RespSettings;
import io.tallis.resp.socket.TlsSettings;
import io.tallis.runtime.Live;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PartSettingsTest {
    @Test
    void defaults_areRedissWhereRedisHasTheSetting() {
        Config config = ConfigLoader.load(null, Map.of(), List.of());

        assertThat(PartSettings.resp(config.values()).port()).isEqualTo(6379);
        assertThat(PartSettings.resp(config.values()).bind()).containsExactly("127.0.0.1", "-::1");
        assertThat(PartSettings.limits(config.values(), false).maxClients()).isEqualTo(10_000);
        assertThat(PartSettings.limits(config.values(), false).protectedMode()).isTrue();
        assertThat(PartSettings.commands(config.values()).slowlogMaxLen()).isEqualTo(128);
        assertThat(PartSettings.fsyncPolicy(config.values())).isEqualTo(FsyncPolicy.EVERYSEC);
    }

    @Test
    void clientAddress_isTheAnnouncedOne() {
        assertThat(clientAddress("cluster-announce", "counters.example:7000")).isEqualTo("counters.example:7000");
    }

    @Test
    void clientAddress_byDefault_isTheBindAddress() {
        assertThat(clientAddress("bind", "10.0.0.5")).isEqualTo("10.0.0.5:6400");
        assertThat(clientAddress("bind", "-::1")).isEqualTo("[::1]:6400");
    }

    /// A node that listens on every address announces the one that its peers use.
    @Test
    void clientAddress_ofANodeThatListensEverywhere_isTheClusterAddress() {
        assertThat(clientAddress("bind", "*", "cluster-bind", "10.0.0.7")).isEqualTo("10.0.0.7:6400");
        assertThat(clientAddress("bind", "*", "cluster-bind", "loopback")).isEqualTo("127.0.0.1:6400");
    }

    @Test
    void adviceForANodeThatFindsNoOther_namesTheSettingsOfItsStackAndTheirValues() {
        assertThat(foundBy("cluster-stack", "udp"))
                .isEqualTo("cluster-multicast 239.77.7.7:46655, cluster-name shop and cluster-key-file");
        assertThat(foundBy("cluster-stack", "tcp", "cluster-seeds", "one:7800,two:7800"))
                .isEqualTo("cluster-seeds one:7800,two:7800, cluster-name shop and cluster-key-file");
        assertThat(foundBy("cluster-stack", "k8s", "cluster-dns", "tallis.local", "cluster-donor", "two"))
                .isEqualTo("cluster-dns tallis.local, cluster-name shop, cluster-donor two and cluster-key-file");
        assertThat(foundBy("cluster-stack", "/etc/own.xml"))
                .isEqualTo("cluster-stack /etc/own.xml, cluster-name shop and cluster-key-file");
    }

    @Test
    void adviceForANodeThatFindsNoOther_isShortWithAThousandSeeds() {
        String seeds = String.join(",", Collections.nCopies(1000, "a.node.of.the.cluster.example:7800"));

        assertThat(foundBy("cluster-stack", "tcp", "cluster-seeds", seeds)).hasSizeLessThan(200);
    }

    private static String foundBy(String... settings) {
        String[] all = Arrays.copyOf(settings, settings.length + 2);
        all[settings.length] = "cluster-name";
        all[settings.length + 1] = "shop";
        return PartSettings.replication(values(all)).joining().foundBy();
    }

    private static String clientAddress(String... settings) {
        return PartSettings.addresses(values(settings), 6400).client();
    }

    @Test
    void slotsAddress_hasTheHostOfClientsAndItsOwnPort() {
        assertThat(PartSettings.addresses(values("redis-cluster-port", "6380"), 6400)
                        .slots())
                .isEqualTo("127.0.0.1:6380");
        assertThat(PartSettings.addresses(
                                values("redis-cluster-port", "6380", "cluster-announce", "counters.example:7000"), 6400)
                        .slots())
                .isEqualTo("counters.example:6380");
    }

    @Test
    void redisClusterTls_withoutThePort_isRefused() {
        assertThatThrownBy(() -> PartSettings.requireConsistent(values("redis-cluster-tls", "yes")))
                .isInstanceOf(StartException.class)
                .hasMessage("redis-cluster-tls is set, but redis-cluster-port is not");
    }

    @Test
    void httpAddress_hasTheHostOfClientsAndItsOwnPort() {
        assertThat(PartSettings.addresses(values("http-port", "8379"), 6400))
                .isEqualTo(new Addresses("127.0.0.1:6400", "http://127.0.0.1:8379", ""));
        assertThat(PartSettings.addresses(
                        values("http-port", "8379", "cluster-announce", "counters.example:7000"), 6400))
                .isEqualTo(new Addresses("counters.example:7000", "http://counters.example:8379", ""));
        assertThat(PartSettings.addresses(values("http-port", "8379", "http-tls-port", "8380"), 6400)
                        .http())
                .isEqualTo("https://127.0.0.1:8380");
        assertThat(PartSettings.addresses(values(), 6400).http()).isEmpty();
    }

    private static Values values(String... settings) {
        List<Given> given = new ArrayList<>();
        for (int i = 0; i < settings.length; i += 2) {
            given.add(new Given(settings[i], List.of(settings[i + 1]), "test"));
        }
        return ConfigLoader.load(null, Map.of(), given).values();
    }

    @Test
    void clusterSetting_withoutAClusterName_isRefused() {
        Config seeded = ConfigLoader.load(null, Map.of(), List.of(new Given("cluster-seeds", List.of("a:1"), "test")));
        Config held = ConfigLoader.load(null, Map.of(), List.of(new Given("cluster-hold", List.of("yes"), "test")));
        Config alone = ConfigLoader.load(null, Map.of(), List.of(new Given("cluster-stack", List.of("udp"), "test")));

        assertThatThrownBy(() -> PartSettings.requireConsistent(held.values()))
                .hasMessageStartingWith("cluster-hold is set, but cluster-name is not");
        assertThatThrownBy(() -> PartSettings.requireConsistent(seeded.values()))
                .hasMessageStartingWith("cluster-seeds is set, but cluster-name is not");
        assertThatCode(() -> PartSettings.requireConsistent(alone.values())).doesNotThrowAnyException();
    }

    @Test
    void settings_withoutEffect_areRefused() {
        assertThatThrownBy(() -> PartSettings.requireConsistent(values("cluster-name", "a", "cluster-seeds", "a:1")))
                .hasMessageStartingWith("cluster-seeds is set, but has no effect with cluster-stack udp");
        assertThatThrownBy(() -> PartSettings.requireConsistent(
                        values("cluster-name", "a", "cluster-stack", "tcp", "cluster-dns", "a")))
                .hasMessageStartingWith("cluster-dns is set, but has no effect with cluster-stack tcp");
        assertThatThrownBy(() -> PartSettings.requireConsistent(
                        values("cluster-name", "a", "cluster-stack", "tcp", "cluster-multicast", "239.1.1.1:7900")))
                .hasMessageStartingWith("cluster-multicast is set, but has no effect with cluster-stack tcp");
        assertThatThrownBy(() -> PartSettings.requireConsistent(values("tls-cert-file", "a.crt")))
                .hasMessageStartingWith(
                        "tls-cert-file is set, but none of tls-port, http-tls-port and redis-cluster-tls is");
        assertThatCode(() -> PartSettings.requireConsistent(
                        values("cluster-name", "a", "cluster-stack", "my.xml", "cluster-seeds", "a:1")))
                .doesNotThrowAnyException();
    }

    @Test
    void tcpPort_forClientsAndNodes_isRefused() {
        assertThatThrownBy(() -> PartSettings.requireConsistent(sharedPort("tcp", "127.0.0.1", "127.0.0.1")))
                .hasMessage("cluster-port 7800 is also the port for clients: set another one");
        assertThatThrownBy(() -> PartSettings.requireConsistent(sharedPort("tcp", "*", "10.0.0.1")))
                .hasMessageStartingWith("cluster-port 7800 is also the port for clients");
        assertThatThrownBy(() -> PartSettings.requireConsistent(sharedPort("k8s", "-127.0.0.1", "loopback")))
                .hasMessageStartingWith("cluster-port 7800 is also the port for clients");
        assertThatCode(() -> PartSettings.requireConsistent(
                        values("cluster-name", "a", "cluster-stack", "tcp", "cluster-port", "0", "port", "0")))
                .doesNotThrowAnyException();
        assertThatCode(() -> PartSettings.requireConsistent(sharedPort("tcp", "127.0.0.1", "10.0.0.1")))
                .doesNotThrowAnyException();
        assertThatCode(() -> PartSettings.requireConsistent(sharedPort("udp", "127.0.0.1", "127.0.0.1")))
                .doesNotThrowAnyException();
    }

    private static Values sharedPort(String stack, String bind, String clusterBind) {
        return values(
                "cluster-name", "a", "port", "7800", "cluster-stack", stack, "bind", bind, "cluster-bind", clusterBind);
    }

    @Test
    void isOpen_beyondLoopback_isTrue() {
        assertThat(PartSettings.isOpen(values())).isFalse();
        assertThat(PartSettings.isOpen(values("bind", "-::1"))).isFalse();
        assertThat(PartSettings.isOpen(values("bind", "*"))).isTrue();
        assertThat(PartSettings.isOpen(values("bind", "10.0.0.5"))).isTrue();
    }

    @Test
    void node_withSeedsOrDonor_expectsOthers() {
        Config seeds = ConfigLoader.load(null, Map.of(), List.of(new Given("cluster-seeds", List.of("a:1"), "test")));

        assertThat(PartSettings.replication(seeds.values()).joining().expectsOthers())
                .isTrue();
        assertThat(PartSettings.replication(
                                ConfigLoader.load(null, Map.of(), List.of()).values())
                        .joining()
                        .expectsOthers())
                .isFalse();
    }

    @Test
    void changedSetting_isSeenByItsPart() {
        Config config = ConfigLoader.load(null, Map.of(), List.of());
        var limits = config.live(values -> PartSettings.limits(values, false));
        Live<FsyncPolicy> policy = config.live(PartSettings::fsyncPolicy);

        config.set(Map.of(
                "client-output-buffer-limit", "pubsub 1mb 1kb 5",
                "appendfsync", "always"));

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
    void tls_hasItsSettings() {
        assertThat(PartSettings.usesTls(tls("yes"))).isTrue();
        assertThat(PartSettings.tls(tls("yes")))
                .isEqualTo(new TlsSettings("/tls/node.crt", "/tls/node.key", "/tls/ca.crt", true));
    }

    @Test
    void tls_withoutClientCertificates_isConfigured() {
        assertThat(PartSettings.tls(tls("no")).authClients()).isFalse();
    }

    private static Values tls(String authClients) {
        return ConfigLoader.load(
                        null,
                        Map.of(),
                        List.of(
                                new Given("tls-port", List.of("6380"), "test"),
                                new Given("tls-cert-file", List.of("/tls/node.crt"), "test"),
                                new Given("tls-key-file", List.of("/tls/node.key"), "test"),
                                new Given("tls-ca-cert-file", List.of("/tls/ca.crt"), "test"),
                                new Given("tls-auth-clients", List.of(authClients), "test")))
                .values();
    }

    @Test
    void directory_isAbsolute() {
        Config config = ConfigLoader.load(null, Map.of(), List.of(new Given("dir", List.of("a/../b"), "test")));

        assertThat(PartSettings.dir(config.values())).isEqualTo(Path.of("b").toAbsolutePath());
    }
}
