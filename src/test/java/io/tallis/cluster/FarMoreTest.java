package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_SECOND;
import static io.tallis.cluster.SmallCluster.A_WHILE;
import static io.tallis.cluster.SmallCluster.LONG_ENOUGH_TO_STAY_AWAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.keyspace.Keyspace;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Who is whole and meets one that is, too, and has far more.
final class FarMoreTest {
    private static final int MANY = 4_000;

    private final SmallCluster cluster = new SmallCluster();

    @Test
    void emptyNodeThatServesAlone_hasAPartUntilItHasWhatTheOtherHas() {
        Node small = startAlone(cluster.keyspace());
        startLarge(MANY);
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && small.keyspace.cells() > 10;

        cluster.connect();
        cluster.pass(A_WHILE);
        assertThat(small.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(small.replicator.isWhole()).isFalse();
        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(small.replicator.isWhole()).isTrue();
        assertThat(small.keyspace.cells()).isEqualTo(MANY);
    }

    @Test
    void nodeThatComesBackWithFarLess_waitsForOneThatServesWhenTheOtherIsGone() {
        Node large = startLarge(MANY);
        Node small = cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && small.keyspace.cells() > 10;
        cluster.connect();
        cluster.pass(A_SECOND);

        cluster.kill(large);
        cluster.pass(SmallCluster.JOINING.joinTimeout().multipliedBy(2));

        assertThat(small.replicator.isWhole()).isFalse();
        assertThat(small.replicator.state()).isNotEqualTo(JoinState.READY);
    }

    /// What it pulled made it whole, were it not for what was counted meanwhile.
    @Test
    void nodeThatCatchesUp_hasAPartUntilItHasWhatIsNew() {
        Node large = startAlone(cluster.former("likes"));
        Node small = cluster.start(SmallCluster.SETTINGS, cluster.former("shares"));
        small.disk.takesNothing = true;
        cluster.connect();
        cluster.pass(A_SECOND);
        assertThat(small.replicator.state()).isEqualTo(JoinState.CATCHING_UP);
        cluster.drops = traffic -> traffic.to.equals(small) && traffic.kind != Kind.BEAT;
        for (int i = 0; i < MANY; i++) {
            large.add("new-" + i, 1);
        }
        cluster.pass(A_SECOND);
        small.disk.takesNothing = false;
        small.disk.goOn();
        for (int i = 0; i < A_WHILE.toMillis(); i++) {
            cluster.pass(SmallCluster.A_STEP);
            assertThat(small.replicator.isWhole()).isFalse();
        }

        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(small.replicator.isWhole()).isTrue();
        assertThat(small.keyspace.cells()).isEqualTo(MANY + 2);
    }

    /// Else it would be whole after a crash, with a part.
    @Test
    void node_asksForNothingBeforeItsDiskKnowsOfThePart() {
        Node small = startAlone(cluster.keyspace());
        small.remembers = false;
        startLarge(MANY);

        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        assertThat(small.keyspace.cells()).isZero();
        small.remembers = true;
        cluster.pass(A_WHILE);

        assertThat(small.keyspace.cells()).isEqualTo(MANY);
    }

    /// It hears the other before any view tells of it.
    @Test
    void node_thatHearsOneWithFarMore_asksForNothingBeforeItsDiskKnowsOfThePart() {
        List<Node> both = List.of(
                cluster.start(SmallCluster.SETTINGS, cluster.former("likes")),
                cluster.start(SmallCluster.SETTINGS, cluster.former("likes")));
        Node small = both.getFirst();
        Node large = both.getLast();
        cluster.connect();
        cluster.pass(A_WHILE);
        both.forEach(node -> cluster.connect(List.of(node)));
        for (int i = 0; i < MANY; i++) {
            large.add("new-" + i, 1);
        }
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        small.remembers = false;

        cluster.reachAll();
        large.add("again", 1);
        cluster.pass(A_SECOND);
        assertThat(small.replicator.isWhole()).isFalse();
        assertThat(small.keyspace.cells()).isLessThan(MANY / 2);
        small.remembers = true;
        cluster.pass(A_SECOND);

        assertThat(small.keyspace.cells()).isEqualTo(MANY + 2);
    }

    /// The one that notices last sees another that is whole again.
    @Test
    void nodes_thatHearOneWithFarMore_areWholeWhenItIsGone_thoughTheyNoticeOneAfterTheOther() {
        List<Node> nodes = cluster.startThree();
        Node large = nodes.getLast();
        List<Node> small = nodes.subList(0, 2);
        Node besideLarge = cluster.start();
        cluster.connect();
        cluster.pass(A_SECOND);
        cluster.connect(small);
        cluster.connect(List.of(large, besideLarge));
        for (int i = 0; i < MANY; i++) {
            large.add("new-" + i, 1);
        }
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        cluster.drops = traffic -> small.contains(traffic.from) && !small.contains(traffic.to);
        cluster.reachAll();
        cluster.pass(A_SECOND);
        assertThat(small)
                .allSatisfy(node -> assertThat(node.replicator.isWhole()).isFalse());

        cluster.drops = traffic -> small.contains(traffic.from) != small.contains(traffic.to)
                && !(traffic.to.equals(nodes.get(1)) && traffic.from.equals(large));
        cluster.pass(Duration.ofMillis(400));
        cluster.drops = traffic -> small.contains(traffic.from) != small.contains(traffic.to);
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(small)
                .allSatisfy(node -> assertThat(node.replicator.isWhole()).isTrue());
    }

    /// What the smaller one has may be nowhere else.
    @Test
    void joiner_besideOneWithFarLess_isNotWholeWithoutWhatThatHas() {
        Node small = startAlone(cluster.formerOfMany(MANY / 4, "small"));
        startLarge(MANY);
        cluster.drops =
                traffic -> traffic.kind == Kind.CELLS && (traffic.from.equals(small) || traffic.to.equals(small));
        cluster.connect();
        cluster.pass(A_SECOND);
        Node joiner = cluster.start();
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        assertThat(joiner.keyspace.cells()).isEqualTo(MANY);
        assertThat(joiner.replicator.isWhole()).isFalse();

        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.multipliedBy(2));

        assertThat(joiner.replicator.isWhole()).isTrue();
        assertThat(joiner.keyspace.cells()).isEqualTo(MANY + MANY / 4);
    }

