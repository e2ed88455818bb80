package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_MOMENT;
import static io.tallis.cluster.SmallCluster.A_SECOND;
import static io.tallis.cluster.SmallCluster.A_WHILE;
import static io.tallis.cluster.SmallCluster.LONG_ENOUGH_TO_STAY_AWAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.records.Event;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// When a node that starts serves.
final class JoiningTest {
    private final SmallCluster cluster = new SmallCluster();

    /// What it served would be gone with it, should the others be gone too.
    @Test
    void joiner_whoseDiskTakesNothing_isReadyWhenItDoes() {
        List<Node> members = cluster.startThree();
        members.getFirst().add("likes", 5);
        Node joiner = cluster.start();
        joiner.disk.takesNothing = true;
        cluster.connect();
        cluster.pass(A_WHILE);
        assertThat(joiner.value("likes")).isEqualTo(5);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.CATCHING_UP);

        joiner.disk.takesNothing = false;
        joiner.disk.goOn();
        cluster.pass(Duration.ofMillis(100));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void joiner_tellsHowLongItsPullTook() {
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
                .anyMatch(text -> text.startsWith("pulled for %d ms, %d bytes: 1 cells were new, the last of them from "
                        .formatted(joined.pullMillis(), joined.bytesPulled())));
    }

    @Test
    void joiner_whoseDiskTakesNothing_isReadyInTheEnd() {
        cluster.startThree();
        Node joiner = cluster.start();
        joiner.disk.takesNothing = true;
        cluster.connect();

        cluster.pass(SmallCluster.JOINING.joinTimeout().plusSeconds(10));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    /// Members learn of a new view before who joins does, and what they send then it cannot take.
    @Test
    void joiner_thatMissesTheFirstBeatsOfOthers_hearsTheNextSoon() {
        List<Node> members = List.copyOf(cluster.startThree());
        members.getFirst().add("likes", 5);
        Node joiner = cluster.start();
        cluster.reachAll();
        cluster.drops = traffic -> traffic.to.equals(joiner);
        members.forEach(member -> cluster.showOnly(member, cluster.nodes));
        cluster.pass(Duration.ofMillis(12));
        cluster.drops = _ -> false;

        cluster.showOnly(joiner, cluster.nodes);
        cluster.pass(Duration.ofMillis(60));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.value("likes")).isEqualTo(5);
    }

    @Test
    void newNodes_thatExpectOthers_waitForThemThoughTheyAreTwo() {
        ReplicationSettings settings = SmallCluster.SETTINGS.expectingOthers();
        Node one = cluster.start(settings);
        Node other = cluster.start(settings);
        cluster.connect();
        cluster.pass(Duration.ofMillis(2_500));
        List<JoinState> soon = List.of(one.replicator.state(), other.replicator.state());
        cluster.pass(A_WHILE);

        assertThat(soon).doesNotContain(JoinState.READY);
        assertThat(List.of(one.replicator.state(), other.replicator.state())).containsOnly(JoinState.READY);
    }

