package io.tallis.server;

import io.tallis.cluster.ReplicationStatus;
import io.tallis.cluster.frame.Frame.DropReason;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.records.NodeState;
import io.tallis.command.cluster.ClientAddress;
import io.tallis.command.cluster.Cluster;
import io.tallis.metrics.Exposition;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The metrics of a cluster. A node without one has only itself among the nodes.
final class ClusterMetrics {
    private static final double MILLIS_PER_SECOND = 1000;
    private static final double PERCENT = 100;

    private final Cluster cluster;
    private final @Nullable Replication replication;

    ClusterMetrics(Cluster cluster, @Nullable Replication replication) {
        this.cluster = cluster;
        this.replication = replication;
    }

    void addTo(Exposition page) {
        addNodes(page);
        List<Cluster.Peer> peers = cluster.standing().peers();
        page.gauge("redis_connected_slaves", "Peers: other nodes that are reachable.", peers.size());
        Replication now = replication;
        if (now != null) {
            page.gauge(
                    "redis_master_repl_offset",
                    "The number of the last frame of changes of this node.",
                    now.status().head());
            addPeersOfRedis(page, peers);
            addPeers(page, peers);
            addNode(page, now);
            addFrames(page, now);
            addRepairs(page, now.status().repairs());
            addForgetting(page, now.status());
        }
    }

