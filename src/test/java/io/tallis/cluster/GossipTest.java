package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_SECOND;
import static io.tallis.cluster.SmallCluster.A_WHILE;
import static io.tallis.cluster.SmallCluster.LONG_ENOUGH_TO_STAY_AWAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.PeerStatus.Lag;
import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Frame.DropReason;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.Event;
import io.tallis.cluster.records.NodeState;
import io.tallis.cluster.records.Registry;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The exchange of node records and events between whole replicators.
final class GossipTest {
    private static final Duration AN_INSTANT = Duration.ofMillis(2);
    private static final Duration A_WHILE = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofSeconds(12);

    private final SmallCluster cluster = new SmallCluster();

    private List<Node> two() {
        List<Node> nodes = List.of(cluster.start(), cluster.start());
        cluster.connect();
        cluster.pass(A_WHILE);
        return nodes;
    }

    private static List<String> names(Node node) {
        return node.records.registry().known().visible().stream()
                .map(record -> record.newest().name())
                .toList();
    }

    private static List<String> events(Node node) {
        return node.records.chronicle().newest(Chronicle.MOST_EVENTS).stream()
                .map(event -> event.name() + " " + event.text())
                .toList();
    }

    @Test
    void nodes_thatReachEachOther_knowEachOther() {
        List<Node> nodes = two();

        assertThat(names(nodes.getFirst())).containsExactly("node-1", "node-2");
        assertThat(names(nodes.getLast())).containsExactly("node-1", "node-2");
    }

    @Test
    void nodes_thatAreReady_areShownAsReady() {
        List<Node> nodes = two();
        cluster.pass(A_WHILE);

        assertThat(nodes.getFirst().records.registry().known().visible())
                .extracting(record -> record.newest().state())
                .containsOnly(NodeState.READY);
    }

    @Test
    void records_thatWereLost_areSentAgain() {
        cluster.drops = traffic -> traffic.kind == Kind.NODES;
        List<Node> nodes = two();
        List<String> before = names(nodes.getLast());

        cluster.drops = _ -> false;
        cluster.pass(LONG);

        assertThat(before).containsExactly("node-2");
        assertThat(names(nodes.getLast())).containsExactly("node-1", "node-2");
    }

    @Test
    void recordOfAnUnreachableNode_whenAPeerAppears_isSentToIt() {
        List<Node> nodes = two();
        cluster.kill(nodes.getLast());
        Node newcomer = cluster.start();

        cluster.connect();
        cluster.pass(Duration.ofSeconds(4));

        assertThat(names(newcomer)).containsExactly("node-1", "node-2", "node-3");
    }

    @Test
    void node_forgottenHere_isForgottenByOthers() {
        List<Node> nodes = List.of(cluster.start(), cluster.start(), cluster.start());
        cluster.connect();
        cluster.pass(A_WHILE);
        cluster.kill(nodes.getLast());
        cluster.pass(A_WHILE);

        Registry.Forgetting outcome = nodes.getFirst().replicator.forget("node-3");
        cluster.pass(Duration.ofSeconds(4));

        assertThat(outcome).isEqualTo(Registry.Forgetting.DONE);
        assertThat(names(nodes.get(1))).containsExactly("node-1", "node-2");
    }

    @Test
    void registries_thatAgree_areNotExchanged() {
        List<Node> nodes = two();
        cluster.pass(LONG);
        cluster.drops = traffic -> {
            assertThat(traffic.kind).isNotEqualTo(Kind.NODES);
            return false;
        };

        cluster.pass(A_WHILE);

        assertThat(nodes.getFirst().records.registry().hash())
                .isEqualTo(nodes.getLast().records.registry().hash());
    }

    @Test
    void event_ofOneNode_reachesTheOther() {
        List<Node> nodes = two();

        nodes.getFirst().replicator.happened(Level.INFO, "was inspected");
        cluster.pass(A_WHILE);

        assertThat(events(nodes.getLast())).contains("node-1 was inspected");
    }

    @Test
    void events_beforeAPeerAppeared_areSentToIt() {
        Node first = cluster.start();
        cluster.connect();
        first.replicator.happened(Level.INFO, "was inspected");
        cluster.pass(A_WHILE);

        Node second = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);

