package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_MOMENT;
import static io.tallis.cluster.SmallCluster.A_SECOND;
import static io.tallis.cluster.SmallCluster.A_WHILE;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.records.Event;
import io.tallis.keyspace.Keyspace;
import io.tallis.wire.ByteWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// `WAIT`, and the wait of a node that stops.
final class WaitsTest {
    private final SmallCluster cluster = new SmallCluster();

    @Test
    void await_whenOthersHaveAll_answersTheirNumber() {
        List<Node> nodes = cluster.startThree();
        List<Integer> answers = new ArrayList<>();
        nodes.getFirst().add("likes", 5);

        nodes.getFirst().replicator.await(2, Long.MAX_VALUE, () -> true, answers::add);
        cluster.pass(A_MOMENT);

        assertThat(answers).containsExactly(2);
    }

    /// What was acknowledged to clients of the earlier session counts too.
    @Test
    void await_onANodeThatStartedWithCounters_countsNodesThatHaveThem() {
        cluster.startThree();
        Keyspace disk = cluster.keyspace();
        SmallCluster.addFormer(disk, "old", 7);
        Node restarted = cluster.start(SmallCluster.SETTINGS, disk);
        cluster.drops = traffic -> traffic.to.equals(restarted) && traffic.kind == Kind.SUMS_ASK;
        cluster.connect();
        cluster.pass(A_SECOND);
        List<Integer> answers = new ArrayList<>();

        restarted.replicator.await(1, A_SECOND.toNanos(), () -> true, answers::add);
        cluster.pass(A_SECOND.plusMillis(10));
        assertThat(restarted.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(answers).containsExactly(0);

        cluster.drops = _ -> false;
        cluster.pass(A_WHILE);
        restarted.replicator.await(3, A_SECOND.toNanos(), () -> true, answers::add);
        cluster.pass(A_SECOND);
        assertThat(answers).containsExactly(0, 3);
    }

    /// Before the former session is unreachable for the others.
    @Test
    void await_whenTwoSessionsOfOneNodeAcknowledge_countsOneNode() {
        Node writer = cluster.start();
        Node former = cluster.start();
        Node again = cluster.startAgain(former);
        Node copy = cluster.startCopy(former);
        cluster.connect();
        cluster.pass(A_WHILE);
        writer.add("likes", 1);
        List<Integer> answers = new ArrayList<>();

        writer.replicator.await(3, A_SECOND.toNanos(), () -> true, answers::add);
        cluster.pass(A_WHILE);

        assertThat(answers).containsExactly(1);
        assertThat(List.of(again.value("likes"), copy.value("likes"))).containsExactly(1L, 1L);
    }

    /// A third node counted, sent that to one other node, and crashed.
    @Test
    void awaitOneWithAll_withCountsOfOthers_waitsForThoseToo() {
        List<Node> nodes = cluster.startThree();
        Node leaving = nodes.get(0);
        Node behind = nodes.get(1);
        Node gone = nodes.get(2);
        cluster.connect(List.of(leaving, gone));
        cluster.connect(List.of(behind));
        gone.add("likes", 5);
        cluster.pass(A_SECOND);
        cluster.nodes.remove(gone);
        cluster.drops = traffic -> traffic.to.equals(leaving) && traffic.kind == Kind.SUMS_ASK;
        cluster.connect();
        cluster.pass(A_WHILE);
        List<Integer> own = new ArrayList<>();
        List<Integer> all = new ArrayList<>();

        leaving.replicator.await(1, A_SECOND.toNanos(), () -> true, own::add);
        leaving.replicator.awaitOneWithAll(A_SECOND.toNanos(), all::add);
        cluster.pass(A_SECOND.plusMillis(10));
        assertThat(behind.value("likes")).isZero();
        assertThat(own).containsExactly(1);
        assertThat(all).containsExactly(0);

        cluster.drops = _ -> false;
        leaving.replicator.awaitOneWithAll(A_WHILE.toNanos(), all::add);
        cluster.pass(A_WHILE);
        assertThat(all).containsExactly(0, 1);
        assertThat(behind.value("likes")).isEqualTo(5);
    }

    /// The others may lack what it pulled from a node that has left, and no frame number shows it.
    @Test
    void awaitOneWithAll_afterAnotherNodeLeft_isAnsweredSoon() {
        List<Node> nodes = cluster.startThree();
        nodes.forEach(node -> node.add("likes", 5));
        cluster.pass(A_SECOND);
        Node joiner = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        assertThat(joiner.value("likes")).isEqualTo(15);
        List<Integer> all = new ArrayList<>();

        cluster.nodes.removeAll(nodes.subList(0, 2));
        cluster.connect();
        joiner.replicator.leaves();
        joiner.replicator.awaitOneWithAll(A_SECOND.toNanos(), all::add);
        cluster.pass(A_SECOND.plusMillis(10));

        assertThat(all).singleElement().satisfies(count -> assertThat(count).isPositive());
    }

    @Test
    void awaitOneWithAll_whileAllNodesCount_isAnsweredSoon() {
        List<Node> nodes = cluster.startThree();
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            nodes.forEach(node -> node.add("likes", 1));
            cluster.pass(Duration.ofMillis(10));
        }

        nodes.getFirst().replicator.awaitOneWithAll(A_SECOND.toNanos(), all::add);
        for (int i = 0; i < 50; i++) {
            nodes.forEach(node -> node.add("likes", 1));
            cluster.pass(Duration.ofMillis(10));
        }

        assertThat(all).hasSize(1);
        assertThat(all.getFirst()).isPositive();
    }

