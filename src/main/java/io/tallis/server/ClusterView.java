package io.tallis.server;

import io.tallis.cluster.PeerStatus;
import io.tallis.cluster.ReplicationStatus;
import io.tallis.cluster.frame.Frame.DropReason;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.Event;
import io.tallis.cluster.records.KnownNodes;
import io.tallis.cluster.records.NodeRecord;
import io.tallis.cluster.records.NodeState;
import io.tallis.cluster.records.Registry;
import io.tallis.command.cluster.Cluster;
import io.tallis.crdt.ReplicaId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The cluster as clients see it: the status that the replicator last published, and the registry of nodes. Requests of
/// operators go to the replicator's thread.
final class ClusterView implements Cluster {
    private final Supplier<ReplicationStatus> status;
    private final Registry registry;
    private final Chronicle chronicle;
    private final Operator operator;
    private final UUID own;

    /// The replicator and the transport. `answer` and `done` are called soon, on the replicator's thread.
    interface Operator {
        void forget(String node, Consumer<Registry.Forgetting> answer);

        void hold(Runnable done);

        void ready(Runnable done);

        void fold();

        void purge();

        /// Whether the transport is connected to the network, even if no other node is.
        boolean connected();

        /// The number of frames that the transport dropped instead of sending them.
        long framesNotSent();

        /// The number of packets and connections that did not come from a node with an accepted key.
        long packetsRefused();

        /// The address at the other end of the last of them; empty if there is none.
        String lastRefused();
    }

    ClusterView(Supplier<ReplicationStatus> status, Registry registry, Chronicle chronicle, Operator operator) {
        this.status = status;
        this.registry = registry;
        this.chronicle = chronicle;
        this.operator = operator;
        own = registry.own();
    }

    @Override
    public Standing standing() {
        ReplicationStatus now = status.get();
        KnownNodes known = registry.known();
        return new Standing(
                now.session().toString(),
                now.head(),
                word(now.joining().told()),
                now.joining().percent(),
                cluster(now.joining().standing()),
                figures(now, known),
                texts(now, known),
                now.peers().stream().map(peer -> peer(peer, known)).toList());
    }

    private static String cluster(io.tallis.cluster.peer.Standing standing) {
        return standing.cluster() == null
                ? Standing.NO_CLUSTER
                : standing.cluster().toString();
    }

    private Map<String, String> texts(ReplicationStatus now, KnownNodes known) {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("packets_refused_from", operator.lastRefused());
        texts.put("fold_waits_for", waitsFor(now.folds().waitsFor(), now.nodes().away(), known));
        texts.put(
                "purge_waits_for", waitsFor(now.purges().waitsFor(), now.nodes().away(), known));
        return texts;
    }

    /// What a fold or a purge waits for: the nodes that are away, or if none is, this.
    private static String waitsFor(String phase, Map<UUID, Long> away, KnownNodes known) {
        if (phase.isEmpty() || away.isEmpty()) {
            return phase;
        }
        return away.entrySet().stream()
                .map(node -> known.nameOf(node.getKey()) + " (for " + seconds(node.getValue()) + " s)")
                .sorted()
                .collect(Collectors.joining(
                        ",", "nodes that are unreachable or do not serve; SYSTEM FORGET those that never will: ", ""));
    }

    private static long seconds(long millis) {
        return TimeUnit.MILLISECONDS.toSeconds(millis);
    }

