package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.PeerStatus;
import io.tallis.cluster.ReplicationStatus;
import io.tallis.cluster.frame.Frame.DropReason;
import io.tallis.cluster.frame.MeteredTransport;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.peer.Vitals;
import io.tallis.cluster.records.Addresses;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Registry;
import io.tallis.cluster.records.Self;
import io.tallis.command.clients.ClientRegistry;
import io.tallis.command.clients.CoarseTime;
import io.tallis.command.clients.Monitors;
import io.tallis.command.clients.SlowLog;
import io.tallis.command.cluster.Cluster;
import io.tallis.command.cluster.Peers;
import io.tallis.command.dispatch.LoadState;
import io.tallis.command.facts.CommandFacts;
import io.tallis.command.pubsub.PubSub;
import io.tallis.config.Config;
import io.tallis.config.ConfigLoader;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Keyspace;
import io.tallis.metrics.CommandStats;
import io.tallis.metrics.DurationHistogram;
import io.tallis.metrics.NetworkStats;
import io.tallis.testing.FakeClock;
import io.tallis.wire.ByteReader;
import io.tallis.wire.MalformedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The page of metrics, and its table in `monitoring.md`, which `-Dpage=write` writes anew.
final class MetricsTest {
    private static final Path PAGE = Path.of("src/site/markdown/monitoring.md");
    private static final String BEGIN = "<!-- metrics: written by MetricsTest -->\n";
    private static final String END = "<!-- metrics: end -->\n";
    private static final ReplicaId OWN = new ReplicaId(1, 1);
    private static final Self HERE = new Self(new UUID(1, 1), "here", "127.0.0.1:6379");
    private static final UUID AWAY = new UUID(3, 3);
    private static final CommandFacts FACTS = CommandFacts.load();

    private final FakeClock clock = new FakeClock();
    private final Config config = ConfigLoader.load(null, Map.of(), List.of());
    private final Keyspace keyspace = new Keyspace(new Replicas(OWN), () -> 7, clock::epochMillis);
    private final NoPersistence persistence = new NoPersistence(new UUID(1, 1), keyspace, 0);
    private final Monitors monitors = new Monitors(clock);
    private final ClientRegistry clients = new ClientRegistry(new CoarseTime(clock), new PubSub(), monitors);
    private final CommandStats commands = new CommandStats(FACTS.size());
    private List<PeerStatus> peers = List.of(peer(2, "10.0.0.2:6379", JoinState.READY));

    private static PeerStatus peer(long session, String address, JoinState state) {
        return new PeerStatus(
                new PeerStatus.Identity(
                        new ReplicaId(session, session), new UUID(2, 2), "north", Addresses.of(address)),
                state,
                true,
                60,
                new PeerStatus.Lag(10, 250),
                1000,
                2000,
                150,
                -1500,
                Vitals.NONE,
                null);
    }

    /// A node that was asked for two commands.
    private String page(Membership membership) {
        CommandStats.Recorder recorder = commands.recorder();
        recorder.called(FACTS.find("incr").id());
        recorder.took(FACTS.find("incr").id(), 3_000, 1);
        recorder.rejected(FACTS.find("get").id());
        commands.error("ERR wrong");
        GarbageCollectors collectors = new GarbageCollectors();
        collectors.find();
        NodeStatus node = new NodeStatus(new NodeIdentity(new UUID(1, 1), "here"), clock);
        return new Metrics(
                        config,
                        new Metrics.Sources(
                                node,
                                new NodeHealth(LoadState.DONE, membership, persistence.writeGate()),
                                LoadState.DONE,
                                keyspace,
                                new MemoryStatus(config, keyspace, clients, persistence),
                                persistence,
                                membership,
                                membership.cluster(records()),
                                clients,
                                new PubSub(),
                                new SlowLog(),
                                new NetworkStats(),
                                new DurationHistogram(),
                                FACTS,
                                commands,
                                collectors))
                .page();
    }