    @Test
    void joiner_thatMayNotServeAloneAndHasNoDonor_tellsItOnceAndPullsFromOthers() {
        List<Node> nodes = cluster.startThree();
        nodes.getFirst().add("likes", 5);
        cluster.pass(A_MOMENT);
        Node joiner = cluster.start(notAlone("nobody"));
        cluster.connect();

        cluster.pass(SmallCluster.JOINING.joinTimeout());

        assertThat(joiner.value("likes")).isEqualTo(5);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.records.chronicle().newest(1_000))
                .extracting(Event::text)
                .filteredOn(text -> text.contains("waits for its donor"))
                .hasSize(1);
    }

    @Test
    void start_aloneWithCounters_isReadyAtOnceWhenNobodyIsExpected() {
        Node node = cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));

        cluster.connect();
        cluster.pass(A_MOMENT);

        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void start_ofANodeThatMayNotServeAlone_waitsForAnotherOrAnOperator() {
        var settings = notAlone("");
        Node one = cluster.start(settings);
        cluster.connect();
        cluster.pass(SmallCluster.JOINING.joinTimeout().plusSeconds(10));
        assertThat(one.replicator.state()).isEqualTo(JoinState.SEEKING);
        Node other = cluster.start(settings);
        cluster.connect();
        cluster.pass(SmallCluster.JOINING.joinTimeout().plusSeconds(10));
        assertThat(other.replicator.state()).isEqualTo(JoinState.SEEKING);

        one.replicator.ready();
        cluster.pass(A_SECOND);

        assertThat(other.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void start_ofANodeThatMayNotServeAloneAndMeetsOthersLate_hasTheirCountsWhenItIsReady() {
        Node one = cluster.start();
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        one.add("likes", 5);
        Node other = cluster.start(notAlone(""));
        cluster.connect(List.of(other));
        cluster.pass(SmallCluster.JOINING.joinTimeout().plusSeconds(10));
        assertThat(other.replicator.state()).isEqualTo(JoinState.SEEKING);

        cluster.connect();
        for (int i = 0; i < 1_000 && other.replicator.state() != JoinState.READY; i++) {
            cluster.pass(Duration.ofMillis(1));
        }

        assertThat(other.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(other.value("likes")).isEqualTo(5);
    }

    @Test
    void start_heldByAnOperator_isReadyWhenTheOperatorSaysSo() {
        JoiningSettings held = new JoiningSettings(
                false, SmallCluster.JOINING.aloneTimeout(), SmallCluster.JOINING.joinTimeout(), true, "");
        Node node = cluster.start(SmallCluster.settings(held));
        cluster.connect();
        cluster.pass(Duration.ofSeconds(70));
        assertThat(node.replicator.state()).isNotEqualTo(JoinState.READY);

        node.replicator.ready();

        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void joiner_besideAMemberThatHearsOneOutOfView_isReadySoon(boolean tellsOfNoAbsent) {
        Node member = cluster.start();
        Node unseen = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        member.add("likes", 5);
        cluster.pass(A_WHILE);
        cluster.showOnly(member, List.of(member));
        cluster.showOnly(unseen, List.of(unseen));
        cluster.drops = traffic -> traffic.to.equals(unseen) || (tellsOfNoAbsent && traffic.kind == Kind.VECTOR);
        Node joiner = cluster.start(SmallCluster.SETTINGS.expectingOthers());
        cluster.reachAll();
        cluster.showOnly(member, List.of(member, joiner));
        cluster.showOnly(joiner, List.of(member, joiner));

        for (int i = 0; i < 3_000 && joiner.replicator.state() != JoinState.READY; i++) {
            unseen.add("busy", 1);
            cluster.pass(Duration.ofMillis(1));
        }

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.value("likes")).isEqualTo(5);
    }

    /// What only an absent one had counted must be asked for, and that once lost must not pass for nothing.
    @ParameterizedTest
    @EnumSource(names = {"VECTOR_ASK", "VECTOR"})
    void joiner_thatIsNotToldOfAbsentOnes_servesWithWhatTheyCounted(Kind lost) {
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

    /// All lack the same as long as the only one that serves is silent.
    @Test
    void joiners_besideAMemberThatIsNotHeardYet_waitForIt() {
        Node member = cluster.start();
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        member.add("likes", 5);
        cluster.pass(A_WHILE);
        cluster.drops = traffic -> traffic.from.equals(member) && traffic.kind != Kind.DELTA;
        List<Node> joiners = List.of(cluster.start(), cluster.start());
        cluster.connect();
        cluster.pass(A_SECOND);
        List<JoinState> whileItIsSilent =
                joiners.stream().map(joiner -> joiner.replicator.state()).toList();
        cluster.drops = _ -> false;
        for (int i = 0; i < 5_000 && joiners.getFirst().replicator.state() != JoinState.READY; i++) {
            cluster.pass(Duration.ofMillis(1));
        }

        assertThat(whileItIsSilent).doesNotContain(JoinState.READY);
        assertThat(joiners.getFirst().replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiners.getFirst().value("likes")).isEqualTo(5);
    }

    /// Counters of others may come before the first view, and are not what its disk had.
    @Test
    void emptyNode_thatHearsOthersOutOfView_waitsForThem() {
        Node member = cluster.start();
        cluster.connect(List.of(member));
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        Node joiner = cluster.start();
        cluster.reachAll();
        member.add("likes", 5);
        cluster.pass(A_MOMENT);
        cluster.showOnly(joiner, List.of(joiner));
        cluster.pass(A_SECOND);
        cluster.pass(SmallCluster.JOINING.joinTimeout());
        JoinState late = joiner.replicator.state();

        cluster.connect();
        cluster.pass(A_SECOND);

        assertThat(joiner.value("likes")).isEqualTo(5);
        assertThat(late).isEqualTo(JoinState.SEEKING);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void start_ofANodeThatStoodStill_waitsAsLongAsIfItHadNot() {
        Node node = cluster.start();
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
    void start_ofANodeThatStoodStillOftenForShort_waitsAsLongAsIfItHadNot() {
        Node node = cluster.start();
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

    @Test
    void start_ofANodeWithoutCountersThatSeesNobody_waitsBeforeItServes() {
        Node node = cluster.start();
        cluster.connect(List.of(node));

        cluster.pass(SmallCluster.JOINING.aloneTimeout().minusSeconds(1));
        JoinState before = node.replicator.state();
        cluster.pass(A_WHILE);

        assertThat(before).isEqualTo(JoinState.SEEKING);
        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void joiner_whoseDonorJoinsToo_pullsFromOneThatServesInstead() {
        cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));
        cluster.connect();
        cluster.pass(A_WHILE);
        Node donor = cluster.start(notAlone("nobody"));
        cluster.drops = traffic -> traffic.to.equals(donor) && traffic.kind == Kind.CELLS;
        AtomicInteger asks = new AtomicInteger();
        cluster.watcher = traffic -> asks.addAndGet(traffic.kind == Kind.SUMS_ASK && traffic.to.equals(donor) ? 1 : 0);
        Node joiner = cluster.start(notAlone(donor.records.registry().known().nameOf(donor.session())));
        cluster.connect();
        cluster.pass(SmallCluster.JOINING.joinTimeout());

        assertThat(donor.replicator.isWhole()).isFalse();
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.value("likes")).isEqualTo(5);
        assertThat(asks).hasValue(0);
    }

    /// One counter that has no room is no reason to pull all others for ever.
    @Test
    void joiner_thatHasNoRoomForACounter_servesInTheEndAndAsksLittle() {
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

    /// Each of its pulls comes as far as the one before, and no further.
    @Test
    void joiner_whosePullsAllFail_servesInTheEnd() {
        Node member = cluster.start();
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        member.add("likes", 5);
        Node joiner = cluster.start();
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        cluster.connect();

        cluster.pass(SmallCluster.JOINING.joinTimeout().multipliedBy(2));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void nodeWithItsCounters_besideAMuteMember_servesSoon() {
        Node mute = cluster.start();
        Node node = cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));
        mute.standsStill = true;
        cluster.connect();

        cluster.pass(SmallCluster.JOINING.aloneTimeout().plus(A_SECOND));

        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void part_besideASilentOneThatGivesNothing_tellsLittle() {
        Node silent = cluster.start(SmallCluster.held(), cluster.former("likes", "shares"));
        Node part = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("likes"));
        cluster.drops = traffic -> traffic.from.equals(silent) && traffic.kind == Kind.CELLS;
        cluster.connect();

        cluster.pass(Duration.ofMinutes(20));

        assertThat(part.replicator.state()).isNotEqualTo(JoinState.READY);
        assertThat(part.records.chronicle().newest(1_000)).hasSizeLessThan(50);
    }

    @Test
    void newNodes_thatWaitForEachOther_sayItOnce() {
        Node one = cluster.start(notAlone(""));
        Node other = cluster.start(notAlone(""));
        cluster.connect();

        cluster.pass(Duration.ofSeconds(60));

        assertThat(List.of(one.replicator.state(), other.replicator.state())).containsOnly(JoinState.SEEKING);
        assertThat(one.records.chronicle().newest(1_000))
                .extracting(Event::text)
                .filteredOn(
                        text -> text.startsWith("waits for one that serves, since none of those that are there does"))
                .hasSize(2);
    }

    /// It has not kept anybody waiting for longer than it is there.
    @Test
    void joiner_isAsFarBehindAsItIsThere() {
        List<Node> members = List.copyOf(cluster.startThree());
        members.getFirst().add("likes", 5);
        cluster.pass(Duration.ofMinutes(2));
        cluster.start();
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        cluster.connect();

        cluster.pass(Duration.ofSeconds(3));

        assertThat(members.getFirst().replicator.status().peers())
                .filteredOn(peer -> peer.state() == JoinState.PULLING)
                .singleElement()
                .satisfies(peer -> assertThat(peer.lag().millis()).isBetween(2_000L, 3_200L));
    }

    /// Never serves before it has met another.
    private static ReplicationSettings notAlone(String donor) {
        return SmallCluster.settings(
                new JoiningSettings(true, JoiningSettings.FOR_EVER, SmallCluster.JOINING.joinTimeout(), false, donor));
    }
}
