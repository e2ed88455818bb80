package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.join.JoiningSettings;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Standing;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Sweeper;
import io.tallis.runtime.FatalException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Faults that purges, and the time of day, once had.
final class ForgettingFaultsTest {
    private static final Duration LONG_ENOUGH = SmallCluster.LONG_ENOUGH_TO_PURGE;

    private final SmallCluster cluster = new SmallCluster();

    @BeforeEach
    void drawOften() {
        cluster.drawOften();
    }

    /// A node that joined after the first purge has readyFor 0, whose tag is that of nodes that know of no purge.
    @Test
    void nodeThatJoinedAfterAPurge_takesNoCellsOfANodeThatIsBehind() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        Node cutOff = three.get(2);
        List<Node> two = three.subList(0, 2);
        cluster.connect(two);
        cluster.connect(List.of(cutOff));
        cluster.pass(Duration.ofSeconds(3));
        three.getFirst().delete("key");
        three.getFirst().replicator.forget(cutOff.self.name());
        cluster.purge(three.getFirst());
        assertThat(three.getFirst().keyspace.cells()).isZero();
        Node joiner = cluster.startEmpty();
        List<Node> now = List.of(three.getFirst(), three.get(1), joiner);
        cluster.connect(now);
        cluster.pass(LONG_ENOUGH);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        cutOff.add("key", 5);

