package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_MOMENT;
import static io.tallis.cluster.SmallCluster.A_SECOND;
import static io.tallis.cluster.SmallCluster.A_WHILE;
import static io.tallis.cluster.SmallCluster.LONG_ENOUGH_TO_STAY_AWAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Frame.BadFrameException;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.join.JoiningSettings;
import io.tallis.cluster.peer.JoinState;
import io.tallis.keyspace.Keyspace;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests of pulls: how a node that starts gets what it lacks.
final class PullingTest {
    private final SmallCluster cluster = new SmallCluster();

    @Test
    void joiner_withAnEmptyDisk_getsAllBeforeItIsReady() {
        List<Node> nodes = cluster.startThree();
        for (int i = 0; i < 5_000; i++) {
            nodes.get(i % 3).add("key-" + i, i);
        }
        cluster.pass(A_WHILE);

        Node joiner = cluster.start();
        cluster.connect();
        while (joiner.replicator.state() != JoinState.READY) {
            cluster.pass(A_MOMENT);
        }

        assertThat(joiner.value("key-4999")).isEqualTo(4_999);
        cluster.assertThatAllAgree();
    }

    @Test
    void joiner_thatLosesAllPeersWhileItPulls_doesNotServeUntilItHasAll() {
        List<Node> members = cluster.startThree();
        Node joiner = startUntilItPullsFrom(members);

        cluster.connect(List.of(joiner));
        cluster.connect(members);
        cluster.pass(Duration.ofSeconds(4));
        JoinState whenCutOff = joiner.replicator.state();
        cluster.connect();
        while (joiner.replicator.state() != JoinState.READY) {
            cluster.pass(A_MOMENT);
        }

        assertThat(whenCutOff).isEqualTo(JoinState.SEEKING);
        assertThat(joiner.value("key-4999")).isEqualTo(4_999);
        cluster.assertThatAllAgree();
    }

