package io.tallis.server;

import io.tallis.command.Client;
import io.tallis.command.ClientRegistry;
import io.tallis.command.Monitors;
import io.tallis.command.PubSub;
import io.tallis.command.Subscriptions;
import io.tallis.command.server.InfoFields;
import io.tallis.command.server.InfoSection;
import io.tallis.config.Config;
import io.tallis.config.Settings;
import io.tallis.keyspace.Keyspace;
import io.tallis.metrics.CommandStats;
import io.tallis.metrics.NetworkEvent;
import io.tallis.metrics.NetworkStats;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/// The sections of `INFO` that the node tells of itself; names and meanings are Redis's, so that its tools
/// understand.
final class NodeSections {
    private static final int MICROS = 1000;
    private static final int SECONDS_PER_DAY = 86_400;

    private final Config config;
    private final NodeStatus node;
    private final Parts parts;

    /// The parts that are asked.
    record Parts(
            Keyspace keyspace,
            ClientRegistry clients,
            PubSub pubSub,
            Monitors monitors,
            CommandStats commands,
            NetworkStats network,
            ProcessStatus process,
            Traffic traffic) {}

    NodeSections(Config config, NodeStatus node, Parts parts) {
        this.config = config;
        this.node = node;
        this.parts = parts;
    }

    List<InfoSection> machine() {
        return List.of(
                InfoSection.of("server", this::server),
                InfoSection.of("clients", this::clients),
                InfoSection.of("memory", this::memory));
    }

    List<InfoSection> activity() {
        return List.of(
                InfoSection.of("stats", this::stats),
                InfoSection.of("replication", this::replication),
                InfoSection.of("cpu", this::cpu));
    }

    List<InfoSection> counters() {
        return List.of(
                InfoSection.of("cluster", fields -> fields.field("cluster_enabled", 0)),
                InfoSection.of("keyspace", this::keyspace),
                InfoSection.of("tallis", this::tallis));
    }

    private void server(InfoFields fields) {
        Path file = config.file();
        fields.field("redis_version", Version.REDIS)
                .field("redis_mode", "standalone")
                .field(
                        "os",
                        System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                                + System.getProperty("os.arch"))
                .field("arch_bits", Long.SIZE)
                .field("multiplexing_api", node.transport())
                .field("process_id", ProcessHandle.current().pid())
                .field("run_id", runId())
                .field("tcp_port", node.port())
                .field("server_time_usec", node.epochMillis() * MICROS)
                .field("uptime_in_seconds", node.upSeconds())
                .field("uptime_in_days", node.upSeconds() / SECONDS_PER_DAY)
                .field("config_file", file == null ? "" : file.toAbsolutePath().toString())
                .field("tallis_version", Version.TEXT)
                .field("java_version", Runtime.version().toString());
    }

    /// Redis's is 40 digits; the replica id, which is as long as the process lives, has 32 of them.
    private String runId() {
        return parts.keyspace.replicas().own() + "00000000";
    }

    private void clients(InfoFields fields) {
        fields.field("connected_clients", parts.clients.count())
                .field("maxclients", config.values().get(Settings.MAXCLIENTS))
                .field("blocked_clients", clientsThat(Client::suspended))
                .field(
                        "pubsub_clients",
                        clientsThat(client -> client.subscriptions().count() > 0))
                .field("monitor_clients", parts.monitors.count());
    }

    private long clientsThat(Predicate<Client> condition) {
        return parts.clients.all().stream().filter(condition).count();
    }

    private void memory(InfoFields fields) {
        long keys = parts.keyspace.keys();
        long used = parts.keyspace.bytesUsed();
        fields.bytes("used_memory", used)
                .bytes("used_memory_rss", parts.process.residentBytes())
                .bytes("used_memory_peak", parts.process.peakBytes())
                .field("used_memory_dataset", used)
                .field("used_memory_per_key", keys == 0 ? 0 : used / keys)
                .bytes("maxmemory", config.values().get(Settings.MAXMEMORY))
                .field("maxmemory_policy", "noeviction")
                .bytes("used_memory_limit", MemoryBound.of(config.values()))
                .bytes("heap_used", parts.process.heapUsedBytes())
                .bytes("heap_max", parts.process.heapMaxBytes())
                .field("mem_allocator", "jvm");
    }

    private void stats(InfoFields fields) {
        NetworkStats network = parts.network;
        fields.field("total_connections_received", network.total(NetworkEvent.RECEIVED))
                .field("total_commands_processed", parts.commands.calls())
                .field("instantaneous_ops_per_sec", Math.round(parts.traffic.commandsPerSecond()))
                .field("total_net_input_bytes", network.total(NetworkEvent.BYTES_IN))
                .field("total_net_output_bytes", network.total(NetworkEvent.BYTES_OUT))
                .decimal("instantaneous_input_kbps", parts.traffic.bytesInPerSecond() / 1024, 2)
                .decimal("instantaneous_output_kbps", parts.traffic.bytesOutPerSecond() / 1024, 2)
                .field("rejected_connections", network.total(NetworkEvent.REJECTED))
                .field("expired_keys", 0)
                .field("evicted_keys", 0)
                .field("keyspace_hits", parts.commands.hits())
                .field("keyspace_misses", parts.commands.misses())
                .field("pubsub_channels", parts.pubSub.count(Subscriptions.Kind.CHANNEL))
                .field("pubsub_patterns", parts.pubSub.count(Subscriptions.Kind.PATTERN))
                .field("total_error_replies", parts.commands.errorTotal())
                .field("total_reads_processed", network.total(NetworkEvent.READ))
                .field("total_writes_processed", network.total(NetworkEvent.WRITE))
                .field("client_query_buffer_limit_disconnections", network.total(NetworkEvent.QUERY_LIMIT))
                .field("client_output_buffer_limit_disconnections", network.total(NetworkEvent.OUTPUT_LIMIT))
                .field("protocol_errors", network.total(NetworkEvent.PROTOCOL_ERROR));
    }

    /// Every node takes writes: to Redis's tools it is a master without replicas.
    private void replication(InfoFields fields) {
        fields.field("role", "master")
                .field("connected_slaves", 0)
                .field("master_replid", runId())
                .field("master_repl_offset", 0);
    }

    private void cpu(InfoFields fields) {
        fields.decimal("used_cpu_sys", parts.process.systemSeconds(), 6)
                .decimal("used_cpu_user", parts.process.userSeconds(), 6);
    }

    private void keyspace(InfoFields fields) {
        long keys = parts.keyspace.keys();
        if (keys > 0) {
            fields.field("db0", "keys=" + keys + ",expires=0,avg_ttl=0");
        }
    }

    private void tallis(InfoFields fields) {
        Keyspace keyspace = parts.keyspace;
        fields.field("node_name", node.identity().name())
                .field("node_uuid", node.identity().uuid().toString())
                .field("replica_id", keyspace.replicas().own().toString())
                .field("replica_ids_known", keyspace.replicas().count())
                .field("transport", node.transport())
                .field("keys", keyspace.keys())
                .field("cells", keyspace.cells())
                .field("deleted_cells", keyspace.deletedCells());
    }
}
