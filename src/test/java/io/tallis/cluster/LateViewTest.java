package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_SECOND;
import static io.tallis.cluster.SmallCluster.LONG_ENOUGH_TO_STAY_AWAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.frame.Kind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// One of three nodes was paused, and resumes with an old view, while another has crashed.
final class LateViewTest {
    private static final Duration SOON = Duration.ofMillis(1_800);

    private final SmallCluster cluster = new SmallCluster();
    private Node dies;
    private Node stays;
    private Node stopped;

    /// Only the node that stays has the counts of the one that crashes.
    @BeforeEach
    void node_pausedWhileAnotherCrashes_getsAllItMissed() {
        List<Node> nodes = cluster.startThree();
        dies = nodes.get(0);
        stays = nodes.get(1);
        stopped = nodes.get(2);
        stopped.standsStill = true;
        cluster.drops = traffic -> traffic.to.equals(stopped);
        cluster.connect(List.of(dies, stays));
        dies.add("likes", 5);
        cluster.pass(A_SECOND);
        cluster.nodes.remove(dies);
        cluster.connect(List.of(stays));
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
    }

    private Node deadOneStartsAgainAndCounts() {
        Node again = cluster.startAgain(dies);
        cluster.connect(List.of(again, stays));
        cluster.pass(A_SECOND);
        again.add("likes", 3);
        cluster.pass(A_SECOND);
        return again;
    }

    private void goesOn() {
        cluster.drops = _ -> false;
        cluster.reachAll();
        stopped.standsStill = false;
    }

    @Test
    void crashedPeer_thatRestarted_isNotWaitedFor() {
        Node again = deadOneStartsAgainAndCounts();

        goesOn();
        cluster.pass(SOON);

        assertThat(stopped.value("likes")).isEqualTo(8);
        assertThat(again.value("likes")).isEqualTo(8);
    }

    /// It receives only unicasts from nodes that do not have it in their view.
    @Test
    void crashedPeer_thatRestarted_isNotWaitedForWhereMulticastsGoToMembers() {
        cluster.multicastsToMembers = true;
        Node _ = deadOneStartsAgainAndCounts();

        goesOn();
        cluster.pass(A_SECOND);

        assertThat(stopped.sent()).contains(Kind.PULL);
        assertThat(stopped.value("likes")).isEqualTo(8);
    }

    @Test
    void crashedPeer_isSoonNoLongerAsked() {
        goesOn();
        cluster.pass(A_SECOND.plus(SOON));

        assertThat(stopped.value("likes")).isEqualTo(5);
    }
}
