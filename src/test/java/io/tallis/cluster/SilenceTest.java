package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_SECOND;
import static io.tallis.cluster.SmallCluster.A_WHILE;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.frame.Kind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Frames of some members of the view do not arrive for longer than a second, and the view does not change.
final class SilenceTest {
    /// How many requests the sums of all partitions take.
    private static final int A_ROUND = 16;

    private final SmallCluster cluster = new SmallCluster();

    private List<Node> start(int count) {
        for (int i = 0; i < count; i++) {
            cluster.start();
        }
        cluster.connect();
        cluster.pass(A_WHILE);
        cluster.forgetSent();
        return List.copyOf(cluster.nodes);
    }

    private static long countOf(Kind kind, Node node) {
        return node.sent().stream().filter(kind::equals).count();
    }

    /// When the partition heals, frames of one node arrive first; its vector shows the changes of the others, whose
    /// frames follow.
    @Test
    void partition_thatIsShort_isRepairedByAsksWithoutPulls() {
        List<Node> nodes = start(6);
        beatOneAfterTheOther(nodes);
        List<Node> side = nodes.subList(0, 3);
        cluster.drops = traffic -> side.contains(traffic.from) != side.contains(traffic.to);
        for (int i = 0; i < 15; i++) {
            String key = "key-" + i;
            nodes.forEach(node -> node.add(key, 1));
            cluster.pass(Duration.ofMillis(100));
        }

        cluster.drops = _ -> false;
        cluster.pass(A_SECOND);

        cluster.assertThatAllAgree();
        assertThat(nodes)
                .allSatisfy(node -> assertThat(node.sent()).contains(Kind.ASK).doesNotContain(Kind.SUMS_ASK));
    }

    private void beatOneAfterTheOther(List<Node> nodes) {
        nodes.forEach(node -> node.standsStill = true);
        cluster.pass(Duration.ofMillis(150));
        for (Node node : nodes) {
            cluster.pass(Duration.ofMillis(190 / nodes.size()));
            node.standsStill = false;
        }
        cluster.pass(A_WHILE);
    }

    @Test
    void node_thatDoesNotReceiveAnother_getsItsChangesFromAThirdNode() {
        List<Node> nodes = start(10);
        Node deaf = nodes.get(0);
        Node writer = nodes.get(1);
        cluster.drops = traffic -> traffic.from.equals(writer) && traffic.to.equals(deaf);
        for (int i = 0; i < 1_000; i++) {
            writer.add("key-" + i, 1);
            cluster.pass(Duration.ofMillis(10));
        }

        assertThat(deaf.keyspace.cells()).isGreaterThan(850);
        assertThat(countOf(Kind.SUMS_ASK, deaf)).isLessThan(20 * A_ROUND);
    }

    @Test
    void pull_whoseProviderLeaves_continuesWithAReachableOne() {
        List<Node> nodes = start(5);
        Node dead = nodes.get(0);
        Node deaf = nodes.get(1);
        Node writer = nodes.get(4);
        cluster.drops = traffic -> traffic.to.equals(deaf);
        writer.add("likes", 5);
        cluster.pass(Duration.ofMillis(900));
        cluster.nodes.removeAll(List.of(dead, writer));
        cluster.drops = traffic -> traffic.to.equals(deaf) && traffic.kind == Kind.CELLS;
        cluster.pass(A_WHILE);
        assertThat(countOf(Kind.PULL, deaf)).isPositive();

        cluster.drops = _ -> false;
        boolean isFirst = countOf(Kind.SUMS, nodes.get(2)) > 0;
        cluster.showOnly(deaf, List.of(dead, deaf, nodes.get(isFirst ? 3 : 2)));
        cluster.pass(SmallCluster.LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(deaf.value("likes")).isEqualTo(5);
    }
}