    @Test
    void nodes_thatOneWithFarMoreVisits_areWholeWhenItIsGone() {
        Node one = startAlone(cluster.formerOfMany(MANY / 4, "small"));
        Node other = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        Node visitor = cluster.start(SmallCluster.SETTINGS, cluster.formerOfMany(MANY, "large"));
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && traffic.from.equals(visitor);
        cluster.connect();
        cluster.pass(A_SECOND);
        assertThat(List.of(one.replicator.isWhole(), other.replicator.isWhole()))
                .containsOnly(false);

        cluster.kill(visitor);
        cluster.pass(A_SECOND);

        assertThat(List.of(one.replicator.isWhole(), other.replicator.isWhole()))
                .containsOnly(true);
    }

    /// That has all that it ever had, and knows as little of the rest as this one.
    @Test
    void nodeThatTookSomeOfAVisitor_isNotWholeByOneThatTookNothing() {
        Node one = startAlone(cluster.formerOfMany(MANY / 4, "small"));
        Node other = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        Node visitor = cluster.start(SmallCluster.SETTINGS, cluster.formerOfMany(MANY, "large"));
        cluster.drops = traffic ->
                traffic.kind == Kind.CELLS && (traffic.to.equals(other) || one.keyspace.cells() > MANY * 3 / 8);
        cluster.connect();
        cluster.pass(A_SECOND);

        cluster.kill(visitor);
        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(one.replicator.isWhole()).isFalse();
    }

    /// What that has is a part as well.
    @Test
    void emptyNodeThatServesAlone_besideOneThatHasLess_isNotWholeInTheMidstOfItsPull() {
        Node small = startSmallThatLosesALargeOne();
        Node empty = startAlone(cluster.keyspace());
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && empty.keyspace.cells() > 10;

        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(empty.keyspace.cells()).isBetween(1L, small.keyspace.cells() / 2);
        assertThat(empty.replicator.isWhole()).isFalse();
    }

    /// No vector tells of that.
    @Test
    void newNode_besideOneThatHasLess_hasThatWhenItServes() {
        Node small = startAlone(cluster.keyspace());
        Node large = startLarge(2 * MANY);
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && small.keyspace.cells() > MANY / 2;
        cluster.connect();
        cluster.pass(A_SECOND);
        Node fresh = cluster.start();
        cluster.drops = _ -> false;

        cluster.kill(large);
        while (fresh.replicator.state() != JoinState.READY) {
            cluster.pass(SmallCluster.A_STEP);
        }

        assertThat(fresh.keyspace.cells()).isPositive().isEqualTo(small.keyspace.cells());
    }

    /// They have told each other all that they were whole with.
    @Test
    void nodes_thatGetNothingOfALargerOneForLong_areWholeWhenTheyHaveAll() {
        Node one = startAlone(cluster.formerOfMany(MANY / 4, "small"));
        Node other = cluster.start();
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        Node large = cluster.start(SmallCluster.SETTINGS, cluster.formerOfMany(MANY, "large"));
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && traffic.from.equals(large);
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.multipliedBy(4));
        assertThat(List.of(one.replicator.isWhole(), other.replicator.isWhole()))
                .containsOnly(false);

        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.multipliedBy(2));

        assertThat(List.of(one.replicator.isWhole(), other.replicator.isWhole()))
                .containsOnly(true);
    }

    private Node startSmallThatLosesALargeOne() {
        Node small = startAlone(cluster.formerOfMany(MANY / 4, "small"));
        Node large = startLarge(2 * MANY);
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && small.keyspace.cells() > MANY / 2;
        cluster.connect();
        cluster.pass(A_SECOND);
        cluster.kill(large);
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        assertThat(small.replicator.isWhole()).isFalse();
        return small;
    }

    @Test
    void nodeThatGotAllOfTheLargerOne_isWholeThoughThatLeaves() {
        Node small = startAlone(cluster.keyspace());
        Node large = startLarge(MANY);
        cluster.connect();
        for (int i = 0; i < 20_000 && small.keyspace.cells() < MANY; i++) {
            cluster.pass(SmallCluster.A_STEP);
        }
        cluster.pass(Duration.ofMillis(200));

        cluster.kill(large);
        cluster.pass(A_WHILE);

        assertThat(small.replicator.isWhole()).isTrue();
    }

    @Test
    void nodesOfAboutTheSameSize_stayWhole() {
        Node small = startAlone(cluster.formerOfMany(MANY / 2, "small"));
        Node large = startLarge(MANY);
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;

        cluster.connect();
        for (int i = 0; i < A_WHILE.toMillis(); i++) {
            cluster.pass(Duration.ofMillis(1));
            assertThat(List.of(small.replicator.isWhole(), large.replicator.isWhole()))
                    .containsOnly(true);
        }
    }

    private Node startAlone(Keyspace disk) {
        Node node = cluster.start(SmallCluster.SETTINGS, disk);
        cluster.connect(List.of(node));
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        assertThat(node.replicator.isWhole()).isTrue();
        return node;
    }

    private Node startLarge(int counters) {
        return startAlone(cluster.formerOfMany(counters, "large"));
    }
}
