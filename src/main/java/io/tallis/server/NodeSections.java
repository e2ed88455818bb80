package io.tallis.server;

import io.tallis.command.Client;
import io.tallis.command.Link;
import io.tallis.command.clients.ClientRegistry;
import io.tallis.command.clients.Monitors;
import io.tallis.command.facts.CommandFacts;
import io.tallis.command.server.InfoFields;
import io.tallis.command.tracking.Tracking;
import io.tallis.config.Config;
import io.tallis.config.Settings;
import io.tallis.keyspace.Keyspace;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/// The `INFO` sections `server`, `clients`, `cpu`, `keyspace` and `tallis`. Names, meanings and order are Redis's, so
/// that its tools understand them, with our own fields at the end.
final class NodeSections {
    /// Redis's clock has 24 bits.
    private static final int LRU_CLOCK_MASK = (1 << 24) - 1;

    private static final int SECONDS_PER_DAY = 86_400;

    private final Config config;
    private final NodeStatus node;
    private final Parts parts;
    private final ProcessStatus process = new ProcessStatus();

    /// The parts that the figures come from.
    record Parts(Keyspace keyspace, ClientRegistry clients, Monitors monitors, Tracking tracking) {}

    NodeSections(Config config, NodeStatus node, Parts parts) {
        this.config = config;
        this.node = node;
        this.parts = parts;
    }

    /// Redis's fields about its build are left out. `mode` is how clients of the port connect, in Redis's terms.
    void server(String mode, InfoFields fields) {
        Path file = config.file();
        ProcessHandle process = ProcessHandle.current();
        fields.field("redis_version", CommandFacts.REDIS_VERSION)
                .field("redis_mode", mode)
                .field("os", property("os.name") + " " + property("os.version") + " " + property("os.arch"))
                .field("arch_bits", Long.SIZE)
                .field("monotonic_clock", "POSIX clock_gettime")
                .field("multiplexing_api", node.transport())
                .field("process_id", process.pid())
                .field("process_supervised", "no")
                .field("run_id", runId())
                .field("tcp_port", node.port())
                .field("server_time_usec", node.epochMicros())
                .field("uptime_in_seconds", node.upSeconds())
                .field("uptime_in_days", node.upSeconds() / SECONDS_PER_DAY)
                .field("hz", TallisServer.TICKS_PER_SECOND)
                .field("configured_hz", TallisServer.TICKS_PER_SECOND)
                .field("lru_clock", node.epochMillis() / 1000 & LRU_CLOCK_MASK)
                .field("executable", process.info().command().orElse(""))
                .field("config_file", file == null ? "" : file.toAbsolutePath().toString())
                .flag("io_threads_active", node.eventLoops() > 1)
                .field("tallis_version", Version.TEXT)
                .field("java_version", Runtime.version().toString());
    }

    private static String property(String name) {
        return System.getProperty(name, "");
    }

    /// Redis's run id has 40 digits; the replica id, which is also made at every start, has 32.
    private String runId() {
        return parts.keyspace.replicas().own() + "00000000";
    }

    void clients(InfoFields fields) {
        List<Link.Buffers> buffers = parts.clients.all().stream()
                .map(client -> client.link().buffers())
                .toList();
        fields.field("connected_clients", parts.clients.count())
                .never("cluster_connections")
                .field("maxclients", config.values().get(Settings.MAXCLIENTS))
                .field("client_recent_max_input_buffer", largest(buffers, Link.Buffers::query))
                .field("client_recent_max_output_buffer", largest(buffers, Link.Buffers::output))
                .field("blocked_clients", clientsThat(Client::suspended))
                .field("tracking_clients", parts.tracking.trackedClients())
                .never("clients_in_timeout_table")
                .field(
                        "pubsub_clients",
                        clientsThat(client -> client.subscriptions().count() > 0))
                .field("monitor_clients", parts.monitors.count());
    }

    private static long largest(List<Link.Buffers> buffers, ToLongFunction<Link.Buffers> size) {
        return buffers.stream().mapToLong(size).max().orElse(0);
    }

    private long clientsThat(Predicate<Client> condition) {
        return parts.clients.all().stream().filter(condition).count();
    }

    /// Redis's fields about its main thread are left out, since there is no such thread.
    void cpu(InfoFields fields) {
        ProcessStatus.CpuSeconds seconds = process.cpu();
        fields.decimal("used_cpu_sys", seconds.system(), 6)
                .decimal("used_cpu_user", seconds.user(), 6)
                .decimal("used_cpu_sys_children", seconds.childrenSystem(), 6)
                .decimal("used_cpu_user_children", seconds.childrenUser(), 6);
    }

    void keyspace(InfoFields fields) {
        long keys = parts.keyspace.keys();
        if (keys > 0) {
            fields.group(
                    "db0",
                    group -> group.field("keys", keys)
                            .field("expires", parts.keyspace.dated())
                            .field("avg_ttl", parts.keyspace.averageTimeToLive()));
        }
    }

    void tallis(InfoFields fields) {
        Keyspace keyspace = parts.keyspace;
        fields.field("node_name", node.identity().name())
                .field("node_uuid", node.identity().uuid().toString())
                .field("replica_id", keyspace.replicas().own().toString())
                .field("replica_ids_known", keyspace.replicas().count())
                .field("sources_known", keyspace.replicas().sources())
                .field("idempotency_tokens", keyspace.tokens().count())
                .field("idempotency_repeats", keyspace.tokens().repeated())
                .field("idempotency_counted_twice", keyspace.tokens().countedTwice())
                .field("transport", node.transport())
                .field("event_loops", node.eventLoops())
                .field("keys", keyspace.keys())
                .field("cells", keyspace.cells())
                .field("deleted_cells", keyspace.deletedCells());
    }
}