    @Test
    void joiner_whoseProvidersAllStop_waitsForSystemReady() {
        List<Node> nodes = List.copyOf(cluster.startThree());
        Node joiner = startUntilItPullsFrom(nodes);

        nodes.forEach(cluster::kill);
        cluster.pass(SmallCluster.JOINING.joinTimeout().multipliedBy(2));
        JoinState late = joiner.replicator.state();
        joiner.replicator.ready();

        assertThat(late).isEqualTo(JoinState.SEEKING);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void joiners_whoseOnlyProviderStops_doNotBecomeCompleteFromEachOther() {
        Node provider = cluster.start();
        cluster.connect();
        cluster.pass(SmallCluster.LONG_ENOUGH_TO_STAY_AWAY);
        for (int i = 0; i < 20_000; i++) {
            provider.add("key-" + i, 1);
        }
        cluster.pass(A_WHILE);
        Node one = cluster.start();
        Node other = cluster.start();
        cluster.connect();
        while (one.keyspace.cells() < 3_000 || other.keyspace.cells() < 3_000) {
            cluster.pass(Duration.ofMillis(1));
        }

        cluster.nodes.remove(provider);
        cluster.connect();
        cluster.pass(Duration.ofMillis(2_500));
        assertThat(List.of(one.replicator.state(), other.replicator.state())).doesNotContain(JoinState.READY);
        cluster.nodes.add(provider);
        cluster.connect();
        cluster.pass(A_WHILE);

        assertThat(List.of(one.replicator.state(), other.replicator.state())).containsOnly(JoinState.READY);
        assertThat(one.keyspace.cells()).isEqualTo(20_000);
        cluster.assertThatAllAgree();
    }

    /// The same piece again, or one that was not asked for.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void joiner_whoseProviderSendsUselessAnswers_pullsFromAnother(boolean otherPiece) {
        Node good = cluster.start();
        Node liar = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        for (int i = 0; i < 3_000; i++) {
            good.add("key-" + i, 1);
        }
        cluster.pass(A_WHILE);
        Node joiner = cluster.start();
        cluster.watcher = traffic -> {
            if (traffic.kind == Kind.CELLS && traffic.from.equals(liar)) {
                stayWhereItBegan(traffic.frame, otherPiece);
            }
        };
        cluster.connect();

        cluster.pass(Duration.ofSeconds(40));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.keyspace.cells()).isEqualTo(3_000);
    }

    /// It stays in the view and its frames arrive, but each one that is larger than a packet is lost.
    @Test
    void joiner_whoseProviderBecomesSilent_getsAllFromAnotherInTime() {
        Node mute = cluster.start(SmallCluster.SETTINGS, disk(3_000));
        Node other = cluster.start(SmallCluster.SETTINGS, disk(3_000));
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        Node joiner = cluster.start();
        AtomicInteger answers = new AtomicInteger();
        cluster.drops = traffic -> {
            boolean bulk = traffic.from.equals(mute) && traffic.to.equals(joiner) && traffic.kind == Kind.CELLS;
            int answer = bulk ? answers.incrementAndGet() : 0;
            return (answer > 10 && answer <= 18) || answer > 21;
        };
        cluster.connect();

        int seconds = 0;
        for (; joiner.replicator.state() != JoinState.READY && seconds < 60; seconds++) {
            cluster.pass(A_SECOND);
        }

        assertThat(answers.get()).isGreaterThan(21);
        assertThat(joiner.keyspace.cells()).isEqualTo(other.keyspace.cells());
        assertThat(seconds).isLessThan(20);
    }

    /// No later request is answered, which would show that these are lost.
    @Test
    void lastAnswersOfAPull_whenLost_areAskedForAgainTogether() {
        Node member = cluster.start(SmallCluster.SETTINGS, disk(10_000));
        cluster.connect(List.of(member));
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        Node joiner = cluster.start();
        Set<Integer> lost = new HashSet<>();
        cluster.drops = traffic -> traffic.kind == Kind.CELLS
                && partitionOf(traffic.frame) >= Keyspace.PARTITIONS - 4
                && lost.add(partitionOf(traffic.frame));
        cluster.connect();

        cluster.pass(Duration.ofSeconds(3));

        assertThat(lost).hasSize(4);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    private static int partitionOf(byte[] cells) {
        try {
            ByteReader body = Frame.read(cells.clone(), Frame.OLDEST_VERSION).body();
            body.i32();
            return (int) body.varint();
        } catch (BadFrameException | MalformedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    /// A keyspace with so many counters of an earlier session, as if loaded from disk.
    private Keyspace disk(int counters) {
        Keyspace disk = cluster.keyspace();
        for (int i = 0; i < counters; i++) {
            SmallCluster.addFormer(disk, "key-" + i, 5);
        }
        return disk;
    }

    /// Makes a piece of a pull continue from where it began.
    private static void stayWhereItBegan(byte[] frame, boolean otherPiece) {
        try {
            ByteReader body = Frame.read(frame.clone(), Frame.OLDEST_VERSION).body();
            body.i32();
            body.varint();
            int from = body.position();
            if (otherPiece) {
                frame[from] ^= 1;
            } else {
                System.arraycopy(frame, from, frame, from + Long.BYTES, Long.BYTES);
            }
            ByteWriter sealed = new ByteWriter(frame.length);
            sealed.bytes(frame, 0, frame.length);
            System.arraycopy(Frame.seal(sealed, Frame.OLDEST_VERSION), 0, frame, 0, frame.length);
        } catch (BadFrameException | MalformedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    @Test
    void joiner_whoseDonorIsUnreachable_waitsForItAndThenPullsFromOthers() {
        List<Node> nodes = cluster.startThree();
        nodes.getFirst().add("likes", 5);
        cluster.pass(A_MOMENT);

        Node joiner = cluster.start(settings(SmallCluster.JOINING.joinTimeout(), 1 << 26, "nobody"));
        cluster.connect();
        cluster.pass(A_WHILE);
        JoinState whileItWaits = joiner.replicator.state();
        cluster.pass(Duration.ofSeconds(10));

        assertThat(whileItWaits).isEqualTo(JoinState.SEEKING);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.value("likes")).isEqualTo(5);
    }

    @Test
    void joiner_whoseDiskHasMore_bringsItToAllOthers() {
        List<Node> nodes = cluster.startThree();
        Keyspace disk = cluster.keyspace();
        SmallCluster.addFormer(disk, "old", 7);

        Node joiner = cluster.start(SmallCluster.SETTINGS, disk);
        cluster.connect();
        cluster.pass(A_WHILE);

        assertThat(nodes).allSatisfy(node -> assertThat(node.value("old")).isEqualTo(7));
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void nodes_startedTogetherWithDifferentDisks_converge() {
        for (int i = 0; i < 3; i++) {
            Keyspace disk = cluster.keyspace();
            SmallCluster.addFormer(disk, "old-" + i, 7);
            cluster.start(SmallCluster.SETTINGS, disk);
        }

        cluster.connect();
        cluster.pass(A_WHILE);

        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
            assertThat(node.value("old-0") + node.value("old-1") + node.value("old-2"))
                    .isEqualTo(21);
        });
    }

    /// A crashed node's changes are all at one member and partly at the other; a joiner pulls half of the partitions
    /// from each.
    @Test
    void joiner_whoseProvidersHaveDifferentPartsOfACrashedSession_servesWithAllOfThem() {
        Node knows = cluster.start();
        Node lacks = cluster.start();
        Node writer = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        knows.add("likes", 1);
        cluster.pass(A_WHILE);
        cluster.drops = traffic -> traffic.to.equals(lacks) && !traffic.from.equals(knows);
        for (int i = 0; i < 200; i++) {
            writer.add("key-" + i, 1);
        }
        cluster.pass(A_SECOND);
        cluster.kill(writer);
        cluster.drops =
                traffic -> traffic.kind == Kind.VECTOR || (traffic.kind == Kind.SUMS_ASK && traffic.from.equals(lacks));
        Node joiner = cluster.start();
        cluster.connect();

        for (int i = 0; i < 5_000 && joiner.replicator.state() != JoinState.READY; i++) {
            cluster.pass(Duration.ofMillis(1));
            if (i == 2_000) {
                cluster.drops = _ -> false;
            }
        }

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.keyspace.cells()).isEqualTo(201);
    }

    /// A node that returned asks for so much that the answer takes seconds.
    @Test
    void joiner_whoseProviderAnswersOthers_pulls() {
        ReplicationSettings slow = settings(SmallCluster.JOINING.joinTimeout(), 200_000);
        Node provider = cluster.start(slow);
        Node cutOff = cluster.start(slow);
        cluster.connect();
        cluster.pass(A_WHILE);
        cluster.connect(List.of(provider));
        cluster.connect(List.of(cutOff));
        for (int i = 0; i < 200_000; i++) {
            provider.add("key-" + i, 1);
        }
        cluster.pass(Duration.ofSeconds(20));
        cluster.connect();
        cluster.pass(A_WHILE);
        Node joiner = cluster.start(settings(SmallCluster.JOINING.joinTimeout(), 200_000, "node-1"));
        cluster.connect();

        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(cutOff.keyspace.cells()).isBetween(1_000L, 199_000L);
        assertThat(joiner.keyspace.cells()).isGreaterThan(1_000);
    }

    @Test
    void joiner_thatMakesProgress_mayTakeLongerThanItsTimeout() {
        ReplicationSettings slow = settings(A_SECOND, 1 << 15);
        Node member = cluster.start(slow);
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        for (int i = 0; i < 20_000; i++) {
            member.add("key-" + i, i);
        }
        cluster.pass(Duration.ofSeconds(20));
        Node joiner = cluster.start(slow);
        cluster.connect();

        int seconds = 0;
        for (; joiner.replicator.state() != JoinState.READY && seconds < 60; seconds++) {
            cluster.pass(A_SECOND);
        }

        assertThat(seconds).isGreaterThan(2);
        cluster.assertThatAllAgree();
    }

    private static ReplicationSettings settings(Duration joinTimeout, long bulkBytesPerSecond) {
        return settings(joinTimeout, bulkBytesPerSecond, "");
    }

    private static ReplicationSettings settings(Duration joinTimeout, long bulkBytesPerSecond, String donor) {
        JoiningSettings joining = new JoiningSettings(
                false, SmallCluster.JOINING.aloneTimeout(), joinTimeout, false, donor, 1, "cluster-seeds");
        return new ReplicationSettings(
                joining, bulkBytesPerSecond, 0, Long.MAX_VALUE, Frame.OLDEST_VERSION, SmallCluster.FOLD_AFTER_NANOS);
    }

    private Node startUntilItPullsFrom(List<Node> nodes) {
        for (int i = 0; i < 5_000; i++) {
            nodes.getFirst().add("key-" + i, i);
        }
        cluster.pass(A_WHILE);
        Node joiner = cluster.start();
        cluster.connect();
        while (joiner.replicator.state() != JoinState.PULLING) {
            cluster.pass(A_MOMENT);
        }
        return joiner;
    }
}
