package io.tallis.server;

import io.tallis.command.cluster.Cluster;
import io.tallis.http.ClusterFacts;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The nodes of the cluster and how it stands between them and this one.
record ClusterTopology(Cluster cluster) {
    ClusterFacts now() {
        Cluster.Standing standing = cluster.standing();
        Map<String, Cluster.Peer> peers = standing.peers().stream()
                .collect(Collectors.toMap(Cluster.Peer::session, Function.identity(), (one, _) -> one));
        List<ClusterFacts.Node> nodes = cluster.nodes().stream()
                .map(node -> node(node, standing.session(), peers.get(node.session())))
                .toList();
        return new ClusterFacts(standing.cluster(), nodes);
    }

    private static ClusterFacts.Node node(Cluster.Node node, String ownSession, Cluster.@Nullable Peer peer) {
        return new ClusterFacts.Node(
                node.name(),
                node.uuid(),
                node.session(),
                node.clientAddress(),
                node.httpAddress(),
                node.state(),
                node.session().equals(ownSession),
                node.starts(),
                peer == null ? null : link(peer));
    }

    private static ClusterFacts.Link link(Cluster.Peer peer) {
        return new ClusterFacts.Link(
                peer.lag().frames(),
                peer.lag().millis(),
                peer.exchange().silentMillis(),
                peer.exchange().clockAheadMillis(),
                peer.agrees().name().toLowerCase(Locale.ROOT));
    }
}
