package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// What a node tells of those that are away.
final class AttendanceTest {
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(15);

    private final SmallCluster cluster = new SmallCluster();

    private Node startTwo() {
        Node node = cluster.start();
        cluster.start();
        cluster.connect();
        cluster.pass(LONG_ENOUGH);
        return node;
    }

    @Test
    void nodeThatIsAway_isToldWithTheTime_untilItServesAgain() {
        Node node = startTwo();
        Node other = cluster.nodes.getLast();
        cluster.kill(other);
        cluster.pass(Duration.ofSeconds(30));
        ReplicationStatus.Nodes alone = node.replicator.status().nodes();
        Map<UUID, Long> away = alone.away();
        cluster.startAgain(other);
        cluster.connect();
        cluster.pass(LONG_ENOUGH);

        assertThat(away).containsOnlyKeys(other.self.uuid());
        assertThat(away.get(other.self.uuid())).isBetween(27_000L, 29_000L);
        assertThat(alone.here()).isEqualTo(1);
        assertThat(alone.known()).isEqualTo(2);
        assertThat(node.replicator.status().nodes()).isEqualTo(new ReplicationStatus.Nodes(2, 2, Map.of()));
    }

    /// A share of a limit is one until what the other side has admitted has come.
    @Test
    void nodeThatIsBack_isHereASecondLater() {
        Node node = startTwo();
        Node other = cluster.nodes.getLast();
        cluster.drops = _ -> true;
        cluster.pass(Duration.ofSeconds(5));
        cluster.countOnEach("likes");
        cluster.drops = _ -> false;
        cluster.passUntil(() -> node.replicator.status().nodes().away().isEmpty());
        int atFirst = node.replicator.status().nodes().here();
        cluster.passUntil(() -> node.replicator.status().nodes().here() == 2);

        assertThat(atFirst).isEqualTo(1);
        assertThat(node.value("likes")).isEqualTo(other.value("likes"));
    }

    @Test
    void nodeThatCouldNotReadWhichNodesThereAre_assumesMany() {
        Node node = cluster.startWithDamagedNodes("likes");
        cluster.pass(LONG_ENOUGH);

        assertThat(node.replicator.status().nodes().known()).isGreaterThan(1000);
    }
}
