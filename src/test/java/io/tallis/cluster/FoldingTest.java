package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.Registry;
import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Fold;
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
        start();
        start();
        countAndRestart();
        countAndRestart();

        cluster.pass(LONG_ENOUGH);

        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.value("likes")).isEqualTo(20);
            assertThat(shards(node)).isEqualTo(1);
            assertThat(node.keyspace.folds().made()).hasSize(1);
        });
        cluster.assertThatAllAgree();
    }

    @Test
    void folds_areFoldedAgain() {
        start();
        start();
        countAndRestart();
        countAndRestart();
        cluster.pass(LONG_ENOUGH);

        countAndRestart();
        cluster.pass(LONG_ENOUGH);

        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.value("likes")).isEqualTo(30);
            assertThat(shards(node)).isEqualTo(1);
            assertThat(node.keyspace.folds().made()).hasSize(2);
        });
        cluster.assertThatAllAgree();
    }

    @Test
    void manyRestarts_leaveCountersAndBeatsAsTheyWere() {
        ReplicationSettings atOnce =
                new ReplicationSettings(SmallCluster.JOINING, 1 << 26, 0, Long.MAX_VALUE, Frame.OLDEST_VERSION, 0);
        for (int i = 0; i < 3; i++) {
            cluster.start(atOnce);
        }
        cluster.connect();
        cluster.pass(Duration.ofSeconds(1));
        int restarts = 200;
        for (int i = 0; i < restarts; i++) {
            Node next = cluster.nodes.removeFirst();
            cluster.nodes.add(next);
            countAndRestart(atOnce);
        }
        cluster.pass(LONG_ENOUGH);
        int[] longest = new int[1];
        cluster.watcher = traffic -> {
            if (traffic.kind == Kind.BEAT) {
                longest[0] = Math.max(longest[0], traffic.frame.length);
            }
        };
        cluster.pass(Duration.ofSeconds(1));

        assertThat(longest[0]).isBetween(1, 300);
        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.value("likes")).isEqualTo(10L * restarts);
            assertThat(shards(node)).isLessThanOrEqualTo(6);
        });
        cluster.assertThatAllAgree();
    }

    /// Far more than fit into one frame.
    @Test
    void nodeThatJoins_learnsAllFolds() {
        Node member = start();
        for (int i = 0; i < 1_000; i++) {
            List<ReplicaId> sessions = List.of(new ReplicaId(5, i), new ReplicaId(6, i));
            member.keyspace
                    .folds()
                    .take(Fold.proposal(member.self.uuid(), sessions).made(1));
        }
        member.add("likes", 10);

        Node joiner = cluster.startEmpty();
        cluster.connect();
        cluster.pass(Duration.ofSeconds(5));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.keyspace.folds().made()).hasSizeGreaterThanOrEqualTo(1_000);
        assertThat(joiner.keyspace.folds().hash())
                .isEqualTo(member.keyspace.folds().hash());
        assertThat(joiner.value("likes")).isEqualTo(10);
    }

    @Test
    void delete_whileSomeHaveFoldedAndOthersNot_deletesEverywhere() {
        Node other = start();
        start();
        countAndRestart();
        countAndRestart();
        Node again = cluster.nodes.getLast();
        awaitFirst();
        cluster.drops = traffic -> traffic.kind == Kind.FOLDS;
        cluster.pass(Duration.ofSeconds(1));
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

    /// Cells with the fold are refused until it is known. They are not asked for before: who was answered is not
    /// answered again for a second.
    @Test
    void changeWhileSomeHaveFoldedAndOthersNot_getsThereSoonAfterTheFold() {
        start();
        start();
        countAndRestart();
        countAndRestart();
        awaitFirst();
        cluster.drops = traffic -> traffic.kind == Kind.FOLDS;
        Node first = cluster.nodes.stream()
                .filter(node -> !node.keyspace.folds().made().isEmpty())
                .findAny()
                .orElseThrow();

        first.keyspace.fold(first.keyspace.partitionOf(Key.of("likes".getBytes(StandardCharsets.UTF_8))));
        first.delete("likes");
        first.add("likes", 5);
        cluster.pass(Duration.ofMillis(300));
        cluster.drops = _ -> false;
        cluster.pass(Duration.ofMillis(500));

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("likes")).isEqualTo(5));
    }

    /// A source never ends, whichever nodes come and go.
    @Test
    void source_isNeverFolded() {
        start();
        start();
        Node teller = cluster.nodes.getFirst();
        for (int i = 1; i <= 2; i++) {
            int source = teller.keyspace.replicas().numberOfSource(ReplicaId.ofSource(0, i));
            teller.clients.takeTotals(CounterType.PNCOUNT, Key.of(new byte[] {'l'}), source, 7, 0);
        }
        countAndRestart();
        countAndRestart();
        cluster.pass(LONG_ENOUGH);

        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.value("l")).isEqualTo(14);
            assertThat(node.keyspace.folds().made())
                    .singleElement()
                    .satisfies(fold -> assertThat(fold.members()).noneMatch(ReplicaId::isSource));
        });
        cluster.assertThatAllAgree();
    }

    /// Cells that they counted in may have been dropped before the others started.
    @Test
    void sessionsThatOnlyOneNodeKnows_waitForNoFold() {
        Node proposer = start();
        Node other = start();
        start();
        for (int i = 0; i < 2; i++) {
            other.keyspace.replicas().numberOf(cluster.nodes.getLast().session());
            restart(SETTINGS);
        }

        other.replicator.foldAtOnce();
        cluster.pass(LONG_ENOUGH);

        assertThat(other.replicator.status().folds()).isEqualTo(ReplicationStatus.Folds.NONE);
        countAndRestart();
        countAndRestart();
        cluster.pass(Duration.ofSeconds(1));
        assertThat(other.replicator.status().folds().waiting()).isEqualTo(1);
        assertThat(proposer.keyspace.folds().made()).isEmpty();
    }

    /// It does not tell that nothing waits for a fold.
    @Test
    void proposerThatDoesNotServeYet_leavesTheWishForAFold() {
        Node proposer = cluster.start(SmallCluster.held());
        Node other = cluster.start();
        cluster.start();
        cluster.connect();
        for (int i = 0; i < 2; i++) {
            countAndRestart(SmallCluster.SETTINGS);
        }
        other.replicator.foldAtOnce();
        cluster.pass(LONG_ENOUGH);
        ReplicationStatus.Folds before = other.replicator.status().folds();
        List<Fold> made = other.keyspace.folds().made();

        proposer.replicator.ready();
        cluster.pass(LONG_ENOUGH);

        assertThat(before.waiting()).isEqualTo(1);
        assertThat(before.waitsFor()).isNotEmpty();
        assertThat(made).isEmpty();
        assertThat(other.keyspace.folds().made()).hasSize(1);
        assertThat(other.replicator.status().folds().waiting()).isZero();
    }

    @Test
    void nodeThatIsAway_keepsTheOthersFromFolding() {
        Node third = start();
        Node other = start();
        start();
        countAndRestart();
        countAndRestart();
        cluster.kill(third);

        cluster.pass(LONG_ENOUGH);

        assertThat(other.keyspace.folds().made()).isEmpty();
    }

    /// Nothing but the fingerprint shows the difference.
    @Test
    void nodesThatHaveDifferentCounts_compareThemFirst() {
        start();
        Node one = start();
        countAndRestart();
        countAndRestart();
        add(cluster.nodes.getFirst().keyspace, one.session(), 99);
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        cluster.pass(LONG_ENOUGH);
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.folds().made()).isEmpty());

        cluster.drops = _ -> false;
        cluster.pass(Duration.ofMinutes(2));

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.folds().made()).hasSize(1));
        cluster.assertThatAllAgree();
    }

    @Test
    void nodeWhoseJournalLacksSomething_keepsTheOthersFromFolding() {
        Node proposer = start();
        start();
        countAndRestart();
        countAndRestart();
        Node stuck = cluster.nodes.getLast();
        stuck.disk.takesNothing = true;
        proposer.add("likes", 1);
        cluster.pass(LONG_ENOUGH);
        int before = proposer.keyspace.folds().made().size();

        stuck.disk.takesNothing = false;
        stuck.disk.goOn();
        cluster.pass(LONG_ENOUGH);

        assertThat(before).isZero();
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.folds().made()).hasSize(1));
    }

    @Test
    void nodeThatDiesBeforeItIsReady_keepsTheOthersFromFolding() {
        start();
        Node dies = start();
        start();
        cluster.drops = traffic -> traffic.to.equals(dies) && traffic.kind == Kind.FOLD;
        countAndRestart();
        countAndRestart();
        cluster.pass(LONG_ENOUGH);

        cluster.kill(dies);
        cluster.pass(LONG_ENOUGH);

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.folds().made()).isEmpty());
    }

    /// What it has of the folded sessions is behind, and what it alone has of another is not folded.
    @Test
    void copyFromBeforeAFold_servesAll_andKeepsWhatItAloneCounted() {
        start();
        Node one = start();
        countAndRestart();
        countAndRestart();
        cluster.pass(LONG_ENOUGH);

        Keyspace copy = cluster.keyspace();
        add(copy, one.session(), 4);
        add(copy, new ReplicaId(77, 77), 6);
        Node late = cluster.start(SETTINGS, copy, Standing.complete(SmallCluster.CLUSTER));
        cluster.connect();
        cluster.pass(LONG_ENOUGH);

        assertThat(late.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("likes")).isEqualTo(26));
        cluster.assertThatAllAgree();
    }

    @Test
    void sessionOfAnUnknownNode_isNotFolded() {
        Keyspace disk = cluster.keyspace();
        add(disk, new ReplicaId(77, 77), 5);
        add(disk, new ReplicaId(78, 78), 5);
        Node node = cluster.start(SETTINGS, disk, Standing.complete(SmallCluster.CLUSTER));
        cluster.connect();

        cluster.pass(LONG_ENOUGH);

        assertThat(node.keyspace.folds().made()).isEmpty();
    }

    @Test
    void nodeThatWasForgottenWhileItRan_ends() {
        Node one = start();
        Node other = start();
        start();
        countAndRestart();
        Node third = cluster.nodes.getLast();
        third.add("likes", 7);
        cluster.pass(Duration.ofSeconds(1));
        cluster.connect(List.of(one, other));
        cluster.connect(List.of(third));
        cluster.pass(Duration.ofSeconds(5));
        assertThat(one.replicator.forget("node-3")).isEqualTo(Registry.Forgetting.DONE);
        cluster.pass(LONG_ENOUGH);

        cluster.connect();

        assertThatThrownBy(() -> cluster.pass(LONG_ENOUGH))
                .isInstanceOf(FatalException.class)
                .hasMessageContaining("SYSTEM FORGET");
        assertThat(one.value("likes")).isEqualTo(17);
    }

    /// It may have been frozen, with frames that it had sent still on their way.
    @Test
    void frames_ofASessionThatWasFolded_makeItNoPeer() {
        Node member = start();
        Node frozen = start();
        byte[][] late = new byte[1][];
        cluster.watcher = traffic -> {
            if (traffic.from.equals(frozen) && traffic.kind == Kind.BEAT) {
                late[0] = traffic.frame;
            }
        };
        countAndRestart();
        countAndRestart();
        cluster.pass(LONG_ENOUGH);

        member.replicator.onFrame(frozen.session(), late[0]);
        cluster.pass(Duration.ofSeconds(1));

        assertThat(member.keyspace.folds().made()).hasSize(1);
        assertThat(member.replicator.status().peers()).hasSize(1);
        assertThat(member.value("likes")).isEqualTo(20);
        cluster.assertThatAllAgree();
    }

    @Test
    void copiesOfADirectory_thatFoldTheSameApart_agree() {
        Node[] copies = foldApart(5, 5);

        cluster.connect();
        cluster.pass(LONG_ENOUGH);

        assertThat(copies[0].value("likes")).isEqualTo(16);
        assertThat(copies[1].value("likes")).isEqualTo(16);
    }

    @Test
    void copiesOfADirectory_thatFoldDifferentCountsApart_neverAddThemUp() {
        Node[] copies = foldApart(5, 4);

        cluster.connect();
        cluster.pass(LONG_ENOUGH);

        assertThat(copies[0].value("likes")).isEqualTo(16);
        assertThat(copies[1].value("likes")).isBetween(14L, 16L);
    }

    /// Two copies of a directory have so much of one of two sessions, which each folds alone; the first then counts
    /// one.
    private Node[] foldApart(long first, long second) {
        start();
        countAndRestart();
        Node former = cluster.nodes.getLast();
        former.add("likes", 1);
        cluster.pass(Duration.ofSeconds(1));
        cluster.kill(former);
        Node[] nodes = new Node[2];
        long[] had = {first, second};
        for (int i = 0; i < 2; i++) {
            Keyspace disk = cluster.keyspace();
            SmallCluster.copy(former.keyspace, disk);
            add(disk, former.session(), had[i]);
            nodes[i] = cluster.startAgain(former, disk, SETTINGS);
            cluster.connect(List.of(nodes[i]));
        }
        cluster.pass(LONG_ENOUGH);
        assertThat(nodes[0].keyspace.folds().made()).hasSize(1);
        assertThat(nodes[1].keyspace.folds().made()).hasSize(1);
        nodes[0].add("likes", 1);
        return nodes;
    }

    private Node start() {
        Node node = cluster.start(SETTINGS);
        cluster.connect();
        cluster.pass(Duration.ofSeconds(1));
        return node;
    }

    /// The last node counts ten, and a later session of it takes its place with all counters.
    private void countAndRestart() {
        countAndRestart(SETTINGS);
    }

    private void countAndRestart(ReplicationSettings settings) {
        Node node = cluster.nodes.getLast();
        node.add("likes", 10);
        cluster.pass(Duration.ofSeconds(1));
        restart(settings);
    }

    private void restart(ReplicationSettings settings) {
        Node node = cluster.nodes.getLast();
        Keyspace disk = cluster.keyspace();
        SmallCluster.copy(node.keyspace, disk);
        cluster.kill(node);
        cluster.startAgain(node, disk, settings);
        cluster.connect();
        cluster.pass(Duration.ofSeconds(1));
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

    private void awaitFirst() {
        for (int i = 0; i < 10_000; i++) {
            if (cluster.nodes.stream()
                    .anyMatch(node -> !node.keyspace.folds().made().isEmpty())) {
                return;
            }
            cluster.pass(SmallCluster.A_STEP);
        }
        throw new AssertionError("no fold");
    }
}
