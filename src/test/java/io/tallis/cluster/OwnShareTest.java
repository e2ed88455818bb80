package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_SECOND;
import static io.tallis.cluster.SmallCluster.A_WHILE;
import static io.tallis.cluster.SmallCluster.LONG_ENOUGH_TO_STAY_AWAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// How nodes that have a part of the counters only, and those beside them, fare.
final class OwnShareTest {
    private final SmallCluster cluster = new SmallCluster();

    /// Else that one would take the part for all, and this one would then see one that serves.
    @Test
    void nodeWithAPart_besideANewOne_waitsForOneThatHasAll() {
        Node whole = cluster.start(SmallCluster.SETTINGS, cluster.former("likes", "shares"));
        cluster.kill(whole);
        Node part = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("likes"));
        Node fresh = cluster.start();
        cluster.connect(List.of(part, fresh));
        cluster.pass(SmallCluster.JOINING.joinTimeout().plusSeconds(10));
        assertThat(List.of(part.replicator.state(), fresh.replicator.state())).containsOnly(JoinState.SEEKING);

        cluster.start(SmallCluster.SETTINGS, cluster.former("likes", "shares"));
        cluster.connect();
        cluster.pass(A_SECOND);

        assertThat(List.of(part.replicator.state(), fresh.replicator.state())).containsOnly(JoinState.READY);
        assertThat(List.of(part.value("shares"), fresh.value("shares"))).containsOnly(5L);
        cluster.assertThatAllAgree();
    }

    @Test
    void nodesWithParts_waitForOneThatServes() {
        Node one = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("likes"));
        Node other = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("shares"));
        cluster.connect();
        cluster.pass(SmallCluster.JOINING.joinTimeout().plusSeconds(10));
        assertThat(List.of(one.replicator.state(), other.replicator.state())).containsOnly(JoinState.SEEKING);

        one.replicator.ready();
        cluster.pass(A_SECOND);

        assertThat(other.replicator.state()).isEqualTo(JoinState.READY);
        cluster.assertThatAllAgree();
    }

    @Test
    void nodeWithAllThatItHad_doesNotMindOneWithAPart() {
        Node whole = cluster.start(SmallCluster.SETTINGS, cluster.former("likes", "shares"));
        Node part = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("likes"));
        cluster.connect();

        cluster.pass(A_SECOND);

        assertThat(List.of(whole.replicator.state(), part.replicator.state())).containsOnly(JoinState.READY);
        cluster.assertThatAllAgree();
    }

    @Test
    void newNode_whoseProviderDiesInTheMidstOfAPull_waitsForIt() {
        Node provider = cluster.startWhole();
        Node joiner = startOneThatGetsOneCounter();
        cluster.kill(provider);
        cluster.drops = _ -> false;
        cluster.connect();
        cluster.pass(SmallCluster.JOINING.joinTimeout().plusSeconds(10));
        assertThat(joiner.keyspace.cells()).isEqualTo(1);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.SEEKING);

        cluster.start(SmallCluster.SETTINGS, cluster.former("likes", "shares"));
        cluster.connect();
        cluster.pass(A_SECOND);

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.keyspace.cells()).isEqualTo(2);
    }

    /// What that one had when it was asked may have been a part.
    @Test
    void node_thatPullsFromAPartWhichComesToServe_looksWhatItHasThen() {
        Node part = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("likes"));
        Node joiner = cluster.start();
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && traffic.to.equals(joiner);
        cluster.connect();
        cluster.pass(A_SECOND);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.PULLING);
        Node whole = cluster.start(SmallCluster.SETTINGS, cluster.former("likes", "shares"));
        cluster.connect();
        cluster.pass(A_SECOND);
        assertThat(List.of(part.replicator.state(), whole.replicator.state())).containsOnly(JoinState.READY);

        cluster.drops = _ -> false;
        while (joiner.replicator.state() != JoinState.READY) {
            cluster.pass(Duration.ofMillis(1));
        }

        assertThat(joiner.value("shares")).isEqualTo(5);
    }

    @Test
    void joiner_thatIsToServeInTheMidstOfItsPull_isWholeWhenItHasTheRest() {
        cluster.startWhole();
        Node joiner = startOneThatGetsOneCounter();

        joiner.replicator.ready();
        cluster.pass(A_SECOND);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.replicator.isWhole()).isFalse();
        cluster.drops = _ -> false;
        cluster.pass(A_WHILE);

        assertThat(joiner.keyspace.cells()).isEqualTo(2);
        assertThat(joiner.replicator.isWhole()).isTrue();
    }

    @Test
    void joiner_besideOneThatServesAPart_servesAndIsNotWhole() {
        Node whole = cluster.startWhole();
        Node part = cluster.startPartThatGetsNothing();
        part.replicator.ready();
        cluster.kill(whole);
        cluster.drops = _ -> false;
        Node joiner = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        List<JoinState> states = List.of(part.replicator.state(), joiner.replicator.state());
        assertThat(states).containsOnly(JoinState.READY);
        assertThat(List.of(part.replicator.isWhole(), joiner.replicator.isWhole()))
                .containsOnly(false);

        cluster.start(SmallCluster.SETTINGS, cluster.former("likes", "shares"));
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.plus(A_WHILE));

        assertThat(List.of(part.replicator.isWhole(), joiner.replicator.isWhole()))
                .containsOnly(true);
        cluster.assertThatAllAgree();
    }

    @Test
    void joiner_thatIsHeld_isWholeWhenItHasAll() {
        cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));
        cluster.connect();
        cluster.pass(A_WHILE);
        Node joiner = cluster.start(SmallCluster.held());
        Node alone = cluster.start(SmallCluster.held());
        cluster.connect(List.of(alone));
        cluster.connect(cluster.nodes.subList(0, 2));
        cluster.pass(SmallCluster.JOINING.joinTimeout());

        assertThat(List.of(joiner.replicator.state(), alone.replicator.state())).doesNotContain(JoinState.READY);
        assertThat(joiner.replicator.isWhole()).isTrue();
        assertThat(alone.replicator.isWhole()).isFalse();
    }

    @Test
    void joiners_whoseOnlyProviderStaysAway_waitUntilAnOperatorWantsWhatTheyHave() {
        Node provider = cluster.startWhole();
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && traffic.to.keyspace.cells() > 0;
        Node one = cluster.start();
        Node other = cluster.start();
        cluster.connect();
        cluster.pass(A_SECOND);

        cluster.kill(provider);
        cluster.pass(SmallCluster.JOINING.joinTimeout().multipliedBy(2));
        assertThat(List.of(one.replicator.state(), other.replicator.state())).doesNotContain(JoinState.READY);
        one.replicator.ready();
        cluster.pass(A_SECOND);

        assertThat(List.of(one.replicator.state(), other.replicator.state())).containsOnly(JoinState.READY);
        cluster.assertThatAllAgree();
    }

    /// Each pull of theirs would be followed by the next at once, since there is always more that nobody asked for.
    @Test
    void nodesWithParts_thatHearOneOutOfViewCount_pullSeldom() {
        Node unseen = cluster.start();
        Node one = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("likes"));
        Node other = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("likes"));
        AtomicInteger asks = new AtomicInteger();
        cluster.watcher = traffic -> asks.addAndGet(traffic.kind == Kind.SUMS_ASK ? 1 : 0);
        cluster.reachAll();
        cluster.showOnly(unseen, List.of(unseen));
        cluster.showOnly(one, List.of(one, other));
        cluster.showOnly(other, List.of(one, other));
        cluster.drops = traffic -> traffic.to.equals(unseen) || (traffic.from.equals(unseen) && traffic.to.equals(one));

        for (int i = 0; i < 20_000; i++) {
            unseen.add("busy", 1);
            cluster.pass(Duration.ofMillis(1));
        }

        assertThat(one.value("busy")).isGreaterThan(100);
        assertThat(asks).hasValueLessThan(500);
        assertThat(one.records.chronicle().newest(1_000)).hasSizeLessThan(100);
    }

    /// It began with nothing, and who has that has nothing of what the other has.
    @Test
    void joiner_besideAnEmptyOneThatServesAndOneThatHasAll_isNotWholeBeforeItHasAll() {
        Node empty = cluster.start();
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        assertThat(empty.replicator.isWhole()).isTrue();
        cluster.start(SmallCluster.SETTINGS, cluster.former("likes", "shares"));
        Node joiner = cluster.start();
        Node part = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("shares"));
        cluster.drops =
                traffic -> traffic.kind == Kind.CELLS && (!traffic.to.equals(joiner) || joiner.keyspace.cells() > 0);
        cluster.connect();
        cluster.pass(A_WHILE);
        assertThat(List.of(joiner.replicator.isWhole(), part.replicator.isWhole()))
                .containsOnly(false);

        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(List.of(joiner.replicator.isWhole(), part.replicator.isWhole()))
                .containsOnly(true);
        assertThat(joiner.keyspace.cells()).isEqualTo(2);
    }

    /// Else all would wait for an operator after the next start, and there is nobody who has more.
    @Test
    void firstNode_thatServesSinceItsTimeIsOver_isWhole() {
        Node first = cluster.start();
        cluster.pass(SmallCluster.JOINING.joinTimeout().plus(A_WHILE));
        assertThat(first.replicator.state()).isEqualTo(JoinState.READY);
        first.add("likes", 5);
        cluster.connect();
        cluster.pass(A_SECOND);
        Node second = cluster.start();
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(List.of(first.replicator.isWhole(), second.replicator.isWhole()))
                .containsOnly(true);
    }

    /// They serve before they miss it, and each sees that the others serve.
    @Test
    void newNodes_oneOfWhichDiesAtFirst_areWholeWhenTheyMissIt() {
        Node one = cluster.start();
        Node other = cluster.start();
        Node mute = cluster.start();
        mute.standsStill = true;
        cluster.connect();
        cluster.pass(SmallCluster.JOINING.joinTimeout().plus(A_WHILE));
        assertThat(List.of(one.replicator.state(), other.replicator.state())).containsOnly(JoinState.READY);
        one.add("likes", 5);
        other.add("shares", 5);
        cluster.pass(A_WHILE);
        assertThat(List.of(one.replicator.isWhole(), other.replicator.isWhole()))
                .containsOnly(false);

        cluster.kill(mute);
        cluster.pass(A_SECOND);

        assertThat(List.of(one.replicator.isWhole(), other.replicator.isWhole()))
                .containsOnly(true);
        cluster.assertThatAllAgree();
    }

    /// What the one counts, the other has a part of, which is none of anything else.
    @Test
    void newNodes_thatServeOneAfterTheOther_areWholeWhenTheyMissTheMuteOne() {
        Node first = cluster.start();
        Node mute = cluster.start();
        mute.standsStill = true;
        cluster.connect();
        cluster.pass(A_WHILE);
        Node second = cluster.start();
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        first.add("likes", 5);
        cluster.pass(A_WHILE);

        cluster.kill(mute);
        cluster.pass(A_WHILE);

        assertThat(second.value("likes")).isEqualTo(5);
        assertThat(List.of(first.replicator.isWhole(), second.replicator.isWhole()))
                .containsOnly(true);
    }

    @Test
    void joiner_besideMembersThatCountAllTheTime_isWholeSoon() {
        List<Node> members = List.copyOf(cluster.startThree());
        Node joiner = cluster.start();
        cluster.connect();

        for (int i = 0; i < 2_000 && !joiner.replicator.isWhole(); i++) {
            members.forEach(member -> member.add("likes", 1));
            cluster.pass(Duration.ofMillis(1));
        }

        assertThat(joiner.replicator.isWhole()).isTrue();
    }

    /// No vector tells of what a pull brought that did not come to its end.
    @Test
    void newNode_besideAPartThatServes_hasThatPartWhenItServes() {
        Node provider = cluster.startWhole();
        Node part = startOneThatGetsOneCounter();
        part.replicator.ready();
        cluster.kill(provider);
        cluster.drops = _ -> false;
        Node fresh = cluster.start();
        cluster.connect();

        for (int i = 0; i < 10_000 && fresh.replicator.state() != JoinState.READY; i++) {
            cluster.pass(Duration.ofMillis(1));
        }

        assertThat(fresh.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(fresh.keyspace.cells()).isEqualTo(1);
    }

    /// A member that counted departs, and what the other tells before it has told of absent ones is less than before.
    @Test
    void joiner_thatWaitsForItsDonorWhileAMemberDeparts_isNotWholeWithNothing() {
        cluster.start();
        Node writer = startWriter();
        Node joiner = cluster.start(SmallCluster.settings(new JoiningSettings(
                true, JoiningSettings.FOR_EVER, SmallCluster.JOINING.joinTimeout(), false, "nobody")));
        cluster.connect();
        cluster.pass(A_SECOND);

        cluster.kill(writer);

        assertThatItIsNotWholeWithNothing(joiner);
    }

    @Test
    void part_thatServesWhileAMemberDeparts_isNotWholeWithNothing() {
        cluster.start();
        Node writer = startWriter();
        Node joiner = cluster.start();
        cluster.drops = traffic -> traffic.to.equals(joiner)
                && EnumSet.of(Kind.CELLS, Kind.ANSWER, Kind.VECTOR).contains(traffic.kind);
        cluster.connect();
        cluster.pass(A_SECOND);
        joiner.replicator.ready();
        cluster.pass(A_SECOND);

        cluster.kill(writer);

        assertThatItIsNotWholeWithNothing(joiner);
    }

    private Node startWriter() {
        Node writer = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        writer.add("likes", 5);
        cluster.pass(A_WHILE);
        return writer;
    }

    private void assertThatItIsNotWholeWithNothing(Node joiner) {
        for (int i = 0; i < 5_000; i++) {
            cluster.pass(Duration.ofMillis(1));
            assertThat(joiner.replicator.isWhole() && joiner.keyspace.cells() == 0)
                    .isFalse();
        }
    }

    @Test
    void newNode_whoseProviderDiesBeforeItGivesAnything_servesAndIsNotWhole() {
        Node provider = cluster.startWhole();
        Node joiner = cluster.start();
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        cluster.connect();
        cluster.pass(A_SECOND);

        cluster.kill(provider);
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.plus(A_SECOND));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.replicator.isWhole()).isFalse();
    }

    @Test
    void newNode_besideAMuteMember_isNotWholeWhenItsTimeIsOver() {
        Node whole = cluster.startWhole();
        Node joiner = cluster.start();
        cluster.drops = traffic -> traffic.from.equals(whole);
        cluster.connect();

        cluster.pass(SmallCluster.JOINING.joinTimeout().plus(A_WHILE));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.replicator.isWhole()).isFalse();
    }

    @Test
    void newNode_besideASilentOneThatGivesNothing_isNotWholeWhenItsTimeIsOver() {
        Node silent = cluster.start(SmallCluster.held(), cluster.former("likes", "shares"));
        Node joiner = cluster.start();
        cluster.drops = traffic -> traffic.from.equals(silent) && traffic.kind == Kind.CELLS;
        cluster.connect();

        cluster.pass(SmallCluster.JOINING.joinTimeout().multipliedBy(2));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.replicator.isWhole()).isFalse();
    }

    private Node startOneThatGetsOneCounter() {
        Node joiner = cluster.start();
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && joiner.keyspace.cells() > 0;
        cluster.connect();
        cluster.pass(A_SECOND);
        return joiner;
    }
}
