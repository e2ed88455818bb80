package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_SECOND;
import static io.tallis.cluster.SmallCluster.A_WHILE;
import static io.tallis.cluster.SmallCluster.LONG_ENOUGH_TO_STAY_AWAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// When a part is taken for all since an operator wants it to be served.
final class OperatorsWordTest {
    private static final int MANY = 8_000;

    private final SmallCluster cluster = new SmallCluster();

    @Test
    void nodeWithAPart_thatIsToServeWithNobodyElseThere_isWhole() {
        Node part = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("likes"));
        cluster.connect();
        cluster.pass(A_SECOND);

        part.replicator.ready();
        cluster.pass(A_SECOND);
        assertThat(part.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(part.replicator.isWhole()).isFalse();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(part.replicator.isWhole()).isTrue();
    }

    @Test
    void joiner_thatIsToServeBeforeItSeesAnybody_isNotWhole() {
        cluster.startWhole();
        Node joiner = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("likes"));
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        joiner.replicator.ready();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        cluster.connect(List.of(joiner));
        cluster.pass(A_WHILE);

        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.plus(A_SECOND));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.keyspace.cells()).isEqualTo(1);
        assertThat(joiner.replicator.isWhole()).isFalse();
    }

    @Test
    void joiner_thatIsToServeBeforeItHeardTheOthers_isNotWhole() {
        cluster.startWhole();
        Node joiner = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("likes"));
        cluster.drops = traffic -> traffic.kind == Kind.CELLS;
        cluster.connect();

        joiner.replicator.ready();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.plus(A_SECOND));

        assertThat(joiner.keyspace.cells()).isEqualTo(1);
        assertThat(joiner.replicator.isWhole()).isFalse();
    }

    @Test
    void part_thatIsToServeBesideAWholeOne_isNotWholeWhenThatOneIsGone() {
        Node whole = cluster.startWhole();
        Node part = cluster.startPartThatGetsNothing();
        part.replicator.ready();
        cluster.pass(A_SECOND);
        cluster.kill(whole);
        cluster.pass(Duration.ofMinutes(1));
        assertThat(part.replicator.isWhole()).isFalse();

        part.replicator.ready();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.plus(A_SECOND));

        assertThat(part.replicator.isWhole()).isTrue();
    }

    /// The first that is told is whole when the second comes to have what that has, as much as there is: the lost one
    /// had far more.
    @ParameterizedTest
    @ValueSource(ints = {1_500, 15_000})
    void joinersThatLoseAllWholeOnes_areWholeWhenEachIsTold(int pauseMillis) {
        Node whole = cluster.start(SmallCluster.SETTINGS, cluster.formerOfMany(MANY, "large"));
        cluster.connect(List.of(whole));
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && traffic.to.keyspace.cells() > MANY / 10;
        Node one = cluster.start();
        Node other = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        cluster.kill(whole);
        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        one.replicator.ready();
        cluster.pass(Duration.ofMillis(pauseMillis));
        other.replicator.ready();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.multipliedBy(3));

        cluster.assertThatAllAgree();
        assertThat(one.keyspace.cells()).isLessThan(MANY / 2);
        assertThat(List.of(one.replicator.isWhole(), other.replicator.isWhole()))
                .containsOnly(true);
    }

    @Test
    void newNode_thatIsToServeBesideAPart_isNotWholeBeforeItHasThatPart() {
        Node part = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("likes", "shares"));
        Node fresh = cluster.start();
        cluster.drops = traffic -> traffic.kind == Kind.CELLS && traffic.to.equals(fresh);
        cluster.connect();
        cluster.pass(A_SECOND);
        fresh.replicator.ready();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.plus(A_WHILE));
        assertThat(fresh.replicator.isWhole()).isFalse();

        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.multipliedBy(2));

        assertThat(fresh.replicator.isWhole()).isTrue();
        assertThat(part.replicator.isWhole()).isTrue();
        assertThat(fresh.keyspace.cells()).isEqualTo(2);
    }

    @Test
    void part_thatIsToServeAndStandsStill_isNotWholeBeforeItHasWaited() {
        Node part = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("likes"));
        cluster.connect();
        cluster.pass(A_SECOND);
        part.replicator.ready();
        cluster.pass(Duration.ofMillis(100));

        part.standsStill = true;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.multipliedBy(2));
        part.standsStill = false;
        cluster.pass(A_SECOND);

        assertThat(part.replicator.isWhole()).isFalse();
    }

    @Test
    void part_thatIsToServeBesideAMuteMember_isNotWhole() {
        Node whole = cluster.startWhole();
        Node part = cluster.start(SmallCluster.SETTINGS.withPart(), cluster.former("likes"));
        cluster.drops = traffic -> traffic.from.equals(whole);
        cluster.connect();
        cluster.pass(A_SECOND);

        part.replicator.ready();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY.multipliedBy(2));

        assertThat(part.replicator.isWhole()).isFalse();
    }
}
