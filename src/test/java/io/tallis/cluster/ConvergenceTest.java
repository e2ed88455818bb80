package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.metrics.DurationHistogram;
import io.tallis.metrics.Exposition;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ConvergenceTest {
    private final SmallCluster cluster = new SmallCluster();
    private final List<Node> nodes = cluster.startThree();
    private final DurationHistogram durations = nodes.getFirst().replicator.convergence();

    @Test
    void change_isMeasuredForEachPeerThatHasIt() {
        nodes.getFirst().add("likes", 5);
        nodes.getFirst().replicator.await(2, Long.MAX_VALUE, () -> true, _ -> {});
        cluster.pass(SmallCluster.A_MOMENT);

        assertThat(count("0.005")).isEqualTo(2);
        assertThat(durations.total()).isEqualTo(2);
    }

    @Test
    void change_withoutAClientThatWaits_isMeasuredByTheNextBeat() {
        nodes.getFirst().add("likes", 5);
        cluster.pass(SmallCluster.A_SECOND);

        assertThat(count("0.5")).isEqualTo(2);
    }

    @Test
    void change_duringAPartition_isMeasuredWhenThePeerIsBack() {
        Node away = nodes.get(2);
        cluster.drops = traffic -> traffic.from.equals(away) || traffic.to.equals(away);
        nodes.getFirst().add("likes", 5);
        cluster.pass(SmallCluster.LONG_ENOUGH_TO_STAY_AWAY);
        long during = durations.total();
        cluster.drops = _ -> false;
        cluster.pass(SmallCluster.LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(during).isEqualTo(1);
        assertThat(durations.total()).isEqualTo(2);
        assertThat(count("2.5")).isEqualTo(1);
        assertThat(count("10")).isEqualTo(2);
    }

    private long count(String bound) {
        Exposition page = new Exposition();
        page.histogram("a", "A.", durations);
        return page.toString()
                .lines()
                .filter(line -> line.startsWith("a_bucket{le=\"" + bound + "\"} "))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                .sum();
    }
}