    @Test
    void await_whenItTimesOut_answersHowManyHaveIt() {
        List<Node> nodes = cluster.startThree();
        List<Integer> answers = new ArrayList<>();
        cluster.drops = traffic -> traffic.to.equals(nodes.getLast());
        nodes.getFirst().add("likes", 5);

        nodes.getFirst().replicator.await(2, Duration.ofMillis(100).toNanos(), () -> true, answers::add);
        cluster.pass(Duration.ofMillis(99));
        assertThat(answers).isEmpty();
        cluster.pass(A_MOMENT);

        assertThat(answers).containsExactly(1);
    }

    @Test
    void await_beyondTheBound_answersZeroAtOnce() {
        List<Node> nodes = cluster.startThree();
        List<Integer> answers = new ArrayList<>();
        cluster.drops = _ -> true;
        nodes.getFirst().add("likes", 5);
        for (int i = 0; i < Waits.MOST; i++) {
            nodes.getFirst().replicator.await(2, Long.MAX_VALUE, () -> true, answers::add);
        }
        List<Integer> before = List.copyOf(answers);

        nodes.getFirst().replicator.await(2, Long.MAX_VALUE, () -> true, answers::add);

        assertThat(before).isEmpty();
        assertThat(answers).containsExactly(0);
    }

    @Test
    void await_whenAPeerAcknowledgesMoreThanWasSent_doesNotCountIt() {
        List<Node> nodes = cluster.startThree();
        Node node = nodes.getFirst();
        List<Integer> answers = new ArrayList<>();
        cluster.drops = traffic -> traffic.from.equals(node) || traffic.to.equals(node);
        node.add("likes", 5);
        node.replicator.await(1, Duration.ofSeconds(1).toNanos(), () -> true, answers::add);

        ByteWriter out = new ByteWriter(100);
        Frame.begin(out, Kind.ACK, nodes.getLast().session(), 0, 0);
        out.varint(1_000_000);
        node.replicator.onFrame(nodes.getLast().session(), Frame.seal(out, Frame.OLDEST_VERSION));
        cluster.pass(A_WHILE);

        assertThat(answers).containsExactly(0);
        assertThat(node.records.chronicle().newest(1_000))
                .extracting(Event::text)
                .anyMatch(text -> text.contains("of frames that it never sent"));
    }
}
