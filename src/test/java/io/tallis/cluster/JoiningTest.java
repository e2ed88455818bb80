package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_MOMENT;
import static io.tallis.cluster.SmallCluster.A_SECOND;
import static io.tallis.cluster.SmallCluster.A_STEP;
import static io.tallis.cluster.SmallCluster.A_WHILE;
import static io.tallis.cluster.SmallCluster.LONG_ENOUGH_TO_STAY_AWAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.join.JoiningSettings;
import io.tallis.cluster.peer.ClusterId;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.Event;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// When a node that starts serves: the rules R1 to R7 of [Joining], and what may go wrong on the way.
final class JoiningTest {
    private static final ClusterId LATER_CLUSTER = new ClusterId(SmallCluster.CLUSTER.foundedMillis() + 1, 0);
    private static final Duration VERY_LONG = Duration.ofMinutes(3);

    private final SmallCluster cluster = new SmallCluster();

    // R1

    @Test
    void node_withCountersAndNoCluster_foundsOneAndServes() {
        Node node = cluster.start(SmallCluster.SETTINGS, cluster.former("likes"), Standing.NONE);

        cluster.connect();
        cluster.pass(A_SECOND);

        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(node.standingOnDisk.complete()).isTrue();
    }

    // R2

    @Test
    void emptyNode_thatReachesACluster_isIncompleteOnDiskBeforeItMergesAnything() {
        Node member = cluster.start();
        cluster.connect();
        cluster.pass(A_SECOND);
        member.add("likes", 5);
        Node joiner = cluster.startEmpty();
        joiner.standingIsWritten = false;
        cluster.connect();
        cluster.pass(A_WHILE);
        member.add("likes", 5);
        cluster.pass(A_WHILE);
        long whileNotWritten = joiner.keyspace.cells();

        joiner.standingIsWritten = true;
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        Standing whileItPulls = joiner.standingOnDisk;
        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(whileNotWritten).isZero();
        assertThat(whileItPulls).isEqualTo(Standing.incomplete(SmallCluster.CLUSTER));
        assertThat(joiner.standingOnDisk).isEqualTo(Standing.complete(SmallCluster.CLUSTER));
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.value("likes")).isEqualTo(10);
    }

    // R3

    @Test
    void emptyNode_alone_foundsAfterAWhile() {
        Node node = cluster.startEmpty();
        cluster.connect();
        cluster.pass(SmallCluster.JOINING.aloneTimeout().minusMillis(100));
        JoinState before = node.replicator.state();

        cluster.pass(A_SECOND);

        assertThat(before).isEqualTo(JoinState.SEEKING);
        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(node.standingOnDisk.complete()).isTrue();
    }

    @Test
    void emptyNodes_startedTogether_foundOneCluster() {
        List<Node> nodes = List.of(cluster.startEmpty(), cluster.startEmpty(), cluster.startEmpty());

        cluster.connect();
        cluster.pass(SmallCluster.JOINING.aloneTimeout().plus(A_SECOND));

        assertThat(nodes).allSatisfy(node -> assertThat(node.replicator.state()).isEqualTo(JoinState.READY));
        assertThat(nodes).extracting(node -> node.standingOnDisk).containsOnly(nodes.getFirst().standingOnDisk);
    }

    @Test
    void emptyNode_thatExpectsTwo_foundsAClusterOnlyWithAnother() {
        Node one = cluster.start(expecting(2), cluster.keyspace(), Standing.NONE);
        cluster.connect();
        cluster.pass(VERY_LONG);
        JoinState alone = one.replicator.state();
        String reason = one.replicator.status().joining().reason();

        Node other = cluster.start(expecting(2), cluster.keyspace(), Standing.NONE);
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(alone).isEqualTo(JoinState.SEEKING);
        assertThat(reason).contains("founds one when 2 empty nodes reach each other", "SYSTEM READY");
        assertThat(List.of(one.replicator.state(), other.replicator.state())).containsOnly(JoinState.READY);
    }

    @Test
    void emptyNodes_thatExpectNone_waitForAnOperator() {
        Node one = cluster.start(expecting(0), cluster.keyspace(), Standing.NONE);
        Node other = cluster.start(expecting(0), cluster.keyspace(), Standing.NONE);
        cluster.connect();
        cluster.pass(VERY_LONG);
        List<JoinState> before = List.of(one.replicator.state(), other.replicator.state());

        one.replicator.ready();
        cluster.pass(A_WHILE);

        assertThat(before).containsOnly(JoinState.SEEKING);
        assertThat(List.of(one.replicator.state(), other.replicator.state())).containsOnly(JoinState.READY);
        assertThat(other.standingOnDisk).isEqualTo(one.standingOnDisk);
    }

    // R4

    @Test
    void incompleteNode_withoutACompletePeer_waitsForOneWithoutLimit() {
        Node incomplete = cluster.start(
                SmallCluster.SETTINGS, cluster.former("likes"), Standing.incomplete(SmallCluster.CLUSTER));
        Node another = cluster.start(
                SmallCluster.SETTINGS, cluster.former("likes"), Standing.incomplete(SmallCluster.CLUSTER));
        cluster.connect();
        cluster.pass(VERY_LONG);
        List<JoinState> waiting = List.of(incomplete.replicator.state(), another.replicator.state());

        Node complete = cluster.start(SmallCluster.SETTINGS, cluster.former("likes", "shares"));
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(waiting).containsOnly(JoinState.SEEKING);
        assertThat(complete.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(incomplete.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(incomplete.value("shares")).isEqualTo(5);
        assertThat(incomplete.standingOnDisk).isEqualTo(Standing.complete(SmallCluster.CLUSTER));
    }

    @Test
    void incompleteNode_withCounters_besideACompleteOneOfALaterCluster_waits() {
        Node incomplete = cluster.start(
                SmallCluster.SETTINGS, cluster.former("shares"), Standing.incomplete(SmallCluster.CLUSTER));
        Node other = cluster.start(SmallCluster.SETTINGS, cluster.former("likes"), Standing.complete(LATER_CLUSTER));
        cluster.connect();

        cluster.pass(VERY_LONG);

        assertThat(other.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(other.standingOnDisk).isEqualTo(Standing.complete(LATER_CLUSTER));
        assertThat(incomplete.replicator.state()).isEqualTo(JoinState.SEEKING);
        assertThat(incomplete.replicator.status().joining().reason()).contains("1 complete nodes of other clusters");
    }

    /// The other cluster counts all the time, and what it counts must not fill the node before it has joined.
    @Test
    void incompleteNode_withoutCounters_besideACompleteOneOfALaterCluster_joinsThatAfterAWhile() {
        Node other = cluster.start(SmallCluster.SETTINGS, cluster.former("likes"), Standing.complete(LATER_CLUSTER));
        Node incomplete =
                cluster.start(SmallCluster.SETTINGS, cluster.keyspace(), Standing.incomplete(SmallCluster.CLUSTER));
        cluster.connect();
        cluster.pass(A_SECOND);
        other.add("likes", 5);
        cluster.pass(SmallCluster.JOINING.aloneTimeout().minusMillis(1_100));
        Standing before = incomplete.standingOnDisk;

        cluster.pass(A_WHILE);

        assertThat(before).isEqualTo(Standing.incomplete(SmallCluster.CLUSTER));
        assertThat(incomplete.standingOnDisk).isEqualTo(Standing.complete(LATER_CLUSTER));
        assertThat(incomplete.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(incomplete.value("likes")).isEqualTo(10);
    }

    @Test
    void incompleteNode_withoutCounters_whoseClusterIsReachable_doesNotJoinALaterOne() {
        cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));
        Node other = cluster.start(SmallCluster.SETTINGS, cluster.former("shares"), Standing.complete(LATER_CLUSTER));
        cluster.connect(List.of(other));
        cluster.pass(A_SECOND);
        Node joiner =
                cluster.start(SmallCluster.SETTINGS, cluster.keyspace(), Standing.incomplete(SmallCluster.CLUSTER));
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        cluster.connect();
        cluster.pass(VERY_LONG);

        assertThat(joiner.standingOnDisk).isEqualTo(Standing.incomplete(SmallCluster.CLUSTER));
    }

    /// Its provider has been started again and gets in step itself, with a node that the joiner reaches later.
    @Test
    void incompleteNode_whoseProviderServesOnlyAtTheEndOfThePull_getsInStepBeforeItServes() {
        cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));
        cluster.connect();
        cluster.pass(A_SECOND);
        Node provider = cluster.start(SmallCluster.SETTINGS, cluster.former("shares"));
        Node joiner =
                cluster.start(SmallCluster.SETTINGS, cluster.keyspace(), Standing.incomplete(SmallCluster.CLUSTER));
        cluster.drops = traffic -> traffic.to.equals(provider) ? traffic.kind == Kind.SUMS : traffic.kind == Kind.CELLS;
        cluster.connect(List.of(provider, joiner));
        cluster.showOnly(provider, cluster.nodes);
        provider.reach = Set.copyOf(cluster.nodes);
        cluster.pass(A_SECOND);
        JoinState before = joiner.replicator.state();
        cluster.drops = traffic -> traffic.to.equals(joiner) && traffic.kind == Kind.CELLS;
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        JoinState ofProvider = provider.replicator.state();

        cluster.drops = traffic -> traffic.kind == Kind.SUMS;
        cluster.pass(A_SECOND);
        JoinState withoutAnotherPull = joiner.replicator.state();
        cluster.drops = _ -> false;
        while (joiner.replicator.state() != JoinState.READY) {
            cluster.pass(A_STEP);
        }

        assertThat(before).isEqualTo(JoinState.PULLING);
        assertThat(ofProvider).isEqualTo(JoinState.READY);
        assertThat(withoutAnotherPull).isNotEqualTo(JoinState.READY);
        assertThat(joiner.value("likes")).isEqualTo(5);
    }

    @Test
    void incompleteNode_whosePullsAllFail_doesNotServe() {
        Node member = cluster.start();
        cluster.connect();
        cluster.pass(A_SECOND);
        member.add("likes", 5);
        Node joiner = cluster.start();
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        cluster.connect();

        cluster.pass(VERY_LONG);

        assertThat(joiner.replicator.state()).isNotEqualTo(JoinState.READY);
        assertThat(joiner.standingOnDisk.complete()).isFalse();
    }

    @Test
    void incompleteNode_whoseProvidersStop_waitsUntilAnOperatorDeclaresItComplete() {
        Node member = cluster.start();
        cluster.connect();
        cluster.pass(A_SECOND);
        member.add("likes", 5);
        Node joiner = cluster.start();
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        cluster.connect();
        cluster.pass(A_SECOND);
        cluster.kill(member);
        cluster.pass(VERY_LONG);
        JoinState late = joiner.replicator.state();

        joiner.replicator.ready();
        cluster.pass(A_SECOND);

        assertThat(late).isEqualTo(JoinState.SEEKING);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.standingOnDisk).isEqualTo(Standing.complete(SmallCluster.CLUSTER));
    }

    // R5

    @Test
    void completeNode_thatWasAwayForLong_servesWithAllThatOthersHave() {
        List<Node> members = cluster.startThree();
        members.getFirst().add("likes", 5);
        cluster.pass(A_SECOND);
        Node back = cluster.start(SmallCluster.SETTINGS, cluster.former("shares"));
        cluster.connect();
        while (back.replicator.state() != JoinState.READY) {
            cluster.pass(A_MOMENT);
        }

        assertThat(back.value("likes")).isEqualTo(5);
        cluster.pass(A_SECOND);
        assertThat(members)
                .allSatisfy(member -> assertThat(member.value("shares")).isEqualTo(5));
    }

    @Test
    void completeNode_thatExpectsOthers_waitsForThemBeforeItServes() {
        JoiningSettings joining = new JoiningSettings(
                true,
                SmallCluster.JOINING.aloneTimeout(),
                SmallCluster.JOINING.joinTimeout(),
                false,
                "",
                2,
                "cluster-seeds");
        Node node = cluster.start(SmallCluster.settings(joining), cluster.former("likes"));
        cluster.connect();
        cluster.pass(SmallCluster.JOINING.aloneTimeout().minusMillis(100));
        JoinState before = node.replicator.state();

        cluster.pass(A_SECOND);

        assertThat(before).isEqualTo(JoinState.SEEKING);
        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void completeNode_thatWaitsForOthers_namesThem() {
        Node node = cluster.startOneThatKnowsOfOneWhoIsGone();
        String gone = node.records.registry().known().visible().stream()
                .map(record -> record.newest().name())
                .filter(name -> !name.equals(node.self.name()))
                .findFirst()
                .orElseThrow();
        cluster.kill(node);
        Node again = cluster.startAgain(node, cluster.former("likes"), SmallCluster.SETTINGS);
        cluster.connect();

        cluster.pass(A_SECOND);

        assertThat(again.replicator.status().joining().reason())
                .startsWith("The node is complete and waits for the nodes that it knows: " + gone + ";");
    }

    /// It may have known any number of nodes.
    @Test
    void completeNode_whoseFileOfNodesIsDamaged_waitsForOthersBeforeItServes() {
        Node node = cluster.startWithDamagedNodes("likes");
        cluster.connect();
        cluster.pass(SmallCluster.JOINING.aloneTimeout().minusMillis(100));
        JoinState before = node.replicator.state();

        cluster.pass(A_SECOND);

        assertThat(before).isEqualTo(JoinState.SEEKING);
        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void completeNode_withoutAloneTimeout_waitsForAnotherNodeOrAnOperator() {
        Node node = cluster.start(notAlone(""), cluster.former("likes"));
        cluster.connect();
        cluster.pass(VERY_LONG);
        JoinState late = node.replicator.state();

        node.replicator.ready();

        assertThat(late).isEqualTo(JoinState.SEEKING);
        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void completeNode_whosePullsAllFail_servesAfterItsTimeout() {
        Node member = cluster.start();
        cluster.connect();
        cluster.pass(A_SECOND);
        member.add("likes", 5);
        Node back = cluster.start(SmallCluster.SETTINGS, cluster.former("shares"));
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        cluster.connect();
        cluster.pass(SmallCluster.JOINING.joinTimeout().minusSeconds(1));
        JoinState before = back.replicator.state();

        cluster.pass(SmallCluster.JOINING.joinTimeout());

        assertThat(before).isNotEqualTo(JoinState.READY);
        assertThat(back.replicator.state()).isEqualTo(JoinState.READY);
    }

    // R6

    @Test
    void completeNode_thatReachesAnEarlierCluster_servesOnAndTakesItsIdWhenItHasAll() {
        Node early = cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));
        Node late = cluster.start(SmallCluster.SETTINGS, cluster.former("shares"), Standing.complete(LATER_CLUSTER));
        cluster.connect(List.of(early));
        cluster.connect(List.of(late));
        cluster.pass(A_WHILE);
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && traffic.to.equals(late);

        cluster.connect();
        cluster.pass(A_WHILE);
        Standing whileItPulls = late.standingOnDisk;
        JoinState stateWhileItPulls = late.replicator.state();
        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(whileItPulls).isEqualTo(Standing.complete(LATER_CLUSTER));
        assertThat(stateWhileItPulls).isEqualTo(JoinState.READY);
        assertThat(late.standingOnDisk).isEqualTo(Standing.complete(SmallCluster.CLUSTER));
        assertThat(early.standingOnDisk).isEqualTo(Standing.complete(SmallCluster.CLUSTER));
        assertThat(late.value("likes")).isEqualTo(5);
        cluster.assertThatAllAgree();
    }

    /// A stray node of a larger, older cluster appears for a moment; after a full stop no node waits for it.
    @Test
    void strayNode_thatCrashesWhileOthersPullFromIt_leavesThemComplete() {
        List<Node> nodes = List.of(
                cluster.start(SmallCluster.SETTINGS, cluster.former("likes"), Standing.complete(LATER_CLUSTER)),
                cluster.start(SmallCluster.SETTINGS, cluster.former("likes"), Standing.complete(LATER_CLUSTER)));
        cluster.connect();
        cluster.pass(A_SECOND);
        Node stray = cluster.start(SmallCluster.SETTINGS, cluster.formerOfMany(5_000, "stray"));
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        cluster.connect();
        cluster.pass(A_WHILE);

        cluster.kill(stray);
        cluster.drops = _ -> false;
        cluster.pass(VERY_LONG);

        assertThat(nodes).allSatisfy(node -> {
            assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
            assertThat(node.standingOnDisk).isEqualTo(Standing.complete(LATER_CLUSTER));
        });
    }

    /// Another round of pulls may follow on the one that failed, from a peer of the node's own cluster.
    @Test
    void completeNode_whosePullFromAnEarlierClusterFails_keepsItsId() {
        Node late = cluster.start(SmallCluster.SETTINGS, cluster.former("shares"), Standing.complete(LATER_CLUSTER));
        Node early = cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));
        cluster.connect(List.of(late));
        cluster.connect(List.of(early));
        cluster.pass(A_WHILE);
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && traffic.from.equals(early);
        cluster.connect();
        cluster.pass(A_WHILE);
        Node third = cluster.start(SmallCluster.SETTINGS, cluster.former("third"), Standing.complete(LATER_CLUSTER));
        cluster.connect();

        cluster.pass(VERY_LONG);

        assertThat(late.value("third")).isEqualTo(5);
        assertThat(late.value("likes")).isZero();
        assertThat(late.standingOnDisk).isEqualTo(Standing.complete(LATER_CLUSTER));
        assertThat(third.standingOnDisk).isEqualTo(Standing.complete(LATER_CLUSTER));
    }

    @Test
    void emptyNode_thatCannotNoteItsFounding_foundsNothing() {
        Node node = cluster.startEmpty();
        node.standingIsWritten = false;
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        JoinState whileItFails = node.replicator.state();
        node.standingIsWritten = true;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.plus(A_SECOND));

        assertThat(whileItFails).isEqualTo(JoinState.SEEKING);
        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(node.standingOnDisk.complete()).isTrue();
    }

    @Test
    void completeNodes_thatMayNotServeAlone_serveWhenAllAreInStep() {
        Node one = cluster.start(notAlone(""), cluster.former("likes"));
        Node other = cluster.start(notAlone(""), cluster.former("shares"));
        cluster.connect();

        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(List.of(one.replicator.state(), other.replicator.state())).containsOnly(JoinState.READY);
    }

    // R7

    @Test
    void ready_onAnEmptyNode_foundsACluster() {
        Node node = cluster.startEmpty();
        cluster.connect();
        cluster.pass(A_MOMENT);

        node.replicator.ready();
        cluster.pass(A_MOMENT);

        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(node.standingOnDisk.complete()).isTrue();
    }

    @Test
    void ready_onAnEmptyNode_saysWhichClusterItFounds() {
        Node node = cluster.startEmpty();
        cluster.connect();
        cluster.pass(A_MOMENT);

        node.replicator.ready();
        cluster.pass(A_SECOND);

        assertThat(events(node))
                .contains("founds the cluster " + node.standingOnDisk.cluster()
                        + ": an operator said SYSTEM READY, and the node belonged to none");
    }

    @Test
    void ready_whileTheDiskHangs_servesAtOnceAndNotesTheClusterLater() {
        Node joiner = joinerWhoseStandingHangs();

        joiner.replicator.ready();
        cluster.pass(A_SECOND);
        JoinState whileItHangs = joiner.replicator.state();
        long merged = joiner.value("likes");
        joiner.standingHangs = false;
        cluster.pass(A_SECOND);

        assertThat(whileItHangs).isEqualTo(JoinState.READY);
        assertThat(merged).isEqualTo(5);
        assertThat(joiner.standingOnDisk).isEqualTo(Standing.complete(SmallCluster.CLUSTER));
        assertThat(joiner.replicator.standing()).isEqualTo(Standing.complete(SmallCluster.CLUSTER));
    }

    @Test
    void ready_whileTheNoteOfAFoundingFails_mergesAtOnce() {
        Node member = cluster.start();
        cluster.connect();
        cluster.pass(A_SECOND);
        Node founder = cluster.startEmpty();
        founder.standingIsWritten = false;
        cluster.connect(List.of(founder));
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        cluster.connect();
        cluster.pass(A_MOMENT);

        founder.replicator.ready();
        member.add("likes", 5);
        cluster.pass(A_SECOND);

        assertThat(founder.value("likes")).isEqualTo(5);
    }

    private Node joinerWhoseStandingHangs() {
        Node member = cluster.start();
        cluster.connect();
        cluster.pass(A_SECOND);
        member.add("likes", 5);
        Node joiner = cluster.startEmpty();
        joiner.standingHangs = true;
        cluster.connect();
        cluster.pass(A_SECOND);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.SEEKING);
        return joiner;
    }

    @Test
    void completeNode_whoseDiskHangsWhenItNotesAnEarlierCluster_servesAfterItsTimeout() {
        Node early = cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));
        cluster.connect();
        cluster.pass(A_SECOND);
        Node late = cluster.start(SmallCluster.SETTINGS, cluster.former("shares"), Standing.complete(LATER_CLUSTER));
        late.standingHangs = true;
        cluster.connect();
        cluster.pass(A_WHILE);
        JoinState before = late.replicator.state();

        cluster.pass(SmallCluster.JOINING.joinTimeout());

        assertThat(early.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(before).isNotEqualTo(JoinState.READY);
        assertThat(late.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void completeNodes_thatReturnAfterAnOperatorMadeAPartialNodeComplete_mergeWithIt() {
        Node part = cluster.start(
                SmallCluster.SETTINGS, cluster.former("likes"), Standing.incomplete(SmallCluster.CLUSTER));
        cluster.connect();
        cluster.pass(A_SECOND);
        part.replicator.ready();
        cluster.pass(A_SECOND);

        Node back = cluster.start(SmallCluster.SETTINGS, cluster.former("likes", "shares"));
        cluster.connect();
        cluster.pass(A_WHILE);

        assertThat(List.of(part.replicator.state(), back.replicator.state())).containsOnly(JoinState.READY);
        assertThat(part.value("shares")).isEqualTo(5);
    }

    // On the way

    /// What it serves would be lost with it if the others were lost too.
    @Test
    void joiner_whoseDiskHangs_servesWhenItNoLongerDoes() {
        List<Node> members = cluster.startThree();
        members.getFirst().add("likes", 5);
        Node joiner = cluster.start();
        joiner.disk.takesNothing = true;
        cluster.connect();
        cluster.pass(A_WHILE);
        assertThat(joiner.value("likes")).isEqualTo(5);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.CATCHING_UP);
        assertThat(joiner.standingOnDisk).isEqualTo(Standing.incomplete(SmallCluster.CLUSTER));

        joiner.disk.takesNothing = false;
        joiner.disk.goOn();
        cluster.pass(Duration.ofMillis(100));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    /// Each of its providers began with something that the other lacks, so it pulls from each of them once more.
    @Test
    void joiner_whosePullsToCatchUpTakeLong_servesWhenTheyAreDone() {
        Node one = cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));
        Node other = cluster.start(SmallCluster.SETTINGS, cluster.former("shares"));
        cluster.connect(List.of(one));
        cluster.connect(List.of(other));
        cluster.pass(A_SECOND);
        Node joiner = cluster.startEmpty();
        cluster.drops = traffic -> traffic.kind == Kind.SUMS && !traffic.to.equals(joiner);
        cluster.connect();
        for (int i = 0; i < 1_000 && joiner.replicator.state() != JoinState.CATCHING_UP; i++) {
            cluster.pass(A_STEP);
        }
        JoinState before = joiner.replicator.state();

        cluster.drops = traffic -> traffic.kind == Kind.SUMS;
        cluster.pass(Duration.ofSeconds(12));
        JoinState whilePullsLast = joiner.replicator.state();
        one.add("late", 5);
        cluster.pass(A_SECOND);
        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(List.of(before, whilePullsLast)).containsOnly(JoinState.CATCHING_UP);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.value("likes") + joiner.value("shares") + joiner.value("late"))
                .isEqualTo(15);
    }

    /// When the provider is lost, a pull from a node that cannot be one is under way.
    @Test
    void joiner_thatLosesItsProviderWhileItCatchesUp_pullsFromTheNextProvider() {
        Node provider = cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));
        cluster.connect();
        cluster.pass(A_SECOND);
        Node incomplete =
                cluster.start(SmallCluster.held(), cluster.former("shares"), Standing.incomplete(SmallCluster.CLUSTER));
        Node joiner = cluster.startEmpty();
        joiner.disk.takesNothing = true;
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && !traffic.from.equals(provider);
        cluster.connect();
        cluster.pass(A_SECOND);
        JoinState before = joiner.replicator.state();

        cluster.kill(provider);
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        joiner.disk.takesNothing = false;
        joiner.disk.goOn();
        cluster.drops = _ -> false;
        Node next = cluster.start(SmallCluster.SETTINGS, cluster.former("likes", "more"));
        cluster.connect();
        cluster.pass(Duration.ofSeconds(10));

        assertThat(before).isEqualTo(JoinState.CATCHING_UP);
        assertThat(List.of(joiner.replicator.state(), next.replicator.state())).containsOnly(JoinState.READY);
        assertThat(joiner.value("more")).isEqualTo(5);
        assertThat(incomplete.value("shares")).isEqualTo(5);
    }

    @Test
    void joiner_whenItsPullIsOver_reportsHowLongItTook() {
        List<Node> members = cluster.startThree();
        members.getFirst().add("likes", 5);
        cluster.pass(A_MOMENT);
        Node joiner = cluster.start();
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        cluster.connect();
        cluster.pass(Duration.ofMillis(700));
        cluster.drops = _ -> false;
        cluster.pass(A_WHILE);
        ReplicationStatus.Joining joined = joiner.replicator.status().joining();

        cluster.pass(A_SECOND);

        assertThat(joined.state()).isEqualTo(JoinState.READY);
        assertThat(joined.pullMillis()).isBetween(300L, 2_000L);
        assertThat(joiner.replicator.status().joining().pullMillis()).isEqualTo(joined.pullMillis());
        assertThat(joiner.records.chronicle().newest(1_000))
                .extracting(Event::text)
                .anyMatch(text -> text.startsWith("pulled %d bytes in %d ms: 1 cells were new; the last provider was "
                        .formatted(joined.bytesPulled(), joined.pullMillis())));
    }

    /// Members get the new view before the joiner does, and what they send in between is lost.
    @Test
    void joiner_thatMissesTheFirstBeats_getsOthersSoon() {
        List<Node> members = List.copyOf(cluster.startThree());
        members.getFirst().add("likes", 5);
        Node joiner = cluster.start();
        cluster.reachAll();
        cluster.drops = traffic -> traffic.to.equals(joiner);
        members.forEach(member -> cluster.showOnly(member, cluster.nodes));
        cluster.pass(Duration.ofMillis(12));
        cluster.drops = _ -> false;

        cluster.showOnly(joiner, cluster.nodes);
        cluster.pass(Duration.ofMillis(400));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.value("likes")).isEqualTo(5);
    }

    @Test
    void start_aloneWithCountersAndNoExpectedNodes_servesAtOnce() {
        Node node = cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));

        cluster.connect();
        cluster.pass(A_MOMENT);

        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void start_withClusterHold_servesAfterSystemReady() {
        JoiningSettings held = new JoiningSettings(
                false,
                SmallCluster.JOINING.aloneTimeout(),
                SmallCluster.JOINING.joinTimeout(),
                true,
                "",
                1,
                "cluster-seeds");
        Node node = cluster.start(SmallCluster.settings(held));
        cluster.connect();
        cluster.pass(Duration.ofSeconds(70));
        assertThat(node.replicator.state()).isNotEqualTo(JoinState.READY);

        node.replicator.ready();

        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void start_ofANodeThatWasPaused_waitsAsLongAsWithout() {
        Node node = cluster.startEmpty();
        cluster.connect(List.of(node));
        cluster.pass(A_SECOND);

        node.standsStill = true;
        cluster.pass(SmallCluster.JOINING.joinTimeout().plusSeconds(10));
        node.standsStill = false;
        cluster.pass(A_MOMENT);
        JoinState soon = node.replicator.state();
        cluster.pass(SmallCluster.JOINING.aloneTimeout());

        assertThat(soon).isEqualTo(JoinState.SEEKING);
        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void start_ofANodeWithManyShortPauses_waitsAsLongAsWithout() {
        Node node = cluster.startEmpty();
        cluster.connect(List.of(node));

        for (int i = 0; i < 5; i++) {
            cluster.pass(Duration.ofMillis(30));
            node.standsStill = true;
            cluster.pass(Duration.ofMillis(1_100));
            node.standsStill = false;
        }
        cluster.pass(Duration.ofMillis(30));

        assertThat(node.replicator.state()).isEqualTo(JoinState.SEEKING);
    }

    /// The counts of an unreachable session have to be asked for, and a lost request must not be taken for an empty
    /// answer.
    @ParameterizedTest
    @EnumSource(names = {"VECTOR_ASK", "VECTOR"})
    void joiner_whoseVectorRequestsAreLost_servesWithTheCountsOfUnreachableSessions(Kind lost) {
        Node member = cluster.startOneThatKnowsOfOneWhoIsGone();
        cluster.drops = traffic -> traffic.kind == lost;
        Node joiner = cluster.start();
        cluster.connect();

        for (int i = 0; i < 5_000 && joiner.replicator.state() != JoinState.READY; i++) {
            cluster.pass(Duration.ofMillis(1));
        }

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.value("likes")).isEqualTo(member.value("likes")).isEqualTo(5);
    }

    /// One refused counter must not cause endless pulls.
    @Test
    void joiner_withoutRoomForACounter_servesAndAsksLittle() {
        Node member = cluster.start();
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        for (int i = 0; i < 1_000; i++) {
            member.add("key-" + i, 1);
        }
        SmallCluster.addFormers(member.keyspace, "likes", 65_537);
        Node joiner = cluster.start();
        AtomicInteger asks = new AtomicInteger();
        cluster.watcher = traffic -> asks.addAndGet(traffic.kind == Kind.SUMS_ASK ? 1 : 0);
        cluster.connect();

        cluster.pass(SmallCluster.JOINING.joinTimeout().plusSeconds(20));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.keyspace.cells()).isEqualTo(1_000);
        assertThat(asks).hasValueLessThan(2_000);
    }

    @Test
    void node_withCounters_besideASilentMember_servesSoon() {
        Node mute = cluster.start();
        Node node = cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));
        mute.standsStill = true;
        cluster.connect();

        cluster.pass(SmallCluster.JOINING.aloneTimeout().plus(A_SECOND));

        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    // What operators are told

    @Test
    void waitOfAnIncompleteNode_isReportedWhole() {
        Node node = cluster.start(
                SmallCluster.SETTINGS, cluster.former("likes"), Standing.incomplete(SmallCluster.CLUSTER));
        cluster.connect();

        cluster.pass(VERY_LONG);

        assertThat(events(node))
                .contains("does not serve yet. "
                        + node.replicator.status().joining().reason());
    }

    @Test
    void waitOfACompleteNode_saysHowLongItLasts() {
        JoiningSettings joining = new JoiningSettings(
                true,
                SmallCluster.JOINING.aloneTimeout(),
                SmallCluster.JOINING.joinTimeout(),
                false,
                "",
                2,
                "cluster-seeds");
        Node node = cluster.start(SmallCluster.settings(joining), cluster.former("likes"));
        cluster.connect();
        cluster.pass(A_SECOND);

        assertThat(node.replicator.status().joining().reason())
                .contains("serves without them after cluster-alone-timeout (3 s)");
    }

    @Test
    void reasonOfAHeldNode_saysThatItCouldServe() {
        JoiningSettings held = new JoiningSettings(
                false,
                SmallCluster.JOINING.aloneTimeout(),
                SmallCluster.JOINING.joinTimeout(),
                true,
                "",
                1,
                "cluster-seeds");
        cluster.start();
        cluster.connect();
        cluster.pass(A_SECOND);
        Node node = cluster.start(SmallCluster.settings(held));
        cluster.connect();

        cluster.pass(A_WHILE);

        assertThat(node.replicator.status().joining().reason())
                .isEqualTo("cluster-hold keeps the node from serving until SYSTEM READY. It could serve now: it is in"
                        + " step with its cluster.");
    }

    /// It learns late which nodes there are.
    @Test
    void joiner_pullsFromItsDonorOnly_besideOthersThatServe() {
        cluster.startThree();
        cluster.countOnEach("likes");
        Node donor = cluster.nodes.get(1);
        Node joiner = cluster.start(notAlone(donor.self.name()), cluster.keyspace(), Standing.NONE);
        cluster.drops = traffic -> traffic.kind == Kind.NODES;
        cluster.connect();
        cluster.pass(Duration.ofMillis(300));
        cluster.drops = _ -> false;

        cluster.passUntil(() -> joiner.replicator.state() == JoinState.READY);
        cluster.pass(A_SECOND);

        assertThat(events(joiner)).contains("pulls from " + donor.self.name());
        assertThat(joiner.value("likes")).isEqualTo(111);
    }

    @Test
    void wait_forADonorThatIsNotReachable_isGivenUpWithAnEvent() {
        Node member = cluster.start();
        cluster.connect();
        cluster.pass(A_SECOND);
        member.add("likes", 5);
        Node joiner = cluster.start(notAlone("lost"));
        cluster.connect();

        cluster.pass(Duration.ofSeconds(15));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(events(joiner))
                .contains("gives up waiting for its donor lost after 10 s (cluster-donor), and pulls from others");
    }

    @Test
    void events_ofJoining_nameNoRules() {
        cluster.startEmpty();
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        cluster.startEmpty();
        cluster.connect();

        cluster.pass(A_WHILE);

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(events(node)).noneMatch(text -> text.matches(".*\\(R[1-7]\\).*")));
    }

    private static List<String> events(Node node) {
        return node.records.chronicle().newest(1_000).stream().map(Event::text).toList();
    }

    private static ReplicationSettings expecting(int nodes) {
        return SmallCluster.settings(new JoiningSettings(
                nodes > 1,
                SmallCluster.JOINING.aloneTimeout(),
                SmallCluster.JOINING.joinTimeout(),
                false,
                "",
                nodes,
                "cluster-seeds"));
    }

    private static ReplicationSettings notAlone(String donor) {
        return SmallCluster.settings(new JoiningSettings(
                true, JoiningSettings.FOR_EVER, SmallCluster.JOINING.joinTimeout(), false, donor, 1, "cluster-seeds"));
    }
}
