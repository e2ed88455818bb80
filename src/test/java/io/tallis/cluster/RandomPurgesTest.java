package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.peer.JoinState;
import io.tallis.keyspace.Keyspace;
import io.tallis.testing.Gen;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Clients count and delete while nodes are cut off, stand still, crash and purge. Every increment of a key is another
/// power of two, so its value tells which increments a node sees: those that were made, without those that a delete
/// saw. One that was counted twice would change the others.
final class RandomPurgesTest {
    private static final int MOST_INCREMENTS = 60;
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(30);

    private final SmallCluster cluster = new SmallCluster();
    private final Map<String, Counted> counted = new HashMap<>();
    private final List<Stopped> stopped = new ArrayList<>();
    private Gen gen = new Gen(0);

    /// What clients did with a key.
    private static final class Counted {
        private long all;
        private int next;
        private long deleted;

        private long left() {
            return all & ~deleted;
        }
    }

    private record Stopped(Node node, Keyspace disk) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void cluster_thatPurges_holdsWhatWasCountedAndNotDeleted(long seed) {
        gen = new Gen(seed);
        cluster.drawOften();
        cluster.startThree();
        for (int round = 0; round < 8; round++) {
            for (int i = 0; i < 100; i++) {
                act();
                cluster.pass(Duration.ofMillis(gen.pick(0, 1, 20, 200)));
            }
            heal();
            cluster.pass(gen.pick(Duration.ofSeconds(1), LONG_ENOUGH));
        }
        long purges = cluster.nodes.getFirst().standingOnDisk.purge().number();
        heal();
        cluster.pass(LONG_ENOUGH);
        cluster.nodes.getFirst().replicator.purgeAtOnce();
        cluster.pass(LONG_ENOUGH);

        assertThat(purges).isPositive();
        assertThat(cluster.nodes).hasSize(3).allSatisfy(node -> {
            assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
            counted.forEach((key, what) -> assertThat(node.value(key)).as(key).isEqualTo(what.left()));
        });
        cluster.assertThatAllAgree();
    }

    private void act() {
        Node node = gen.pick(cluster.nodes);
        boolean serves = node.replicator.state() == JoinState.READY && !node.standsStill;
        switch (gen.between(0, 99)) {
            case 0 -> cutOff(node);
            case 1 -> node.standsStill = true;
            case 2 -> node.standsStill = false;
            case 3 -> cluster.drops = traffic -> gen.chance(10);
            case 4 -> cluster.drops = _ -> false;
            case 5 -> kill(node);
            case 6 -> startAgain();
            case 7, 8, 9, 10, 11 -> node.replicator.purgeAtOnce();
            case 12 -> heal();
            default -> {
                if (serves) {
                    change(node, "key-" + gen.between(0, 3));
                }
            }
        }
    }

    private void change(Node node, String key) {
        Counted what = counted.computeIfAbsent(key, _ -> new Counted());
        if (gen.chance(20)) {
            what.deleted |= node.value(key);
            node.delete(key);
        } else if (what.next < MOST_INCREMENTS) {
            long increment = 1L << what.next++;
            node.add(key, increment);
            what.all |= increment;
        }
    }

    private void cutOff(Node node) {
        List<Node> others = new ArrayList<>(cluster.nodes);
        others.remove(node);
        cluster.connect(others);
        cluster.connect(List.of(node));
    }

    private void kill(Node node) {
        if (stopped.isEmpty()) {
            Keyspace disk = cluster.keyspace();
            SmallCluster.copy(node.keyspace, disk);
            stopped.add(new Stopped(node, disk));
            cluster.kill(node);
        }
    }

    private void startAgain() {
        stopped.forEach(one -> cluster.startAgain(one.node, one.disk, SmallCluster.SETTINGS));
        if (!stopped.isEmpty()) {
            cluster.connect();
        }
        stopped.clear();
    }

    private void heal() {
        cluster.drops = _ -> false;
        cluster.nodes.forEach(node -> node.standsStill = false);
        startAgain();
        cluster.connect();
    }
}