    private void addNodes(Exposition page) {
        List<Cluster.Node> known = cluster.nodes();
        Map<String, Integer> counts = new LinkedHashMap<>();
        Arrays.stream(JoinState.values()).forEach(state -> counts.put(word(state), 0));
        counts.put(word(NodeState.LEFT), 0);
        counts.put(Cluster.Node.UNREACHABLE, 0);
        known.forEach(node -> counts.merge(node.state(), 1, Integer::sum));
        Exposition.Metric nodes = page.gauge(
                "tallis_nodes",
                "Known nodes by state, this one included. `left` ones were stopped, `unreachable` ones not.");
        counts.forEach((state, count) -> nodes.add(count, "state", state));
        Exposition.Metric away = page.gauge(
                "tallis_node_away_seconds",
                "For how long the node has seen another one unreachable or not serving, since its own start; 0 if that serves.");
        known.stream()
                .filter(node -> !node.uuid().equals(cluster.ownUuid()))
                .forEach(node -> away.add(node.awaySeconds(), "node", node.name()));
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /// A node that was just started again may be there twice, under one address. No sample may.
    private static void addPeersOfRedis(Exposition page, List<Cluster.Peer> peers) {
        Map<List<String>, Cluster.Peer> byLabels = new LinkedHashMap<>();
        peers.forEach(peer -> byLabels.put(labelsOfRedis(peer), peer));
        Exposition.Metric offsets = page.gauge(
                "redis_connected_slave_offset_bytes", "The frame of this node up to which a peer has all, by peer.");
        byLabels.forEach((labels, peer) -> offsets.add(peer.has(), labels.toArray(String[]::new)));
        Exposition.Metric lags =
                page.gauge("redis_connected_slave_lag_seconds", "The time since the last frame of a peer.");
        byLabels.forEach((labels, peer) ->
                lags.add(peer.exchange().silentMillis() / MILLIS_PER_SECOND, labels.toArray(String[]::new)));
    }

    private static List<String> labelsOfRedis(Cluster.Peer peer) {
        ClientAddress address = ClientAddress.of(peer.clientAddress());
        return List.of(
                "slave_ip",
                address.host(),
                "slave_port",
                Integer.toString(address.port()),
                "slave_state",
                peer.online() ? "online" : "send_bulk");
    }

    private interface Figure {
        double of(Cluster.Peer peer);
    }

    private static void addPeers(Exposition page, List<Cluster.Peer> peers) {
        add(page.gauge("tallis_peer_ready", "1 if the peer serves data."), peers, peer -> peer.online() ? 1 : 0);
        add(
                page.gauge("tallis_peer_lag_frames", "How many frames of changes of this node the peer lacks."),
                peers,
                peer -> peer.lag().frames());
        add(
                page.gauge(
                        "tallis_peer_lag_seconds", "The time since the first of them was sent. Up to 0.3 is normal."),
                peers,
                peer -> peer.lag().millis() / MILLIS_PER_SECOND);
        add(
                page.gauge("tallis_peer_silence_seconds", "The time since the last frame of the peer."),
                peers,
                peer -> peer.exchange().silentMillis() / MILLIS_PER_SECOND);
        add(
                page.gauge("tallis_peer_clock_ahead_seconds", "How far the peer's clock is ahead of this node's."),
                peers,
                peer -> peer.exchange().clockAheadMillis() / MILLIS_PER_SECOND);
        add(
                page.gauge(
                        "tallis_peer_differed",
                        "1 if the last comparison with the peer found a difference, which it mended."),
                peers,
                peer -> peer.agrees() == Cluster.Agreement.REPAIRED ? 1 : 0);
        add(
                page.counter("tallis_peer_received_bytes_total", "Bytes from the peer since it became reachable."),
                peers,
                peer -> peer.exchange().bytesIn());
        add(
                page.counter("tallis_peer_sent_bytes_total", "Bytes to the peer since it became reachable."),
                peers,
                peer -> peer.exchange().bytesOut());
    }

    private static void add(Exposition.Metric metric, List<Cluster.Peer> peers, Figure figure) {
        peers.forEach(peer -> metric.add(figure.of(peer), "peer", peer.name(), "session", peer.session()));
    }

    private static void addNode(Exposition page, Replication now) {
        ReplicationStatus.Joining joining = now.status().joining();
        page.flag("tallis_cluster_connected", "1 if the cluster port is open.", now.connected());
        page.flag("tallis_held", "1 if cluster-hold or SYSTEM HOLD keeps the node from serving.", joining.held());
        page.gauge("tallis_join_progress_ratio", "How far joining is.", joining.percent() / PERCENT);
        page.gauge(
                "tallis_pull_progress_ratio",
                "How far the node is with fetching what it missed; 1 when it is not doing that.",
                joining.pullPercent() / PERCENT);
        page.gauge(
                "tallis_clock_correction_seconds",
                "What the node adds to its machine's clock, because other nodes have another time.",
                now.clockCorrectionMillis() / MILLIS_PER_SECOND);
        page.histogram(
                "tallis_convergence_seconds",
                "From when a change of this node was sent until a peer has told that its journal has it. A peer tells five"
                        + " times a second, and at once where a client waits.",
                now.convergence());
    }

    private static void addFrames(Exposition page, Replication now) {
        ReplicationStatus.Frames frames = now.status().frames();
        page.counter("tallis_frames_sent_total", "Frames to other nodes.", frames.sent());
        page.counter("tallis_frames_received_total", "Frames from other nodes.", frames.received());
        page.counter(
                "tallis_cluster_sent_bytes_total",
                "Bytes to other nodes.",
                now.status().traffic().bytesOut());
        page.counter(
                "tallis_cluster_received_bytes_total",
                "Bytes from other nodes.",
                now.status().traffic().bytesIn());
        page.counter(
                "tallis_frames_not_sent_total",
                "Frames that were dropped because their receiver does not confirm what it is sent.",
                now.framesNotSent());
        Exposition.Metric dropped =
                page.counter("tallis_frames_dropped_total", "Frames from other nodes that were dropped, by reason.");
        for (DropReason reason : DropReason.values()) {
            dropped.add(frames.dropped().getOrDefault(reason, 0L), "reason", word(reason));
        }
        page.counter(
                "tallis_packets_refused_total",
                "Packets that have no accepted key or come from another cluster, and over TCP such connections.",
                now.packetsRefused());
    }

    private static void addRepairs(Exposition page, ReplicationStatus.Repairs repairs) {
        page.counter("tallis_repair_asks_total", "Requests for frames that were lost.", repairs.asks());
        page.counter("tallis_repair_answers_total", "Answers to such requests.", repairs.answers());
        page.counter(
                "tallis_repair_bytes_total",
                "Bytes of answers and of fetched counters, from and to others.",
                repairs.bytes());
        page.counter("tallis_pulls_total", "Times that all counters were compared with other nodes.", repairs.pulls());
        page.counter(
                "tallis_pulls_fruitless_total",
                "Comparisons that differed and brought nothing.",
                repairs.fruitlessPulls());
        page.counter(
                "tallis_rotation_bytes_total",
                "Bytes of counters that are sent again and again.",
                repairs.rotationBytes());
    }

    private static void addForgetting(Exposition page, ReplicationStatus now) {
        page.gauge(
                "tallis_sessions_ended",
                "Ended sessions that wait for a fold: of each node all but one.",
                now.folds().waiting());
        page.counter(
                "tallis_folds_total", "Folds of ended sessions.", now.folds().made());
        page.counter(
                "tallis_purges_total",
                "Purges of deleted counters since the cluster was founded.",
                now.joining().standing().purge().number());
        page.counter(
                "tallis_purged_cells_total",
                "Deleted counters that purges dropped here.",
                now.purges().dropped());
    }
}
