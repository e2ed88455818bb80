package io.tallis.command.cluster;

import io.tallis.command.server.InfoFields;
import io.tallis.command.server.InfoSection;
import java.util.List;
import java.util.Locale;

/// The `INFO` section `replication`. Every node takes writes: to Redis's tools it is a master without a past as a
/// replica, and its peers are its replicas. Our own fields follow at the end.
public final class ReplicationSection {
    /// Redis's replication ids have 40 digits; a session has 32.
    private static final String PADDING = "00000000";

    private static final int MILLIS_PER_SECOND = 1000;

    private final Cluster cluster;

    private ReplicationSection(Cluster cluster) {
        this.cluster = cluster;
    }

    public static InfoSection of(Cluster cluster) {
        return InfoSection.of("replication", new ReplicationSection(cluster)::addTo);
    }

    private void addTo(InfoFields fields) {
        Cluster.Standing standing = cluster.standing();
        String id = standing.session() + PADDING;
        fields.field("role", "master")
                .field("connected_slaves", standing.peers().size());
        addReplicas(standing.peers(), fields);
        fields.field("master_failover_state", "no-failover")
                .field("master_replid", id)
                .field("master_replid2", "0".repeat(id.length()))
                .field("master_repl_offset", standing.head())
                .field("second_repl_offset", -1)
                .never("repl_backlog_active", "repl_backlog_size")
                .never("repl_backlog_first_byte_offset", "repl_backlog_histlen")
                .field("node_state", standing.state())
                .field("node_joined_perc", standing.percent())
                .field("cluster_id", standing.cluster());
        standing.figures().forEach(fields::field);
        standing.texts().forEach(fields::field);
        addPeers(standing.peers(), fields);
    }

    private static void addReplicas(List<Cluster.Peer> peers, InfoFields fields) {
        for (int i = 0; i < peers.size(); i++) {
            Cluster.Peer peer = peers.get(i);
            ClientAddress address = ClientAddress.of(peer.clientAddress());
            fields.group(
                    "slave" + i,
                    group -> group.field("ip", address.host())
                            .field("port", address.port())
                            .field("state", peer.online() ? "online" : "send_bulk")
                            .field("offset", peer.has())
                            .field("lag", peer.exchange().silentMillis() / MILLIS_PER_SECOND));
        }
    }

    private static void addPeers(List<Cluster.Peer> peers, InfoFields fields) {
        for (int i = 0; i < peers.size(); i++) {
            Cluster.Peer peer = peers.get(i);
            fields.group(
                    "peer" + i,
                    group -> group.field("name", peer.name())
                            .field("session", peer.session())
                            .field("state", peer.state())
                            .field("lag_frames", peer.lag().frames())
                            .field("lag_ms", peer.lag().millis())
                            .field("bytes_in", peer.exchange().bytesIn())
                            .field("bytes_out", peer.exchange().bytesOut())
                            .field("last_contact_ms", peer.exchange().silentMillis())
                            .field("clock_ahead_ms", peer.exchange().clockAheadMillis())
                            .field("version", peer.vitals().version())
                            .field("uptime_in_seconds", peer.vitals().upSeconds())
                            .field("ops_per_sec", peer.vitals().commandsPerSecond())
                            .field("agrees", peer.agrees().name().toLowerCase(Locale.ROOT)));
        }
    }
}