    private static Records records() {
        Registry registry = new Registry(HERE, OWN, Registry.Store.NONE);
        Registry other = new Registry(new Self(AWAY, "east", "h:1"), new ReplicaId(3, 3), Registry.Store.NONE);
        try {
            registry.onRecords(ByteReader.of(other.ownRecordBody()));
        } catch (MalformedException impossible) {
            throw new IllegalStateException(impossible);
        }
        return new Records(registry, new Chronicle(HERE, OWN, () -> 0, (_, _) -> {}));
    }

    private String pageOfACluster() {
        return page(new Member(new ReplicationStatus(
                OWN,
                new ReplicationStatus.Joining(JoinState.READY, 100, 5, 600, 7, 40, Standing.NONE, false, ""),
                70,
                new ReplicationStatus.Frames(1, 2, Map.of(DropReason.MEMORY_FULL, 5L)),
                new ReplicationStatus.Repairs(3, 4, 5, 6, 9, 10),
                new MeteredTransport.Traffic(7, 8),
                new ReplicationStatus.Folds(10, 11, "time"),
                new ReplicationStatus.Purges(12, "other work"),
                new ReplicationStatus.Nodes(1, 2, Map.of(AWAY, 90_500L)),
                peers)));
    }

    /// An incomplete node of a cluster.
    private record Member(ReplicationStatus status) implements Membership, ClusterView.Operator {
        @Override
        public void join(
                Persistence persistence, Self self, Records records, LongSupplier commandsPerSecond, Runnable ready) {}

        @Override
        public Cluster cluster(Records records) {
            return new ClusterView(() -> status, records.registry(), records.chronicle(), this);
        }

        @Override
        public boolean isHeld() {
            return false;
        }

        @Override
        public LoadState loadState() {
            return LoadState.DONE;
        }

        @Override
        public boolean isComplete() {
            return false;
        }

        @Override
        public Replication replication() {
            return new Replication(status, new DurationHistogram(), true, 3, 4, -6000);
        }

        @Override
        public Peers peers() {
            return Peers.NONE;
        }

        @Override
        public void happened(String what) {}

        @Override
        public void changed() {}

        @Override
        public void leave() {}

        @Override
        public void forget(String node, Consumer<Registry.Forgetting> answer) {}

        @Override
        public void hold(Runnable done) {
            done.run();
        }

        @Override
        public void ready(Runnable done) {}

        @Override
        public void fold() {}

        @Override
        public void purge() {}

        @Override
        public boolean connected() {
            return true;
        }

        @Override
        public long framesNotSent() {
            return 3;
        }

        @Override
        public long packetsRefused() {
            return 4;
        }

        @Override
        public String lastRefused() {
            return "";
        }
    }

    @Test
    void singleNode_isReadyAndTheOnlyOne() {
        assertThat(page(new SingleNode(keyspace)).lines())
                .contains(
                        "redis_up 1",
                        "tallis_ready 1",
                        "tallis_node_state{state=\"ready\"} 1",
                        "tallis_node_state{state=\"loading\"} 0",
                        "redis_connected_slaves 0",
                        "tallis_nodes{state=\"unreachable\"} 0",
                        "redis_memory_max_bytes " + MemoryBound.ofNewCounters(config.values()),
                        "redis_mem_fragmentation_ratio 1",
                        "redis_config_maxmemory 0")
                .noneMatch(line -> line.contains("tallis_peer_") || line.contains("tallis_frames_"));
    }

    @Test
    void command_hasItsCallsFromTheFirstOn() {
        assertThat(page(new SingleNode(keyspace)).lines().filter(line -> line.contains("cmd=")))
                .contains(
                        "redis_commands_total{cmd=\"incr\"} 1",
                        "redis_commands_duration_seconds_total{cmd=\"incr\"} 0.000003",
                        "redis_commands_latencies_usec_bucket{cmd=\"incr\",le=\"4\"} 1",
                        "redis_commands_rejected_calls_total{cmd=\"get\"} 1")
                .noneMatch(line -> line.contains("\"set\""));
    }

