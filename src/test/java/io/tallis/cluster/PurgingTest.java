package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.SmallCluster.Traffic;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.join.JoiningSettings;
import io.tallis.cluster.peer.ClusterId;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Purge;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.Registry;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Keyspace;
import io.tallis.runtime.FatalException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PurgingTest {
    private static final Duration LONG_ENOUGH = SmallCluster.LONG_ENOUGH_TO_PURGE;

    private static final long A_DAY_MILLIS = Duration.ofDays(1).toMillis();

    private final SmallCluster cluster = new SmallCluster();

    @BeforeEach
    void drawOften() {
        cluster.drawOften();
    }

    @Test
    void deletedCounters_leaveAllNodes_andOthersStay() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("gone");
        cluster.countOnEach("kept");
        three.get(1).delete("gone");

        cluster.purge(three.get(2));

        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.keyspace.cells()).isEqualTo(1);
            assertThat(node.value("kept")).isEqualTo(111);
            assertThat(node.standingOnDisk.purge().number()).isEqualTo(1);
        });
        cluster.assertThatAllAgree();
    }

    /// It has heard of the others' counters, and for a time not of the nodes.
    @Test
    void nodeThatIsKilledWhenItHasJoined_andStartsAlone_waitsForTheOthers() {
        cluster.startThree();
        cluster.countOnEach("key");
        cluster.drops = traffic -> traffic.kind == Kind.NODES;
        Node joiner = cluster.startEmpty();
        cluster.connect();
        cluster.pass(Duration.ofMillis(500));
        cluster.drops = _ -> false;
        cluster.passUntil(() -> joiner.standingOnDisk.complete());
        List.copyOf(cluster.nodes).forEach(cluster::kill);

        Node again = cluster.startAgain(joiner, cluster.copyOf(joiner), SmallCluster.SETTINGS);
        cluster.pass(SmallCluster.JOINING.joinTimeout().plusSeconds(5));
        again.delete("key");
        cluster.purge(again);

        assertThat(again.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(again.standingOnDisk.purge()).isEqualTo(Purge.NONE);
        assertThat(again.records.registry().nodes()).hasSize(4);
    }

    @Test
    void keyThatIsUsedAgain_countsFromNothing_onEveryNode() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        three.getFirst().delete("key");
        cluster.purge(three.getFirst());

        cluster.countOnEach("key");

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("key")).isEqualTo(111));
        cluster.assertThatAllAgree();
    }

    @Test
    void counterThatIsDeletedLongBeforeItsDeadline_leavesByTwoPurges() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        three.getFirst().expireAt("key", cluster.epochMillis + A_DAY_MILLIS);
        cluster.pass(Duration.ofSeconds(1));
        three.get(1).delete("key");

        cluster.purge(three.getFirst());
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.deletedCells()).isEqualTo(1));
        cluster.purge(three.getFirst());

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.cells()).isZero());
    }

    /// The sweeper drops it.
    @Test
    void counterThatIsDeletedShortlyBeforeItsDeadline_isLeftAlone() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        three.getFirst()
                .expireAt("key", cluster.epochMillis + Duration.ofMinutes(5).toMillis());
        cluster.pass(Duration.ofSeconds(1));
        three.get(1).delete("key");

        cluster.purge(three.getFirst());
        cluster.purge(three.getFirst());

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.deletedCells()).isEqualTo(1));
    }

    /// It keeps its tombstone, which must not give its deadline to what begins anew elsewhere.
    @Test
    void nodeThatDiedWhenItWasReady_doesNotBringADeadlineBack() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        three.getFirst().expireAt("key", cluster.epochMillis + A_DAY_MILLIS);
        cluster.pass(Duration.ofSeconds(1));
        three.getFirst().delete("key");
        cluster.purge(three.getFirst());
        Node dies = three.get(2);
        cluster.purgeUntil(
                three.getFirst(),
                () -> dies.standingOnDisk.readyFor() != 0
                        && dies.standingOnDisk.purge().number() == 1);
        cluster.pass(Duration.ofMillis(150));
        Keyspace disk = cluster.copyOf(dies);
        cluster.kill(dies);
        cluster.pass(Duration.ofSeconds(3));
        cluster.startAgain(dies, disk, SmallCluster.SETTINGS);
        cluster.connect();
        cluster.pass(LONG_ENOUGH);
        assertThat(three.getFirst().keyspace.cells()).isZero();

        three.getFirst().add("key", 7);
        cluster.pass(LONG_ENOUGH);

        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.value("key")).isEqualTo(7);
            assertThat(node.keyspace.dated()).isZero();
        });
    }

    /// Deletes that come while the nodes prepare a purge are not in it.
    @Test
    void keyThatIsDeletedMeanwhile_isLeftForTheNextPurge() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("first");
        cluster.countOnEach("second");
        three.getFirst().delete("first");
        cluster.pass(Duration.ofSeconds(1));
        three.getFirst().replicator.purgeAtOnce();
        cluster.pass(Duration.ofSeconds(2));
        three.get(1).delete("second");
        cluster.pass(LONG_ENOUGH);
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.deletedCells()).isEqualTo(1));

        cluster.purge(three.get(1));

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.cells()).isZero());
    }

    @Test
    void countThatWasAddedMeanwhile_survives() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        three.getFirst().delete("key");
        cluster.pass(Duration.ofSeconds(1));
        three.getFirst().replicator.purgeAtOnce();
        cluster.pass(Duration.ofSeconds(3));
        three.get(2).add("key", 7);

        cluster.pass(LONG_ENOUGH);
        three.get(1).add("key", 20);
        cluster.pass(LONG_ENOUGH);

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("key")).isEqualTo(27));
        cluster.assertThatAllAgree();
    }

    @Test
    void nodeThatIsAway_keepsTombstones_untilItIsForgotten() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        Node away = three.get(2);
        cluster.kill(away);
        cluster.pass(Duration.ofSeconds(3));
        three.getFirst().delete("key");
        cluster.purge(three.getFirst());
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.deletedCells()).isEqualTo(1));
        ReplicationStatus status = three.getFirst().replicator.status();
        assertThat(status.purges().waitsFor()).isNotEmpty();
        assertThat(status.nodes().away()).containsOnlyKeys(away.self.uuid());

        assertThat(three.getFirst().replicator.forget(away.self.name())).isEqualTo(Registry.Forgetting.DONE);
        cluster.pass(LONG_ENOUGH);

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.cells()).isZero());
    }

    @Test
    void directoryFromBeforeAPurge_isRefused() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        Node old = three.get(2);
        Keyspace copy = cluster.copyOf(old);
        cluster.kill(old);
        cluster.pass(Duration.ofSeconds(3));
        three.getFirst().delete("key");
        cluster.pass(Duration.ofSeconds(1));
        three.getFirst().replicator.forget(old.self.name());
        cluster.purge(three.getFirst());

        cluster.startAgain(old, copy, SmallCluster.SETTINGS);
        cluster.connect();

        assertThatThrownBy(() -> cluster.pass(LONG_ENOUGH))
                .isInstanceOf(FatalException.class)
                .hasMessageContaining("empty data directory");
        assertThat(three.getFirst().keyspace.cells()).isZero();
        assertThat(three.get(1).keyspace.cells()).isZero();
    }

    /// It was forgotten while it was cut off.
    @Test
    void nodeThatRunsAndWasNotAsked_ends_andBringsNothingBack() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        Node cutOff = three.get(2);
        cluster.connect(three.subList(0, 2));
        cluster.connect(List.of(cutOff));
        cluster.pass(Duration.ofSeconds(3));
        three.getFirst().delete("key");
        three.getFirst().replicator.forget(cutOff.self.name());
        cluster.purge(three.getFirst());
        assertThat(three.getFirst().keyspace.cells()).isZero();
        cutOff.add("key", 5);

        cluster.connect();

        assertThatThrownBy(() -> cluster.pass(LONG_ENOUGH))
                .isInstanceOf(FatalException.class)
                .hasMessageContaining("without this node");
        assertThat(three.getFirst().keyspace.cells()).isZero();
    }

    @Test
    void nodeThatJoins_takesPartInLaterPurges() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        three.getFirst().delete("key");
        cluster.purge(three.getFirst());
        Node joiner = cluster.startEmpty();
        cluster.connect();
        cluster.pass(LONG_ENOUGH);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        joiner.add("other", 3);
        cluster.pass(Duration.ofSeconds(1));
        three.getFirst().delete("other");

        cluster.purge(joiner);

        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.keyspace.cells()).isZero();
            assertThat(node.standingOnDisk.purge().number()).isEqualTo(2);
        });
    }

    /// As after a long time in the queues of a process that stood still.
    @Test
    void cellsFromBeforeAPurge_areRefused() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        List<Traffic> recorded = new ArrayList<>();
        cluster.watcher = traffic -> {
            if (Replicator.bringsCells(traffic.frame)) {
                recorded.add(traffic);
            }
        };
        three.getFirst().add("key", 1);
        three.get(1).add("key", 1);
        cluster.pass(Duration.ofSeconds(1));
        cluster.watcher = _ -> {};
        three.getFirst().delete("key");

        cluster.purge(three.getFirst());
        recorded.forEach(Traffic::arrive);
        cluster.pass(Duration.ofSeconds(1));

        assertThat(recorded).isNotEmpty();
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.cells()).isZero());
    }

    @Test
    void nodeThatLacksADelete_keepsTheOthersFromPurging() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        cluster.drops = traffic -> traffic.to.equals(three.get(2)) && Replicator.bringsCells(traffic.frame);
        three.getFirst().delete("key");
        cluster.purge(three.getFirst());
        assertThat(three.subList(0, 2))
                .allSatisfy(node -> assertThat(node.keyspace.deletedCells()).isEqualTo(1));

        cluster.drops = _ -> false;
        cluster.pass(Duration.ofMinutes(1));
        // This node had not marked what it learned to be deleted later.
        cluster.purge(three.get(2));

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.cells()).isZero());
    }

    /// It may still send cells from before the purge, which are to be merged with the tombstones.
    @Test
    void nodeThatHasNotNotedThePurge_keepsTheOthersFromDropping() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        Node slow = three.get(2);
        three.getFirst().delete("key");
        cluster.purgeUntil(three.getFirst(), () -> slow.standingOnDisk.readyFor() != 0);
        slow.standingHangs = true;
        cluster.pass(LONG_ENOUGH);
        assertThat(three.getFirst().standingOnDisk.purge().number()).isEqualTo(1);
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.deletedCells()).isEqualTo(1));

        slow.standingHangs = false;
        cluster.pass(LONG_ENOUGH);

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.cells()).isZero());
    }

    /// Else the others would rely on it, and it would find itself behind after a crash.
    @Test
    void nodeThatCannotNoteThatItIsReady_isNotReady() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        Node fails = three.get(2);
        fails.standingIsWritten = false;
        three.getFirst().delete("key");

        cluster.purge(three.getFirst());
        assertThat(three.getFirst().standingOnDisk.purge().number()).isZero();

        fails.standingIsWritten = true;
        cluster.pass(LONG_ENOUGH);
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.cells()).isZero());
    }

    /// A node that lost the proposer and finds it again has its marks of then, and not of what was deleted since.
    @Test
    void deleteAfterANodeWasReady_isLeftForTheNextPurge() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("early");
        cluster.countOnEach("late");
        Node proposer = three.getFirst();
        Node second = three.get(1);
        Node third = three.get(2);
        third.standingHangs = true;
        second.delete("early");
        cluster.purge(second);
        cluster.connect(List.of(second, third));
        cluster.connect(List.of(proposer));
        cluster.pass(Duration.ofSeconds(3));
        third.standingHangs = false;
        second.delete("late");
        cluster.pass(Duration.ofSeconds(1));
        cluster.drops = traffic -> traffic.to.equals(proposer) && Replicator.bringsCells(traffic.frame);

        cluster.connect();
        cluster.pass(LONG_ENOUGH);
        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH);

        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.standingOnDisk.purge().number()).isEqualTo(1);
            assertThat(node.value("late")).isZero();
        });
    }

    /// The proposer is ready and waits for a node that crashed meanwhile, and is now the one that proposes.
    @Test
    void nodeThatStartsAgainWithALowerSession_proposesInPlaceOfTheOther() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        Node first = three.getFirst();
        Keyspace former = cluster.copyOf(first);
        cluster.kill(first);
        cluster.pass(Duration.ofSeconds(3));
        cluster.startAgain(first, former, SmallCluster.SETTINGS);
        cluster.connect();
        cluster.pass(LONG_ENOUGH);
        Node proposer = three.get(1);
        Node dies = three.get(2);
        dies.standingHangs = true;
        proposer.delete("key");
        cluster.purge(proposer);
        assertThat(proposer.standingOnDisk.readyFor()).isNotZero();
        Keyspace disk = new Keyspace(new Replicas(new ReplicaId(0, 1)), () -> 1, () -> 1_000_000);
        SmallCluster.copy(dies.keyspace, disk);
        cluster.kill(dies);
        cluster.pass(Duration.ofSeconds(3));

        cluster.startAgain(dies, disk, SmallCluster.SETTINGS);
        cluster.connect();
        cluster.pass(LONG_ENOUGH);
        cluster.purge(proposer);

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.cells()).isZero());
    }

    @Test
    void nodeThatDiedWhenItWasReady_comesBack() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        Node dies = three.get(2);
        three.getFirst().delete("key");
        cluster.purgeUntil(three.getFirst(), () -> dies.standingOnDisk.readyFor() != 0);
        // The others hear that it is ready.
        cluster.pass(Duration.ofMillis(150));
        assertThat(three.getFirst().standingOnDisk.purge().number()).isEqualTo(1);
        dies.standingOnDisk = dies.standingOnDisk.after(Purge.NONE);
        Keyspace disk = cluster.copyOf(dies);
        cluster.kill(dies);
        cluster.pass(Duration.ofSeconds(3));

        cluster.startAgain(dies, disk, SmallCluster.SETTINGS);
        cluster.connect();
        cluster.pass(LONG_ENOUGH);

        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
            assertThat(node.standingOnDisk.purge().number()).isEqualTo(1);
            assertThat(node.value("key")).isZero();
        });

        // It kept its tombstone.
        three.getFirst().add("key", 7);
        cluster.pass(LONG_ENOUGH);

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("key")).isEqualTo(7));
        cluster.assertThatAllAgree();
    }

    /// Its marks went with its process. What it deleted since may be nowhere else.
    @Test
    void nodeThatDiedWhenItWasReady_keepsWhatItDeletedSince() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("first");
        cluster.countOnEach("second");
        Node dies = three.get(2);
        three.getFirst().delete("first");
        cluster.purgeUntil(three.getFirst(), () -> dies.standingOnDisk.readyFor() != 0);
        dies.delete("second");
        cluster.drops = traffic -> traffic.from.equals(dies) && Replicator.bringsCells(traffic.frame);
        Keyspace disk = cluster.copyOf(dies);
        cluster.kill(dies);
        cluster.pass(Duration.ofSeconds(3));
        cluster.startAgain(dies, disk, SmallCluster.SETTINGS);
        cluster.connect();
        cluster.pass(LONG_ENOUGH);
        assertThat(three.getFirst().standingOnDisk.purge().number()).isEqualTo(1);

        cluster.drops = _ -> false;
        cluster.pass(Duration.ofMinutes(1));

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("second")).isZero());
    }

    /// The others may have been told already, so they must stay ready for it.
    @Test
    void proposerThatHasBegunToNoteThePurge_doesNotWithdraw() {
        Keyspace lowest = cluster.keyspace();
        List<Node> three = cluster.startThree();
        Node proposer = three.getFirst();
        cluster.countOnEach("key");
        proposer.delete("key");
        cluster.purgeUntil(proposer, () -> three.stream().allMatch(node -> node.standingOnDisk.readyFor() != 0));
        long purge = proposer.standingOnDisk.readyFor();
        proposer.standingHangs = true;
        cluster.pass(Duration.ofSeconds(1));
        assertThat(proposer.standingOnDisk.purge().number()).isZero();

        Node joiner = cluster.start(SmallCluster.SETTINGS, lowest, Standing.NONE);
        cluster.connect();
        cluster.pass(LONG_ENOUGH);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);

        assertThat(three)
                .allSatisfy(node -> assertThat(node.standingOnDisk.readyFor()).isEqualTo(purge));

        proposer.standingHangs = false;
        cluster.pass(LONG_ENOUGH);

        assertThatAllKnowTheFirstPurge();
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("key")).isZero());
    }

    /// The proposer has decided, and its process ended before it told that.
    @Test
    void nodeThatJoinsWhileTheProposerIsAway_isNotBehind() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        Node proposer = three.getFirst();
        decideAlone(three);
        Keyspace disk = cluster.copyOf(proposer);
        cluster.kill(proposer);
        cluster.pass(Duration.ofSeconds(3));
        Node joiner = cluster.startEmpty();
        cluster.connect();
        cluster.pass(LONG_ENOUGH);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.standingOnDisk.purge()).isEqualTo(Purge.NONE);
        joiner.add("new", 7);

        cluster.startAgain(proposer, disk, SmallCluster.SETTINGS);
        cluster.connect();
        cluster.pass(LONG_ENOUGH);

        assertThatAllKnowTheFirstPurge();
        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.value("new")).isEqualTo(7);
            assertThat(node.value("key")).isZero();
        });
    }

    @Test
    void nodeThatJoins_isNotBehind_whenThePurgeComesBeforeItHasAll() {
        List<Node> three = cluster.startThree();
        Node proposer = three.getFirst();
        List<Node> others = three.subList(1, 3);
        cluster.countOnEach("kept");
        cluster.countOnEach("key");
        decideAlone(three);
        Node joiner = cluster.startEmpty();
        letPiecesReach(joiner, 1);
        cluster.connect(List.of(others.getFirst(), others.getLast(), joiner));
        cluster.passUntil(() -> joiner.keyspace.cells() == 1);
        Keyspace disk = cluster.copyOf(joiner);
        cluster.kill(joiner);
        Node again = cluster.startAgain(joiner, disk, SmallCluster.SETTINGS);
        letPiecesReach(again, 0);

        cluster.connect();
        cluster.pass(LONG_ENOUGH);
        assertThat(again.replicator.state()).isNotEqualTo(JoinState.READY);
        assertThat(others)
                .allSatisfy(
                        node -> assertThat(node.standingOnDisk.purge().number()).isEqualTo(1));
        cluster.drops = _ -> false;
        cluster.pass(Duration.ofMinutes(1));

        assertThat(proposer.standingOnDisk.purge().number()).isEqualTo(1);
        assertThatAllKnowTheFirstPurge();
        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.value("kept")).isEqualTo(111);
            assertThat(node.value("key")).isZero();
        });
    }

    /// What each side sends is refused by the other, but for what it pulls to join.
    @Test
    void laterCluster_thatMeetsOneThatHasPurged_joinsIt() {
        List<Node> two = startTwoThatHavePurged();
        Node late = startOfLaterCluster(SmallCluster.SETTINGS);
        cluster.connect(List.of(late));
        cluster.pass(SmallCluster.JOINING.joinTimeout());
        late.add("late", 7);

        cluster.connect();
        cluster.pass(Duration.ofSeconds(10));

        assertThat(late.standingOnDisk).isEqualTo(two.getFirst().standingOnDisk.readyFor(0));
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("late")).isEqualTo(7));
        cluster.assertThatAllAgree();
    }

    /// It serves, and takes no cells of that pull any more.
    @Test
    void nodeOfALaterCluster_thatGaveUpBeingInStep_joinsLater() {
        startTwoThatHavePurged();
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        Node late = startOfLaterCluster(SmallCluster.settings(
                new JoiningSettings(false, SmallCluster.A_WHILE, SmallCluster.A_WHILE, false, "", 1, "cluster-seeds")));
        cluster.connect();
        cluster.passUntil(() -> late.replicator.state() == JoinState.READY);
        late.add("late", 7);

        cluster.drops = _ -> false;
        cluster.pass(Duration.ofSeconds(60));

        assertThat(late.standingOnDisk.cluster()).isEqualTo(SmallCluster.CLUSTER);
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("late")).isEqualTo(7));
        cluster.assertThatAllAgree();
    }

    private List<Node> startTwoThatHavePurged() {
        List<Node> two = List.of(cluster.start(), cluster.start());
        cluster.connect();
        cluster.pass(SmallCluster.A_WHILE);
        cluster.countOnEach("key");
        cluster.countOnEach("kept");
        two.getFirst().delete("key");
        cluster.purge(two.getFirst());
        assertThat(two.getFirst().standingOnDisk.purge().number()).isEqualTo(1);
        return two;
    }

    private Node startOfLaterCluster(ReplicationSettings settings) {
        ClusterId later = new ClusterId(SmallCluster.CLUSTER.foundedMillis() + 1, 0);
        return cluster.start(settings, cluster.former("likes"), Standing.complete(later));
    }

    /// Deletes "key", and lets the first node alone know that the purge is made.
    private void decideAlone(List<Node> three) {
        Node proposer = three.getFirst();
        proposer.delete("key");
        cluster.drops = traffic ->
                traffic.from.equals(proposer) && proposer.standingOnDisk.purge().number() == 1;
        cluster.purgeUntil(proposer, () -> proposer.standingOnDisk.purge().number() == 1);
        cluster.connect(List.of(proposer));
        cluster.connect(three.subList(1, 3));
        cluster.drops = _ -> false;
        cluster.pass(Duration.ofSeconds(3));
        assertThat(three.subList(1, 3))
                .allSatisfy(node -> assertThat(node.standingOnDisk.purge()).isEqualTo(Purge.NONE));
    }

    private void letPiecesReach(Node joiner, int most) {
        int[] pieces = new int[1];
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && traffic.to.equals(joiner) && ++pieces[0] > most;
    }

    private void assertThatAllKnowTheFirstPurge() {
        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
            assertThat(node.standingOnDisk.purge().number()).isEqualTo(1);
        });
    }
}
