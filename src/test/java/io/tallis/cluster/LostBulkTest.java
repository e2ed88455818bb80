package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_SECOND;
import static io.tallis.cluster.SmallCluster.LONG_ENOUGH_TO_STAY_AWAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.SmallCluster.Traffic;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.join.JoiningSettings;
import io.tallis.cluster.peer.JoinState;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/// Joining beside a member whose frames arrive only if they fit into a packet.
final class LostBulkTest {
    private static final Set<Kind> BULK = EnumSet.of(Kind.VECTOR, Kind.SUMS, Kind.LEAVES, Kind.CELLS);

    private static final Duration JOIN_TIMEOUT = SmallCluster.JOINING.joinTimeout();

    /// Longer than a failed pull and the pause after it.
    private static final Duration LONG_JOIN_TIMEOUT = Duration.ofMinutes(3);

    /// The time that an attempt takes which began before the timeout.
    private static final Duration SLACK = Duration.ofSeconds(25);

    private final SmallCluster cluster = new SmallCluster();

    @Test
    void joiner_whoseTimeoutIsOver_serves() {
        Node joiner = besideAMute(SmallCluster.SETTINGS);

        cluster.pass(JOIN_TIMEOUT.plus(SLACK));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void joiner_withALongTimeout_servesWhenItIsOver() {
        Node joiner = besideAMute(patient());

        cluster.pass(LONG_JOIN_TIMEOUT.plus(SLACK));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void joiner_whileClientsCount_servesWhenItsTimeoutIsOver() {
        Node joiner = besideAMute(SmallCluster.SETTINGS);
        Node member = cluster.nodes.getFirst();

        for (int i = 0; i < JOIN_TIMEOUT.plus(SLACK).toMillis() / 2; i++) {
            member.add("busy-" + i % 50, 1);
            cluster.pass(Duration.ofMillis(2));
        }

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    /// Each pull brings some of the provider's new counts, but nothing of what is missing.
    @Test
    void joiner_whileANodeOutsideOfTheViewCounts_servesWhenItsTimeoutIsOver() {
        Node unseen = cluster.start();
        cluster.pass(SmallCluster.JOINING.aloneTimeout().plus(A_SECOND));
        Node joiner = besideAMute(SmallCluster.SETTINGS);
        Node member = cluster.nodes.get(1);
        List<Node> group = List.copyOf(cluster.nodes.subList(1, 4));
        cluster.reachAll();
        cluster.showOnly(unseen, List.of(unseen));
        group.forEach(node -> cluster.showOnly(node, group));
        Predicate<Traffic> mutes = cluster.drops;
        cluster.drops = traffic -> mutes.test(traffic)
                || traffic.to.equals(unseen)
                || (traffic.from.equals(unseen) && !traffic.to.equals(member));

        for (int i = 0; i < JOIN_TIMEOUT.plus(SLACK).toMillis() / 2; i++) {
            unseen.add("busy-" + i, 1);
            cluster.pass(Duration.ofMillis(2));
        }

        assertThat(joiner.keyspace.cells()).isGreaterThan(10_000);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void cluster_thatStartsBesideASilentMember_serves() {
        Node mute = cluster.start(patient(), cluster.former("likes", "shares"));
        Node one = cluster.start(patient(), cluster.former("likes"));
        Node other = cluster.start(patient(), cluster.former("likes"));
        cluster.drops = traffic -> traffic.from.equals(mute) && BULK.contains(traffic.kind);
        cluster.connect();

        cluster.pass(LONG_JOIN_TIMEOUT.plus(SLACK));

        assertThat(List.of(mute.replicator.state(), one.replicator.state(), other.replicator.state()))
                .containsOnly(JoinState.READY);
    }

    @Test
    void joiner_whoseDonorDoesNotServe_getsWhatAServingNodeHas() {
        Node member = cluster.startOneThatKnowsOfOneWhoIsGone();
        Node donor = cluster.start(SmallCluster.held(), cluster.former("old"));
        cluster.drops = traffic -> traffic.from.equals(member) && traffic.kind == Kind.VECTOR;
        String name = donor.records.registry().known().nameOf(donor.session());
        Node joiner = cluster.start(SmallCluster.settings(new JoiningSettings(
                false, SmallCluster.JOINING.aloneTimeout(), JOIN_TIMEOUT, false, name, 1, "cluster-seeds")));
        cluster.connect();

        for (int i = 0; i < 20_000 && joiner.replicator.state() != JoinState.READY; i++) {
            cluster.pass(Duration.ofMillis(1));
        }

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.value("likes")).isEqualTo(5);
    }

    /// A node starts with counters on disk beside a node that serves and a silent one that has more.
    private Node besideAMute(ReplicationSettings settings) {
        cluster.start(SmallCluster.SETTINGS, cluster.former("likes"));
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        Node mute = cluster.start(SmallCluster.SETTINGS, cluster.former("shares"));
        cluster.drops = traffic -> traffic.from.equals(mute) && BULK.contains(traffic.kind);
        Node joiner = cluster.start(settings, cluster.former("likes"));
        cluster.connect();
        return joiner;
    }

    private static ReplicationSettings patient() {
        return SmallCluster.settings(new JoiningSettings(
                false, SmallCluster.JOINING.aloneTimeout(), LONG_JOIN_TIMEOUT, false, "", 1, "cluster-seeds"));
    }
}
