package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_MOMENT;
import static io.tallis.cluster.SmallCluster.A_SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.SmallCluster.Traffic;
import io.tallis.cluster.delta.Batch;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.peer.JoinState;
import io.tallis.keyspace.Keyspace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// When the rotation sends cells again, and in which frames.
final class RotationTest {
    private static final int CELLS = 20_000;
    private static final Duration A_STEP = Duration.ofNanos(500_000);

    private final SmallCluster cluster = new SmallCluster();

    @Test
    @Timeout(60)
    void frames_withFewCells_areNotSent() {
        List<Integer> sizes = new ArrayList<>();
        cluster.watcher = traffic -> {
            if (traffic.kind == Kind.CELLS_AGAIN) {
                sizes.add(traffic.frame.length);
            }
        };

        startThreeWithCells(100_000);
        cluster.pass(A_SECOND);

        // The last frame of a round holds what is left.
        assertThat(sizes).hasSizeGreaterThan(30);
        assertThat(sizes.stream().filter(size -> size < Batch.FRAME_BYTES / 2)).hasSizeLessThan(10);
    }

    @Test
    void framesOfOwnCells_areFull() {
        List<Integer> sizes = new ArrayList<>();
        Node node = cluster.start(settings(100_000));
        cluster.start(settings(0));
        cluster.connect();
        node.replicator.ready();
        for (int cell = 0; cell < 5_000; cell++) {
            node.add("a-cell-with-a-name-of-some-length-" + cell, 1);
        }
        cluster.watcher = traffic -> {
            if (traffic.kind == Kind.CELLS_AGAIN) {
                sizes.add(traffic.frame.length);
            }
        };

        cluster.pass(A_SECOND.multipliedBy(4));

        assertThat(sizes).hasSizeGreaterThan(20);
        assertThat(sizes.stream().filter(size -> size < Batch.FRAME_BYTES / 2)).hasSizeLessThan(2);
    }

    @Test
    @Timeout(60)
    void provider_thatServesPullsWithoutEnd_rotatesOnceASecond() {
        startThreeWithCells(100_000);
        List<Traffic> questions = new ArrayList<>();
        cluster.watcher = traffic -> {
            if (traffic.kind == Kind.PULL) {
                questions.add(traffic);
            }
        };
        Node joiner = cluster.start(settings(100_000));
        cluster.connect();
        while (joiner.replicator.state() != JoinState.READY) {
            cluster.pass(A_MOMENT);
        }
        Traffic question = questions.getLast();
        List<Traffic> again = new ArrayList<>();
        cluster.watcher = traffic -> {
            if (traffic.kind == Kind.CELLS_AGAIN && traffic.from.equals(question.to) && traffic.to.equals(joiner)) {
                again.add(traffic);
            }
        };

        for (int i = 0; i < 100; i++) {
            question.arrive();
            cluster.pass(Duration.ofMillis(50));
        }

        assertThat(again).hasSizeBetween(4, 10);
    }

    @Test
    @Timeout(60)
    void nodes_whileAPullIsUnderWay_doNotRotate() {
        startThreeWithCells(300_000);
        Set<Node> givers = new HashSet<>();
        List<Node> rotating = new ArrayList<>();
        List<Node> before = new ArrayList<>();
        cluster.watcher = traffic -> {
            if (traffic.kind == Kind.CELLS) {
                givers.add(traffic.from);
            } else if (traffic.kind == Kind.CELLS_AGAIN) {
                (givers.contains(traffic.from) ? rotating : before).add(traffic.from);
            }
        };

        Node joiner = cluster.start(settings(300_000));
        cluster.connect();
        List<Kind> sentWhileJoining = List.of();
        List<Node> rotatingMeanwhile = List.of();
        while (joiner.replicator.state() != JoinState.READY) {
            sentWhileJoining = joiner.sent();
            rotatingMeanwhile = List.copyOf(rotating);
            cluster.pass(A_STEP);
        }
        cluster.pass(A_SECOND);

        assertThat(before).isNotEmpty();
        assertThat(givers).hasSize(3);
        assertThat(sentWhileJoining).contains(Kind.PULL).doesNotContain(Kind.CELLS_AGAIN);
        assertThat(rotatingMeanwhile).isEmpty();
        assertThat(rotating).containsAll(givers);
        assertThat(joiner.sent()).contains(Kind.CELLS_AGAIN);
    }

    private void startThreeWithCells(long bytesPerSecond) {
        for (int i = 0; i < 3; i++) {
            Keyspace disk = cluster.keyspace();
            for (int cell = 0; cell < CELLS; cell++) {
                SmallCluster.addFormer(disk, "cell-" + cell, 1);
            }
            cluster.start(settings(bytesPerSecond), disk);
        }
        cluster.connect();
        while (!cluster.nodes.stream().allMatch(node -> node.replicator.state() == JoinState.READY)) {
            cluster.pass(A_MOMENT);
        }
    }

    private static ReplicationSettings settings(long bytesPerSecond) {
        return new ReplicationSettings(
                SmallCluster.JOINING,
                1 << 26,
                bytesPerSecond,
                Long.MAX_VALUE,
                Frame.OLDEST_VERSION,
                SmallCluster.FOLD_AFTER_NANOS);
    }
}