    @Test
    void nodeOfACluster_tellsOfItsPeersAndRepairs() {
        String session = new ReplicaId(2, 2).toString();

        assertThat(pageOfACluster().lines())
                .contains(
                        "tallis_ready 0",
                        "tallis_node_state{state=\"incomplete\"} 1",
                        "tallis_complete 0",
                        "redis_connected_slaves 1",
                        "redis_connected_slave_lag_seconds{slave_ip=\"10.0.0.2\",slave_port=\"6379\","
                                + "slave_state=\"online\"} 0.15",
                        "tallis_node_away_seconds{node=\"east\"} 90",
                        "tallis_peer_lag_seconds{peer=\"north\",session=\"" + session + "\"} 0.25",
                        "tallis_peer_clock_ahead_seconds{peer=\"north\",session=\"" + session + "\"} -1.5",
                        "tallis_frames_dropped_total{reason=\"memory_full\"} 5",
                        "tallis_frames_dropped_total{reason=\"damaged\"} 0",
                        "tallis_packets_refused_total 4",
                        "tallis_repair_bytes_total 10",
                        "tallis_pull_progress_ratio 0.4",
                        "tallis_clock_correction_seconds -6");
    }

    /// Prometheus refuses a page with two samples of the same labels.
    @Test
    void nodeThatWasJustRestarted_hasNoSampleTwice() {
        peers = List.of(peer(2, "10.0.0.2:6379", JoinState.READY), peer(3, "10.0.0.2:6379", JoinState.READY));

        assertThat(pageOfACluster()
                        .lines()
                        .filter(line -> !line.startsWith("#"))
                        .map(line -> line.substring(0, line.lastIndexOf(' '))))
                .doesNotHaveDuplicates();
    }

    @Test
    void monitoringPage_hasEachMetric() throws IOException {
        String text = Files.readString(PAGE);
        int begin = text.indexOf(BEGIN) + BEGIN.length();
        String generated = text.substring(0, begin) + "\n" + table() + "\n" + text.substring(text.indexOf(END));
        if ("write".equals(System.getProperty("page"))) {
            Files.writeString(PAGE, generated);
        }

        assertThat(Files.readString(PAGE)).isEqualTo(generated);
    }

    @Test
    void monitoringPage_saysWhatToDoForEachAlert() throws IOException {
        String rules = Files.readString(Path.of("conf/prometheus/tallis-alerts.yml"));

        assertThat(names("\\| `(Tallis\\w+)` \\|", Files.readString(PAGE)))
                .isNotEmpty()
                .isEqualTo(names("alert: (\\w+)", rules));
    }

    @Test
    void eachAlert_hasATest() throws IOException {
        String rules = Files.readString(Path.of("conf/prometheus/tallis-alerts.yml"));
        String tests = Files.readString(Path.of("src/test/clients/tallis_alerts_test.yml"));

        assertThat(names("alertname=\"(\\w+)\"", tests)).isEqualTo(names("alert: (\\w+)", rules));
    }

    private static List<String> names(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private String table() {
        Map<String, String> rows = new LinkedHashMap<>();
        String help = "";
        String name = "";
        for (String line : pageOfACluster().lines().toList()) {
            if (line.startsWith("# HELP ")) {
                name = line.split(" ", 4)[2];
                help = line.split(" ", 4)[3];
            } else if (line.startsWith("# TYPE ")) {
                rows.put(name, "| `" + name + "` | " + line.split(" ", 4)[3] + " | LABELS | " + help + " |\n");
            } else {
                rows.computeIfPresent(name, (_, row) -> row.replace("LABELS", labels(line)));
            }
        }
        return "| metric | type | labels | what it says |\n|---|---|---|---|\n" + String.join("", rows.values());
    }

    private static String labels(String sample) {
        int brace = sample.indexOf('{');
        String all = brace < 0 ? "" : sample.substring(brace + 1, sample.lastIndexOf('}'));
        return all.replaceAll("=\"[^\"]*\",?", " ")
                .replaceAll("\\ble\\b", "")
                .strip()
                .replace(" ", ", ");
    }
}
