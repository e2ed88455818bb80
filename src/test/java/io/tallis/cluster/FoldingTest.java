package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Standing;
import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.runtime.FatalException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FoldingTest {
    private static final Duration FOLD_AFTER = Duration.ofSeconds(2);
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(15);
    private static final ReplicationSettings SETTINGS = new ReplicationSettings(
            SmallCluster.JOINING, 1 << 26, 0, Long.MAX_VALUE, Frame.OLDEST_VERSION, FOLD_AFTER.toNanos());

    private final SmallCluster cluster = new SmallCluster();

    @Test
    void endedSessions_areFoldedOnAllNodes_andCountsStay() {
        Node one = start();
        Node other = start();
        countAndRestart(one, other);
        countAndRestart(cluster.nodes.getLast(), cluster.nodes.getFirst());

        cluster.pass(LONG_ENOUGH);

        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.value("likes")).isEqualTo(20);
            assertThat(shards(node)).isEqualTo(1);
            assertThat(node.keyspace.folds().made()).isNotEmpty();
        });
        cluster.assertThatAllAgree();
    }

    @Test
    void folds_areFoldedAgain() {
        Node one = start();
        Node other = start();
        countAndRestart(one, other);
        cluster.pass(LONG_ENOUGH);
        int before = other.keyspace.folds().made().size();

        countAndRestart(cluster.nodes.getLast(), other);
        cluster.pass(LONG_ENOUGH);

        assertThat(before).isEqualTo(1);
        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.value("likes")).isEqualTo(20);
            // The fold, and the one of the session that lives.
            assertThat(shards(node)).isLessThanOrEqualTo(2);
        });
        cluster.assertThatAllAgree();
    }

    @Test
    void delete_whileSomeHaveFoldedAndOthersNot_deletesEverywhere() {
        Node one = start();
        Node other = start();
        countAndRestart(one, other);
        Node again = cluster.nodes.getLast();
        awaitPromises();
        cluster.drops = traffic -> traffic.kind == Kind.FOLD;
        cluster.pass(Duration.ofSeconds(2));
        List<Integer> made = cluster.nodes.stream()
                .map(node -> node.keyspace.folds().made().size())
                .toList();

        other.delete("likes");
        cluster.pass(Duration.ofSeconds(1));
        again.add("likes", 3);
        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH);

        assertThat(made).containsExactlyInAnyOrder(0, 1);
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("likes")).isEqualTo(3));
        cluster.assertThatAllAgree();
    }

    @Test
    void nodeThatIsAway_keepsTheOthersFromFolding() {
        Node one = start();
        Node other = start();
        Node third = start();
        countAndRestart(one, other);
        cluster.kill(third);

        cluster.pass(LONG_ENOUGH);

        assertThat(other.keyspace.folds().made()).isEmpty();
    }

    @Test
    void copyFromBeforeAFold_takesTheFoldAndKeepsWhatItAloneCounted() {
        Node one = start();
        Node other = start();
        ReplicaId former = one.session();
        countAndRestart(one, other);
        cluster.pass(LONG_ENOUGH);

        Keyspace copy = cluster.keyspace();
        add(copy, former, 4);
        add(copy, new ReplicaId(77, 77), 6);
        Node late = cluster.start(SETTINGS, copy, Standing.complete(SmallCluster.CLUSTER));
        cluster.connect();
        cluster.pass(LONG_ENOUGH);

        assertThat(late.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("likes")).isEqualTo(16));
        cluster.assertThatAllAgree();
    }

    @Test
    void servingNode_thatWasNotAsked_ends() {
        Node one = start();
        Node other = start();
        ReplicaId former = one.session();
        countAndRestart(one, other);
        cluster.pass(LONG_ENOUGH);
        Keyspace copy = cluster.keyspace();
        add(copy, former, 4);
        Node stray = cluster.start(SmallCluster.SETTINGS, copy, Standing.complete(SmallCluster.CLUSTER));
        cluster.connect(List.of(stray));
        cluster.pass(Duration.ofSeconds(5));

        cluster.connect();

        assertThatThrownBy(() -> cluster.pass(LONG_ENOUGH))
                .isInstanceOf(FatalException.class)
                .hasMessageContaining("without this node");
        assertThat(other.value("likes")).isEqualTo(10);
    }

    @Test
    void nodesThatFoldedApart_neverAddUpTheSameTwice() {
        Keyspace first = cluster.keyspace();
        Keyspace second = cluster.keyspace();
        ReplicaId former = new ReplicaId(77, 77);
        add(first, former, 5);
        add(second, former, 5);
        Node one = cluster.start(SETTINGS, first, Standing.complete(SmallCluster.CLUSTER));
        Node other = cluster.start(SETTINGS, second, Standing.complete(SmallCluster.CLUSTER));
        cluster.connect(List.of(one));
        cluster.connect(List.of(other));
        cluster.pass(LONG_ENOUGH);
        one.add("likes", 1);

        cluster.connect();
        cluster.pass(LONG_ENOUGH);

        assertThat(one.keyspace.folds().made()).hasSize(1);
        assertThat(one.value("likes")).isEqualTo(6);
        assertThat(other.value("likes")).isEqualTo(6);
    }

    private Node start() {
        Node node = cluster.start(SETTINGS);
        cluster.connect();
        cluster.pass(Duration.ofSeconds(1));
        return node;
    }

    /// A node counts ten, and a later session of the same node takes its place with all counters.
    private void countAndRestart(Node node, Node other) {
        node.add("likes", 10);
        cluster.pass(Duration.ofSeconds(1));
        Keyspace disk = cluster.keyspace();
        copy(node.keyspace, disk);
        cluster.kill(node);
        cluster.startAgain(node, disk, SETTINGS);
        cluster.connect();
        cluster.pass(Duration.ofSeconds(1));
        assertThat(other.value("likes")).isPositive();
    }

    /// What a start would find.
    private static void copy(Keyspace from, Keyspace to) {
        assertThat(from.folds().notes()).satisfies(notes -> to.folds().takeAll(notes));
        Merges merges = new Merges(to, ChangeLog.NONE);
        for (int partition = 0; partition < Keyspace.PARTITIONS; partition++) {
            from.visitAll(partition, (_, key, cell) -> {
                Cell copy = new Cell().clear(cell.type());
                for (int i = 0; i < cell.counts().shards(); i++) {
                    ReplicaId id = from.replicas().id(cell.counts().replica(i));
                    int shard = copy.counts().insert(to.replicas().numberOf(id));
                    for (int total = 0; total < 8; total += 2) {
                        copy.counts()
                                .put(
                                        shard,
                                        total,
                                        cell.counts().high(i, total),
                                        cell.counts().low(i, total));
                    }
                }
                merges.restore(key, copy);
            });
        }
    }

    private static void add(Keyspace disk, ReplicaId session, long amount) {
        Cell cell = new Cell().clear(CounterType.PNCOUNT);
        cell.add(disk.replicas().numberOf(session), amount);
        new Merges(disk, ChangeLog.NONE).restore(Key.of("likes".getBytes(StandardCharsets.UTF_8)), cell);
    }

    private int shards(Node node) {
        int[] shards = new int[1];
        for (int partition = 0; partition < Keyspace.PARTITIONS; partition++) {
            node.keyspace.fold(partition);
            node.keyspace.visitAll(
                    partition, (_, _, cell) -> shards[0] = cell.counts().shards());
        }
        return shards[0];
    }

    private void awaitPromises() {
        for (int i = 0; i < 10_000; i++) {
            if (cluster.nodes.stream().allMatch(node -> node.keyspace.folds().promise() != null)) {
                return;
            }
            cluster.pass(SmallCluster.A_STEP);
        }
        throw new AssertionError("no promises");
    }
}