        cluster.connect();
        try {
            cluster.pass(LONG_ENOUGH);
        } catch (FatalException ended) {
            cluster.kill(cutOff);
        }
        cluster.pass(LONG_ENOUGH);
        assertThat(now).allSatisfy(node -> assertThat(node.value("key")).isZero());
    }

    /// No counter was ever deleted here.
    @Test
    void countersThatExpire_causeNoPurge() {
        List<Node> three = cluster.startThree();
        for (int window = 0; window < 4; window++) {
            for (int i = 0; i < 12_000; i++) {
                three.getFirst().add("limit-" + window + "-" + i, 1);
                three.getFirst().expireAt("limit-" + window + "-" + i, cluster.epochMillis + 2_000);
            }
            cluster.pass(Duration.ofSeconds(1));
            cluster.epochMillis += 3_000;
            three.forEach(node -> new Sweeper(node.keyspace).run());
            cluster.pass(Duration.ofSeconds(20));
            cluster.epochMillis += 70_000;
            three.forEach(node -> new Sweeper(node.keyspace).run());
            cluster.pass(Duration.ofSeconds(45));
        }
        assertThat(three.getFirst().standingOnDisk.purge().number()).isZero();
    }

    @Test
    void proposerThatDiedWhenItHadNotedThePurge_comesBack() {
        proposerComesBack(SmallCluster.SETTINGS);
    }

    @Test
    void proposerThatDiedWhenItHadNotedThePurge_comesBack_whereNodesWaitForEver() {
        proposerComesBack(SmallCluster.settings(new JoiningSettings(
                false, JoiningSettings.FOR_EVER, Duration.ofSeconds(60), false, "", 1, "cluster-seeds")));
    }

    private void proposerComesBack(ReplicationSettings settings) {
        Died proposer = proposerDies();

        Node again = cluster.startAgain(proposer.node, proposer.disk, settings);
        cluster.connect();
        cluster.passUntil(() -> again.replicator.state() == JoinState.READY);
        cluster.pass(LONG_ENOUGH);

        assertThat(cluster.nodes).hasSize(3).allSatisfy(node -> {
            assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
            assertThat(node.standingOnDisk.purge().number()).isEqualTo(1);
        });
    }

    /// The proposer comes back while others, which serve, have counted on.
    @Test
    void proposerThatDiedWhenItHadNotedThePurge_servesWhenItIsInStep() {
        Died proposer = proposerDies();
        cluster.nodes.getFirst().add("other", 1000);
        cluster.pass(Duration.ofSeconds(1));

        Node again = cluster.startAgain(proposer.node, proposer.disk, SmallCluster.SETTINGS);
        cluster.connect();
        cluster.passUntil(() -> again.replicator.state() == JoinState.READY);

        assertThat(again.value("other")).isEqualTo(1111);
    }

    /// The id of its purge is the larger one.
    @Test
    void proposerThatDiedWhenItHadNotedThePurge_andWasForgotten_endsItselfAndNotTheOthers() {
        cluster.random = session -> 100 - 10 * session;
        Died proposer = proposerDies();
        Node other = cluster.nodes.getFirst();
        other.replicator.forget(proposer.node.self.name());
        cluster.pass(Duration.ofSeconds(1));
        cluster.purge(other);

        cluster.startAgain(proposer.node, proposer.disk, SmallCluster.SETTINGS);
        cluster.connect();

        assertThatThrownBy(() -> cluster.pass(LONG_ENOUGH))
                .isInstanceOf(FatalException.class)
                .hasMessageContaining("here 1-");
        assertThat(other.standingOnDisk.purge().number()).isEqualTo(2);
    }

    private record Died(Node node, Keyspace disk) {}

    /// The first of three nodes has noted a purge, and ends before the others hear of that.
    private Died proposerDies() {
        Node dies = cluster.startThree().getFirst();
        cluster.countOnEach("key");
        cluster.countOnEach("other");
        dies.delete("key");
        cluster.drops = traffic ->
                traffic.from.equals(dies) && dies.standingOnDisk.purge().number() == 1;
        cluster.purgeUntil(dies, () -> dies.standingOnDisk.purge().number() == 1);
        Keyspace disk = cluster.copyOf(dies);
        cluster.kill(dies);
        cluster.drops = _ -> false;
        cluster.pass(Duration.ofSeconds(3));
        assertThat(cluster.nodes)
                .allSatisfy(
                        node -> assertThat(node.standingOnDisk.purge().number()).isZero());
        return new Died(dies, disk);
    }

    /// Its file cannot be written.
    @Test
    void nodeThatCouldNotNoteThatItIsReady_keepsOthersFromPurging() {
        List<Node> three = cluster.startThree();
        Node third = three.get(2);
        cluster.countOnEach("key");
        three.getFirst().delete("key");
        third.standingIsWritten = false;
        cluster.purge(three.getFirst());
        assertThat(three)
                .allSatisfy(
                        node -> assertThat(node.standingOnDisk.purge().number()).isZero());
        Keyspace disk = cluster.copyOf(third);
        cluster.kill(third);
        cluster.pass(Duration.ofSeconds(3));

        Node again = cluster.startAgain(third, disk, SmallCluster.SETTINGS);
        cluster.connect();
        cluster.passUntil(() -> again.replicator.state() == JoinState.READY);
        cluster.purge(again);

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.cells()).isZero());
    }

    /// Two nodes; the clock of the second is wrong, and is not believed. Then the first, whose clock is right,
    /// restarts.
    @Test
    void nodeWithARightClock_thatRestartsBesideAWrongOne_endsNothingEarly() {
        long hour = 3_600_000;
        cluster.clocks.put(2L, hour);
        Node right = cluster.start();
        cluster.connect();
        cluster.pass(Duration.ofSeconds(5));
        Node wrong = cluster.startEmpty();
        cluster.connect();
        cluster.pass(Duration.ofSeconds(5));
        assertThat(wrong.keyspace.expiry().now()).isLessThan(cluster.epochMillis + 10_000);
        Keyspace disk = cluster.copyOf(right);
        cluster.kill(right);
        cluster.pass(Duration.ofSeconds(3));
        Node again = cluster.startAgain(right, disk, SmallCluster.SETTINGS);
        cluster.connect();
        cluster.pass(LONG_ENOUGH);
        again.add("key", 1);
        again.expireAt("key", cluster.epochMillis + 600_000);
        assertThat(again.keyspace.expiry().now()).isLessThan(cluster.epochMillis + 10_000);
    }

    /// What a purge left leaves by itself later: it is not to count as deleted before for ever.
    @Test
    void countersThatAreDeletedAfterOthersExpired_arePurged() {
        List<Node> three = cluster.startThree();
        for (int i = 0; i < 40_000; i++) {
            three.getFirst().add("limit-" + i, 1);
            three.getFirst().expireAt("limit-" + i, cluster.epochMillis + 2_000);
        }
        cluster.pass(Duration.ofSeconds(1));
        cluster.epochMillis += 3_000;
        three.forEach(node -> new Sweeper(node.keyspace).run());
        cluster.pass(Duration.ofSeconds(20));
        cluster.epochMillis += 70_000;
        three.forEach(node -> new Sweeper(node.keyspace).run());
        assertThat(three.getFirst().keyspace.cells()).isZero();
        cluster.pass(Duration.ofSeconds(65));
        for (int i = 0; i < 30_000; i++) {
            three.getFirst().add("key-" + i, 1);
        }
        cluster.pass(Duration.ofSeconds(1));
        for (int i = 0; i < 30_000; i++) {
            three.getFirst().delete("key-" + i);
        }
        cluster.pass(Duration.ofSeconds(100));
        assertThat(three.getFirst().keyspace.cells()).isZero();
    }

    /// The right node of three restarts while the other right one is down.
    @Test
    void nodeOfThree_thatRestartsBesideAWrongClock_takesTheTimeOfTheNodeThatServes() {
        cluster.clocks.put(2L, 3_600_000L);
        List<Node> three = cluster.startThree();
        cluster.pass(Duration.ofSeconds(10));
        Node right = three.getFirst();
        Keyspace disk = cluster.copyOf(right);
        cluster.kill(three.get(2));
        cluster.kill(right);
        cluster.pass(Duration.ofSeconds(3));
        Node again = cluster.startAgain(right, disk, SmallCluster.SETTINGS);
        cluster.connect();
        cluster.pass(LONG_ENOUGH);
        assertThat(three.get(1).keyspace.expiry().now()).isLessThan(cluster.epochMillis + 10_000);
        assertThat(again.keyspace.expiry().now()).isLessThan(cluster.epochMillis + 10_000);
    }

    /// The process is paused between advanceTo and the frames of one cycle, and beats that are fresh are read in it.
    @Test
    void nodeThatWasPausedInTheMidstOfACycle_keepsTheTimeOfDay() {
        List<Node> three = cluster.startThree();
        cluster.pass(Duration.ofSeconds(10));
        Node paused = three.get(2);
        paused.standsStill = true;
        cluster.pass(Duration.ofSeconds(60));
        paused.standsStill = false;
        long most = 0;
        for (int i = 0; i < 40_000; i++) {
            cluster.pass(SmallCluster.A_STEP);
            long off = cluster.corrections.get(3L);
            most = Math.max(most, off);
        }
        assertThat(most).isLessThan(5_000);
    }

    /// A node with the lowest session id starts while the proposer is ready and another node is not.
    @Test
    void nodeWithTheLowestId_thatStartsInTheMidstOfAPurge_stopsNoPurges() {
        Keyspace lowest = cluster.keyspace();
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        Node late = three.get(2);
        cluster.drops = traffic -> traffic.from.equals(late) && Replicator.bringsCells(traffic.frame);
        late.add("late", 1);
        three.getFirst().delete("key");
        cluster.pass(Duration.ofSeconds(1));
        three.getFirst().replicator.purgeAtOnce();
        cluster.pass(Duration.ofSeconds(10));
        assertThat(three.getFirst().standingOnDisk.readyFor()).isNotZero();
        assertThat(late.standingOnDisk.readyFor()).isZero();
        assertThat(three.getFirst().standingOnDisk.purge().number()).isZero();
        Node first = cluster.start(SmallCluster.SETTINGS, lowest, Standing.NONE);
        cluster.connect();
        cluster.pass(Duration.ofSeconds(5));
        cluster.drops = _ -> false;
        cluster.pass(Duration.ofMinutes(3));
        first.replicator.purgeAtOnce();
        cluster.pass(Duration.ofMinutes(3));
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.keyspace.deletedCells()).isZero());
    }

    /// A node dies when it is ready, before the proposer hears of that, and comes back.
    @Test
    void nodeThatWasReadyInItsFormerSession_waitsForTheOthersAgain() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        cluster.countOnEach("fresh");
        Node dies = three.get(2);
        three.getFirst().delete("key");
        cluster.pass(Duration.ofSeconds(1));
        cluster.drops = traffic -> traffic.from.equals(dies) && dies.standingOnDisk.readyFor() != 0;
        three.getFirst().replicator.purgeAtOnce();
        for (int i = 0; i < 40_000 && dies.standingOnDisk.readyFor() == 0; i++) {
            cluster.pass(SmallCluster.A_STEP);
        }
        cluster.pass(Duration.ofMillis(100));
        assertThat(three.getFirst().standingOnDisk.purge().number()).isZero();
        Keyspace disk = cluster.copyOf(dies);
        cluster.kill(dies);
        cluster.drops = _ -> false;
        cluster.pass(Duration.ofSeconds(10));
        Node again = cluster.startAgain(dies, disk, SmallCluster.SETTINGS);
        // Its changes get lost for a while.
        boolean[] late = {true};
        cluster.drops = traffic -> (traffic.from.equals(again) && Replicator.bringsCells(traffic.frame))
                || (late[0]
                        && traffic.to.equals(again)
                        && traffic.from.equals(three.getFirst())
                        && traffic.kind == Kind.BEAT);
        cluster.connect();
        cluster.passUntil(() -> again.replicator.state() == JoinState.READY);
        again.delete("fresh");
        late[0] = false;
        cluster.pass(Duration.ofSeconds(3));
        cluster.drops = _ -> false;
        cluster.pass(Duration.ofSeconds(30));
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("fresh")).isZero());
    }

    /// One node of three is cut off; its operator forgets the two others.
    @Test
    void majority_doesNotEnd_becauseOneThatWasCutOffHasForgottenIt() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        Node alone = three.get(2);
        List<Node> two = three.subList(0, 2);
        cluster.connect(two);
        cluster.connect(List.of(alone));
        cluster.pass(Duration.ofSeconds(3));
        two.getFirst().add("counted-by-the-others", 7);
        two.forEach(node -> alone.replicator.forget(node.self.name()));
        alone.delete("key");
        cluster.purge(alone);
        assertThat(alone.standingOnDisk.purge().number()).isEqualTo(1);
        cluster.connect();
        cluster.pass(LONG_ENOUGH);

        // The counts of the two sides are kept apart.
        assertThat(two).allSatisfy(node -> {
            assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
            assertThat(node.value("key")).isEqualTo(111);
        });
    }

    /// As after a machine was suspended, or NTP has set its clock for the first time.
    @Test
    void nodeAlone_takesTheTimeOfItsMachineInTheEnd() {
        cluster.start();
        cluster.connect();
        cluster.pass(Duration.ofSeconds(5));
        cluster.clocks.put(1L, 3_600_000L);
        cluster.pass(Duration.ofMinutes(10));
        assertThat(cluster.corrections.get(1L)).isEqualTo(3_600_000L);
    }

    /// All nodes of a cluster start, after a power cut. The clock of one machine is a day ahead.
    @Test
    void counters_doNotEndEarly_whenAllNodesStartAndOneClockIsWrong() {
        List<Node> three = cluster.startThree();
        cluster.countOnEach("key");
        // Counters that are older than the grace when they get their deadline.
        three.forEach(node -> node.keyspace.age());
        three.forEach(node -> node.keyspace.age());
        three.getFirst().expireAt("key", cluster.epochMillis + 3_600_000);
        cluster.pass(Duration.ofSeconds(5));
        assertThat(three.get(2).value("key")).isEqualTo(111);
        List<Keyspace> disks = three.stream().map(cluster::copyOf).toList();
        three.forEach(cluster::kill);
        long wrong = disks.get(2).replicas().own().high();
        cluster.clocks.put(wrong, 86_400_000L);
        for (int i = 0; i < 3; i++) {
            cluster.startAgain(three.get(i), disks.get(i), SmallCluster.SETTINGS);
        }
        cluster.connect();
        cluster.pass(LONG_ENOUGH);
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("key")).isEqualTo(111));
    }
}