    private static String word(Enum<?> state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    private Map<String, Long> figures(ReplicationStatus now, KnownNodes known) {
        Map<String, Long> figures = new LinkedHashMap<>();
        figures.put("cluster_connected", operator.connected() ? 1L : 0L);
        figures.put("nodes_known", (long) known.visible().size());
        figures.put(
                "nodes_unreachable",
                nodes().stream().filter(Node::isUnreachable).count());
        figures.put("node_complete", now.joining().standing().complete() ? 1L : 0L);
        figures.put("node_held", now.joining().held() ? 1L : 0L);
        figures.put("pulled_cells", now.joining().cellsPulled());
        figures.put("pulled_bytes", now.joining().bytesPulled());
        figures.put("pull_ms", now.joining().pullMillis());
        figures.put("pull_percent", (long) now.joining().pullPercent());
        figures.put("frames_sent", now.frames().sent());
        figures.put("frames_not_sent", operator.framesNotSent());
        figures.put("packets_refused", operator.packetsRefused());
        figures.put("frames_received", now.frames().received());
        for (DropReason reason : DropReason.values()) {
            figures.put("frames_dropped_" + word(reason), now.frames().dropped().getOrDefault(reason, 0L));
        }
        figures.put("asks", now.repairs().asks());
        figures.put("answers", now.repairs().answers());
        figures.put("pulls", now.repairs().pulls());
        figures.put("pulls_fruitless", now.repairs().fruitlessPulls());
        figures.put("rotation_bytes_out", now.repairs().rotationBytes());
        figures.put("repair_bytes", now.repairs().bytes());
        figures.put("sessions_ended", now.folds().waiting());
        figures.put("folds", (long) now.folds().made());
        figures.put("purges", now.joining().standing().purge().number());
        figures.put("purged_cells", now.purges().dropped());
        figures.put("cluster_bytes_in", now.traffic().bytesIn());
        figures.put("cluster_bytes_out", now.traffic().bytesOut());
        return figures;
    }

    private static Peer peer(PeerStatus peer, KnownNodes known) {
        PeerStatus.Identity identity = peer.identity();
        return new Peer(
                uniqueName(identity.session(), identity.name(), known),
                identity.session().toString(),
                identity.addresses().client(),
                word(peer.state()),
                peer.state() == JoinState.READY,
                peer.acknowledged(),
                new Lag(peer.lag().frames(), peer.lag().millis()),
                new Exchange(peer.bytesIn(), peer.bytesOut(), peer.silentMillis(), peer.clockAheadMillis()),
                vitals(peer.vitals()),
                agreement(peer.comparison()));
    }

    private static Vitals vitals(io.tallis.cluster.peer.Vitals told) {
        return new Vitals(told.version(), told.upSeconds(), told.commandsPerSecond());
    }

    private static Agreement agreement(PeerStatus.@Nullable Comparison comparison) {
        if (comparison == null) {
            return Agreement.NOT_COMPARED;
        }
        return comparison.agreed() ? Agreement.YES : Agreement.REPAIRED;
    }

    @Override
    public String ownUuid() {
        return own.toString();
    }

    @Override
    public List<Node> nodes() {
        ReplicationStatus now = status.get();
        KnownNodes known = registry.known();
        Map<UUID, Integer> reachable = new HashMap<>(Map.of(own, 1));
        Map<UUID, String> states = new HashMap<>(Map.of(own, word(now.joining().told())));
        for (PeerStatus peer : now.peers()) {
            reachable.merge(peer.identity().uuid(), 1, Integer::sum);
            states.putIfAbsent(peer.identity().uuid(), word(peer.state()));
        }
        return known.visible().stream()
                .map(record -> {
                    String gone = record.newest().state() == NodeState.LEFT ? "left" : Node.UNREACHABLE;
                    String state = states.getOrDefault(record.uuid(), gone);
                    return node(
                            record,
                            known.nameOf(record.uuid()),
                            state,
                            reachable.getOrDefault(record.uuid(), 0),
                            seconds(now.nodes().away().getOrDefault(record.uuid(), 0L)));
                })
                .toList();
    }

    /// A node as clients see it; `reachable` is the number of its reachable sessions.
    static Node node(NodeRecord record, String name, String state, int reachable, long awaySeconds) {
        NodeRecord.Life life = record.newest();
        return new Node(
                name,
                record.uuid().toString(),
                life.addresses().client(),
                life.addresses().http(),
                life.addresses().slots(),
                state,
                reachable,
                awaySeconds,
                record.version(),
                life.session().id().toString());
    }

    @Override
    public Reach reach() {
        ReplicationStatus.Nodes nodes = status.get().nodes();
        return new Reach(nodes.here(), nodes.known());
    }

    @Override
    public List<Happening> newest(int most) {
        KnownNodes known = registry.known();
        return chronicle.newest(most).stream()
                .map(event -> happening(event, known))
                .toList();
    }

    private static Happening happening(Event event, KnownNodes known) {
        String name = uniqueName(event.session(), event.name(), known);
        return new Happening(event.epochMillis(), name, event.session().toString(), event.text());
    }

    /// The name under which the node of a session is shown everywhere: its own one, with a suffix if others have it
    /// too.
    private static String uniqueName(ReplicaId session, String name, KnownNodes known) {
        return known.owner(session) == null ? name : known.nameOf(session);
    }

    @Override
    public void forget(String node, Consumer<Forgetting> answer) {
        operator.forget(
                node,
                outcome -> answer.accept(
                        switch (outcome) {
                            case DONE -> Forgetting.DONE;
                            case UNKNOWN -> Forgetting.UNKNOWN;
                            case PRESENT -> Forgetting.PRESENT;
                        }));
    }

    @Override
    public void fold() {
        operator.fold();
    }

    @Override
    public void purge() {
        operator.purge();
    }

    @Override
    public boolean hold(Runnable done) {
        operator.hold(done);
        return true;
    }

    @Override
    public void ready(Runnable done) {
        operator.ready(done);
    }
}
