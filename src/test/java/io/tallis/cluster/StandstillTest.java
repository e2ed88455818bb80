package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_SECOND;
import static io.tallis.cluster.SmallCluster.A_STEP;
import static io.tallis.cluster.SmallCluster.A_WHILE;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.keyspace.Sweeper;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A node stands still for long, and goes on before it has heard of what the others did meanwhile.
final class StandstillTest {
    private final SmallCluster cluster = new SmallCluster();
    private final List<Node> three = cluster.startThree();
    private final Node still = three.getFirst();
    private final Node other = three.get(1);

    /// The others have a reset of what the node had counted, which may not reach into what it counts now.
    @Test
    void droppedCounter_thatAnotherNodeHadUsedAgain_countsAtTheOthersAtOnce() {
        still.add("key", 5);
        still.expireAt("key", cluster.epochMillis + 10_000);
        cluster.pass(A_SECOND);
        standStill();
        passTimeOfDay(10_000);
        other.add("key", 2);
        passTimeOfDay(70_000);

        goOn();
        assertThat(still.keyspace.cells()).isZero();
        still.add("key", 7);
        cluster.pass(A_WHILE);

        assertThat(other.value("key")).isEqualTo(9);
    }

    @Test
    void counterThatAnotherNodeHadExtended_isNotReset() {
        still.add("key", 5);
        still.expireAt("key", cluster.epochMillis + 100_000);
        still.expireAt("key", cluster.epochMillis + 10_000);
        cluster.pass(A_SECOND);
        standStill();
        other.expireAt("key", cluster.epochMillis + 200_000);
        cluster.pass(A_SECOND);
        passTimeOfDay(71_000);

        goOn();
        cluster.drops = _ -> false;
        cluster.pass(A_WHILE);

        assertThat(three).allSatisfy(node -> assertThat(node.value("key")).isEqualTo(5));
    }

    /// The rotation would show it what the others have kept, too, but only after a minute or more.
    @Test
    void counterThatOthersExtended_whereItWasDropped_isTheSameOnAllSoonAfter() {
        still.add("key", 5);
        still.expireAt("key", cluster.epochMillis + 10_000);
        cluster.pass(A_SECOND);
        standStill();
        other.add("key", 100);
        other.expireAt("key", cluster.epochMillis + 500_000);
        passSeconds(80);

        goOn();
        assertThat(still.keyspace.cells()).isZero();
        assertThat(other.value("key")).isEqualTo(105);
        cluster.drops = _ -> false;
        passSeconds(5);

        assertThat(three).allSatisfy(node -> assertThat(node.value("key")).isEqualTo(105));
    }

    private void standStill() {
        still.standsStill = true;
        cluster.drops = traffic -> traffic.to.equals(still);
    }

    private void goOn() {
        still.standsStill = false;
        cluster.pass(A_STEP);
        new Sweeper(still.keyspace).run();
    }

    private void passSeconds(int seconds) {
        for (int i = 0; i < seconds; i++) {
            passTimeOfDay(1_000);
        }
    }

    private void passTimeOfDay(long millis) {
        cluster.epochMillis += millis;
        cluster.pass(Duration.ofMillis(millis));
    }
}
