package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Sweeper;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TimeOfDayTest {
    private static final long HOUR_MILLIS = 3_600_000;

    private final SmallCluster cluster = new SmallCluster();

    @Test
    void clockThatIsWrong_isCorrectedByTheOthers_andCountersLive() {
        List<Node> three = cluster.startThree();
        clockIsAhead(three.get(1), HOUR_MILLIS);
        cluster.pass(Duration.ofSeconds(5));
        assertThat(ahead(three.get(1))).isBetween(-1_000L, 0L);
        assertThat(ahead(three.get(0))).isZero();

        three.getFirst().add("key", 5);
        three.getFirst().expireAt("key", cluster.epochMillis + 60_000);
        cluster.pass(Duration.ofSeconds(1));
        three.get(1).add("key", 2);
        cluster.pass(Duration.ofSeconds(1));

        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.value("key")).isEqualTo(7));
    }

    @Test
    void clockThatIsSetRight_isUsedAgain() {
        List<Node> three = cluster.startThree();
        clockIsAhead(three.get(1), -HOUR_MILLIS);
        cluster.pass(Duration.ofSeconds(5));
        assertThat(ahead(three.get(1))).isGreaterThan(-1_000);

        clockIsAhead(three.get(1), 100);
        cluster.pass(Duration.ofSeconds(10));

        assertThat(ahead(three.get(1))).isEqualTo(100);
    }

    @Test
    void clockThatJumpsBesideOneOther_isNotBelieved() {
        Node one = cluster.start();
        Node other = cluster.start();
        cluster.connect();
        cluster.pass(Duration.ofSeconds(2));

        clockIsAhead(other, HOUR_MILLIS);
        cluster.pass(Duration.ofSeconds(5));

        assertThat(ahead(one)).isZero();
        assertThat(ahead(other)).isZero();
    }

    /// Nothing ends before the clock is compared, so the copy here is as good as those of the others.
    @Test
    void nodeThatStartsWithAWrongClock_endsNothing() {
        List<Node> three = cluster.startThree();
        three.getFirst().add("key", 5);
        three.getFirst().expireAt("key", cluster.epochMillis + 60_000);
        cluster.pass(Duration.ofSeconds(1));
        Node old = three.get(2);
        Keyspace disk = cluster.keyspace();
        SmallCluster.copy(old.keyspace, disk);
        cluster.kill(old);
        cluster.clocks.put(disk.replicas().own().high(), HOUR_MILLIS);

        Node again = cluster.startAgain(old, disk, SmallCluster.SETTINGS);
        new Sweeper(again.keyspace).run();
        cluster.connect();
        cluster.pass(Duration.ofSeconds(10));
        new Sweeper(again.keyspace).run();

        assertThat(cluster.nodes)
                .hasSize(3)
                .allSatisfy(node -> assertThat(node.value("key")).isEqualTo(5));
    }

    private void clockIsAhead(Node node, long millis) {
        cluster.clocks.put(node.session().high(), millis);
    }

    /// Of the time of day, as the node sees it.
    private long ahead(Node node) {
        return cluster.corrections.get(node.session().high());
    }
}
