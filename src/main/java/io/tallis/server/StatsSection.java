package io.tallis.server;

import io.tallis.command.Subscriptions.Kind;
import io.tallis.command.pubsub.PubSub;
import io.tallis.command.server.InfoFields;
import io.tallis.command.tracking.Tracking;
import io.tallis.keyspace.Expiry;
import io.tallis.metrics.CommandStats;
import io.tallis.metrics.NetworkEvent;
import io.tallis.metrics.NetworkStats;

/// The `INFO` section `stats`, in Redis's order, with our own fields at the end.
///
/// Fields about the cycles of expiry, eviction of keys, defragmentation, forks and Redis's replication are 0, since
/// none of these exists.
final class StatsSection {
    private static final int KILO = 1024;

    private final CommandStats commands;
    private final NetworkStats network;
    private final Expiry expiry;
    private final Traffic traffic;
    private final PubSub pubSub;
    private final Tracking tracking;

    StatsSection(
            CommandStats commands,
            NetworkStats network,
            Expiry expiry,
            Traffic traffic,
            PubSub pubSub,
            Tracking tracking) {
        this.commands = commands;
        this.network = network;
        this.expiry = expiry;
        this.traffic = traffic;
        this.pubSub = pubSub;
        this.tracking = tracking;
    }

    void addTo(InfoFields fields) {
        addTraffic(fields);
        fields.field("rejected_connections", network.total(NetworkEvent.REJECTED))
                .never("sync_full", "sync_partial_ok", "sync_partial_err")
                .field("expired_keys", expiry.ended())
                .decimal("expired_stale_perc", 0, 2)
                .never("expired_time_cap_reached_count", "expire_cycle_cpu_milliseconds", "evicted_keys")
                .field("evicted_clients", network.total(NetworkEvent.EVICTED))
                .never("total_eviction_exceeded_time", "current_eviction_exceeded_time")
                .field("keyspace_hits", commands.hits())
                .field("keyspace_misses", commands.misses())
                .field("pubsub_channels", pubSub.count(Kind.CHANNEL))
                .field("pubsub_patterns", pubSub.count(Kind.PATTERN))
                .field("pubsubshard_channels", pubSub.count(Kind.SHARD_CHANNEL))
                .never("latest_fork_usec", "total_forks", "migrate_cached_sockets", "slave_expires_tracked_keys")
                .never("active_defrag_hits", "active_defrag_misses", "active_defrag_key_hits")
                .never("active_defrag_key_misses", "total_active_defrag_time", "current_active_defrag_time")
                .field("tracking_total_keys", tracking.keys())
                .field("tracking_total_items", tracking.entries())
                .field("tracking_total_prefixes", tracking.prefixes())
                .never("unexpected_error_replies")
                .field("total_error_replies", commands.errorTotal())
                .never("dump_payload_sanitizations")
                .field("total_reads_processed", network.total(NetworkEvent.READ))
                .field("total_writes_processed", network.total(NetworkEvent.WRITE))
                .never("reply_buffer_shrinks", "reply_buffer_expands")
                .field("client_query_buffer_limit_disconnections", network.total(NetworkEvent.QUERY_LIMIT))
                .field("client_output_buffer_limit_disconnections", network.total(NetworkEvent.OUTPUT_LIMIT))
                .field("protocol_errors", network.total(NetworkEvent.PROTOCOL_ERROR));
    }

    private void addTraffic(InfoFields fields) {
        fields.field("total_connections_received", network.total(NetworkEvent.RECEIVED))
                .field("total_commands_processed", commands.calls())
                .field("instantaneous_ops_per_sec", Math.round(traffic.commandsPerSecond()))
                .field("total_net_input_bytes", network.total(NetworkEvent.BYTES_IN))
                .field("total_net_output_bytes", network.total(NetworkEvent.BYTES_OUT))
                .never("total_net_repl_input_bytes", "total_net_repl_output_bytes")
                .decimal("instantaneous_input_kbps", traffic.bytesInPerSecond() / KILO, 2)
                .decimal("instantaneous_output_kbps", traffic.bytesOutPerSecond() / KILO, 2)
                .decimal("instantaneous_input_repl_kbps", 0, 2)
                .decimal("instantaneous_output_repl_kbps", 0, 2);
    }
}