        assertThat(events(second)).contains("node-1 was inspected");
    }

    @Test
    void event_whoseFrameWasLost_isSentAgain() {
        List<Node> nodes = two();
        cluster.drops = traffic -> traffic.kind == Kind.EVENTS;
        nodes.getFirst().replicator.happened(Level.INFO, "was inspected");
        cluster.pass(A_WHILE);

        cluster.drops = _ -> false;
        cluster.pass(LONG);

        assertThat(events(nodes.getLast())).contains("node-1 was inspected");
    }

    @Test
    void peers_thatComeAndGo_areReported() {
        List<Node> nodes = two();

        cluster.kill(nodes.getLast());
        cluster.pass(A_WHILE);

        assertThat(events(nodes.getFirst()))
                .contains(
                        "node-1 reaches node-2 (session 00000000)",
                        "node-1 no longer reaches node-2 (session 00000000)");
    }

    @Test
    void node_thatStops_announcesIt() {
        List<Node> nodes = two();
        cluster.pass(AN_INSTANT);

        nodes.getLast().replicator.leaves();
        cluster.pass(AN_INSTANT);
        cluster.kill(nodes.getLast());
        cluster.pass(A_WHILE);

        assertThat(nodes.getFirst().records.registry().known().visible())
                .extracting(record -> record.newest().state())
                .containsExactly(NodeState.READY, NodeState.LEFT);
        assertThat(events(nodes.getFirst())).contains("node-2 is stopping");
    }

    @Test
    void status_ofPeers_showsTheirState() {
        List<Node> nodes = two();
        nodes.getFirst().add("likes", 1);
        cluster.pass(A_WHILE);

        ReplicationStatus status = nodes.getFirst().replicator.status();

        PeerStatus peer = status.peers().getFirst();
        assertThat(status.joining().state()).isEqualTo(JoinState.READY);
        assertThat(status.head()).isEqualTo(1);
        assertThat(peer.identity().name()).isEqualTo("node-2");
        assertThat(peer.state()).isEqualTo(JoinState.READY);
        assertThat(peer.acknowledged()).isEqualTo(1);
        assertThat(peer.lag()).isEqualTo(new Lag(0, 0));
        assertThat(peer.bytesIn()).isPositive();
        assertThat(peer.silentMillis()).isLessThan(1000);
    }

    @Test
    void peer_thatReceivesNothing_lagsByFramesAndTime() {
        List<Node> nodes = two();
        cluster.drops = traffic -> traffic.to.equals(nodes.getLast());
        nodes.getFirst().add("likes", 1);

        cluster.pass(A_WHILE);

        Lag lag = nodes.getFirst().replicator.status().peers().getFirst().lag();
        assertThat(lag.frames()).isEqualTo(1);
        assertThat(lag.millis()).isBetween(1500L, 2100L);
    }

    @Test
    void frames_thatAreInvalid_areCountedByReason() {
        List<Node> nodes = two();
        Replicator replicator = nodes.getFirst().replicator;
        byte[] frame = new byte[Frame.HEAD_BYTES];

        replicator.onFrame(nodes.getLast().session(), frame);
        frame[0] = 'T';
        frame[1] = 'l';
        frame[2] = 9;
        replicator.onFrame(nodes.getLast().session(), frame);
        frame[2] = 1;
        replicator.onFrame(nodes.getLast().session(), frame);
        frame[3] = 1;
        replicator.onFrame(nodes.getLast().session(), frame);
        cluster.pass(A_WHILE);

        assertThat(replicator.status().frames().dropped())
                .containsEntry(DropReason.MALFORMED, 1L)
                .containsEntry(DropReason.OTHER_VERSION, 1L)
                .containsEntry(DropReason.UNKNOWN_KIND, 1L)
                .containsEntry(DropReason.DAMAGED, 1L);
    }

    /// The former session of a node that restarted at once stays reachable for a while.
    @Test
    void twoSessionsOfANode_thatBothStay_areReported() {
        Node watcher = cluster.start();
        Node former = cluster.start();
        cluster.connect();
        cluster.pass(A_SECOND);
        Node again = cluster.startAgain(former);
        cluster.connect();
        cluster.pass(A_SECOND);
        cluster.kill(former);
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.plus(A_WHILE));
        assertThat(warnings(watcher)).isEmpty();

        cluster.startAgain(again);
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.plus(A_WHILE));

        assertThat(warnings(watcher)).isNotEmpty();
    }

    private static List<Event> warnings(Node node) {
        return node.records.chronicle().newest(1_000).stream()
                .filter(event -> event.text().contains("the same node UUID"))
                .toList();
    }
}
