package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.SmallCluster.Traffic;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Frame.DropReason;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.frame.Transport;
import io.tallis.cluster.peer.Beat;
import io.tallis.cluster.peer.FoldNews;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Known;
import io.tallis.cluster.peer.PurgeNews;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.peer.Vector;
import io.tallis.cluster.peer.Vitals;
import io.tallis.cluster.records.Event;
import io.tallis.cluster.records.Self;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The bounds of what nodes send, whatever clients want, the line allows, or a peer claims.
final class BoundsTest {
    private static final Duration A_MILLISECOND = Duration.ofMillis(1);
    private static final Duration A_WHILE = Duration.ofSeconds(2);
    private static final int LONG_KEY = 60_000;

    private final SmallCluster cluster = new SmallCluster();

    @Test
    void clients_thatWaitAllTheTime_causeABoundedNumberOfBeats() {
        List<Node> nodes = Stream.generate(cluster::start).limit(20).toList();
        cluster.connect();
        cluster.pass(A_WHILE);
        AtomicInteger beats = new AtomicInteger();
        cluster.watcher = traffic -> beats.addAndGet(
                traffic.kind == Kind.BEAT && traffic.from.equals(nodes.getFirst()) && traffic.to.equals(nodes.getLast())
                        ? 1
                        : 0);

        for (int i = 0; i < 1_000; i++) {
            nodes.getFirst().add("visits", 1);
            nodes.getFirst().replicator.await(3, A_WHILE.toNanos(), () -> true, _ -> {});
            cluster.pass(A_MILLISECOND);
        }

        assertThat(beats).hasValueBetween(150, 210);
    }

    @Test
    void changes_ofLargeCells_areSentInSeveralFlushes() {
        Node node = cluster.start();
        Node other = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        for (int i = 0; i < 200; i++) {
            node.add("k".repeat(LONG_KEY) + i, 1);
        }
        long before = node.bytesSent();

        cluster.pass(A_MILLISECOND);

        assertThat(node.bytesSent() - before).isLessThan(20L * LONG_KEY);
        cluster.pass(A_WHILE);
        assertThat(other.keyspace.cells()).isEqualTo(200);
    }

    /// What was asked for and is in transit is not sent again.
    @ParameterizedTest
    @ValueSource(ints = {50, 100, 1_000})
    void repair_overASlowLine_doesNotFillIt(int bytesPerMilli) {
        int cells = 20_000;
        Node ahead = cluster.start();
        Node behind = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        cluster.connect(List.of(ahead));
        cluster.connect(List.of(behind));
        for (int i = 0; i < cells; i++) {
            ahead.add("a-key-of-some-length-" + i, 1);
        }
        cluster.pass(A_WHILE);
        SlowLine line = new SlowLine(behind, bytesPerMilli);
        cluster.drops = line::takes;
        cluster.connect();

        int millis = 0;
        for (; behind.keyspace.cells() < cells && millis < 60_000; millis++) {
            cluster.pass(A_MILLISECOND);
            line.carry();
        }

        assertThat(behind.keyspace.cells()).isEqualTo(cells);
        assertThat(line.bytes).isLessThan(2_500_000);
        assertThat(line.most).isLessThan(1_200_000);
    }

    /// A line to one node that carries so many bytes a millisecond, in order.
    private static final class SlowLine {
        private final Node to;
        private final int bytesPerMilli;
        private final Queue<Traffic> queue = new ArrayDeque<>();
        private long credit;
        private long queued;
        private long most;
        private long bytes;

        SlowLine(Node to, int bytesPerMilli) {
            this.to = to;
            this.bytesPerMilli = bytesPerMilli;
        }

        boolean takes(Traffic traffic) {
            if (!traffic.to.equals(to)) {
                return false;
            }
            queue.add(traffic);
            bytes += traffic.frame.length;
            queued += traffic.frame.length;
            most = Math.max(most, queued);
            return true;
        }

        void carry() {
            credit += bytesPerMilli;
            while (!queue.isEmpty() && queue.element().frame.length <= credit) {
                Traffic traffic = queue.remove();
                credit -= traffic.frame.length;
                queued -= traffic.frame.length;
                traffic.arrive();
            }
            if (queue.isEmpty()) {
                credit = 0;
            }
        }
    }

    /// On this line an answer takes longer than the usual timeout.
    @Test
    void pull_atALowRate_bringsEverythingOnce() {
        int keys = 60;
        Node provider = cluster.start(new ReplicationSettings(
                SmallCluster.JOINING, 64_000, 0, Long.MAX_VALUE, Frame.OLDEST_VERSION, SmallCluster.FOLD_AFTER_NANOS));
        cluster.connect();
        cluster.pass(Duration.ofSeconds(5));
        for (int i = 0; i < keys; i++) {
            provider.add(String.valueOf((char) ('0' + i)).repeat(LONG_KEY), 1);
        }
        cluster.pass(Duration.ofSeconds(90));
        long before = provider.bytesSent();

        Node joiner = cluster.start();
        cluster.connect();
        cluster.pass(Duration.ofSeconds(90));

        assertThat(joiner.keyspace.cells()).isEqualTo(keys);
        assertThat(provider.bytesSent() - before).isLessThan(11L * keys * LONG_KEY / 10);
        assertThat(joiner.records.chronicle().newest(1_000))
                .extracting(Event::text)
                .noneMatch(text -> text.contains("stopped pulling"));
    }

    @Test
    void peer_thatClaimsMoreThanItGives_isPulledFromLessAndLessOften() {
        Node liar = cluster.start();
        cluster.connect();
        cluster.pass(Duration.ofSeconds(5));
        liar.add("likes", 1);
        cluster.pass(A_WHILE);
        Node joiner = cluster.start();
        cluster.connect();
        cluster.drops = traffic -> traffic.kind == Kind.BEAT && traffic.from.equals(liar);
        Sender lies = new Sender(new To(joiner, liar.session()), liar.session());

        for (int i = 0; i < 1_000; i++) {
            Vector vector = new Vector();
            vector.raise(new ReplicaId(99, 99), new Known(7, 0));
            Self self = new Self(new UUID(1, 1), "liar", "");
            new Beat(
                            1,
                            false,
                            1_000 + i,
                            0,
                            0,
                            JoinState.READY,
                            Standing.NONE,
                            self,
                            0,
                            0,
                            0,
                            FoldNews.NONE,
                            PurgeNews.NONE,
                            Vitals.NONE,
                            vector)
                    .write(lies.begin(Kind.BEAT));
            lies.multicast();
            cluster.pass(Duration.ofMillis(200));
        }

        assertThat(joiner.value("likes")).isOne();
        assertThat(joiner.replicator.status().repairs().pulls()).isLessThan(20);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void shards_ofMoreReplicasThanHaveNumbers_areDroppedAndOwnChangesGoOn() {
        Node full = cluster.start(SmallCluster.SETTINGS, cluster.keyspace(20));
        Node other = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        Sender mad = new Sender(new To(full, other.session()), other.session());

        for (int i = 0; i < 100; i++) {
            cell(new ReplicaId(99, i), 1, mad.begin(Kind.CELLS_AGAIN));
            mad.multicast();
            cluster.pass(Duration.ofNanos(1));
        }
        full.add("likes", 1);
        cluster.pass(A_WHILE);

        assertThat(full.keyspace.replicas().count()).isEqualTo(20);
        assertThat(full.keyspace.cells()).isBetween(15L, 20L);
        assertThat(full.replicator.status().frames().dropped()).containsKey(DropReason.MEMORY_FULL);
        assertThat(other.value("likes")).isOne();
    }

    /// Replica ids take memory even if the cells that they came in are dropped.
    @Test
    void shards_ofReplicasThatTakeAllMemory_areDropped() {
        ReplicationSettings small = new ReplicationSettings(
                SmallCluster.JOINING, 1 << 26, 0, 1 << 20, Frame.OLDEST_VERSION, SmallCluster.FOLD_AFTER_NANOS);
        Node full = cluster.start(small);
        Node other = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        Sender mad = new Sender(new To(full, other.session()), other.session());

        for (int i = 0; i < 50_000; i++) {
            cell(new ReplicaId(99, i), 2, mad.begin(Kind.CELLS_AGAIN));
            mad.multicast();
            cluster.pass(Duration.ofNanos(1));
        }

        assertThat(full.keyspace.replicas().count()).isBetween(5_000, 12_000);
        assertThat(full.keyspace.cells()).isZero();
    }

    /// Two frames of allowed size could together make a cell that is too large for a frame.
    @Test
    void counter_withMoreShardsThanAFrameHolds_isNotMergedAndAllOthersAre() {
        Node node = cluster.start();
        Node other = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        Sender mad = new Sender(new To(node, other.session()), other.session());

        for (int part = 0; part < 2; part++) {
            ByteWriter out = mad.begin(Kind.CELLS_AGAIN);
            cellOfMany("likes", part * 40_000, 40_000, out);
            cellOfMany("shares-" + part, 0, 1, out);
            mad.multicast();
            cluster.pass(A_MILLISECOND);
        }
        other.add("likes", 5);
        other.add("visits", 5);
        cluster.pass(A_WHILE);

        assertThat(node.value("likes")).isEqualTo(40_005);
        assertThat(List.of(node.value("shares-0"), node.value("shares-1"))).containsOnly(1L);
        assertThat(node.value("visits")).isEqualTo(5);
        assertThat(node.replicator.status().frames().dropped()).containsKey(DropReason.MEMORY_FULL);
    }

    /// A counter with shards of so many replicas, of 1 each.
    private static void cellOfMany(String name, int firstReplica, int replicas, ByteWriter out) {
        byte[] key = name.getBytes(StandardCharsets.US_ASCII);
        new CellCodec(new Replicas(new ReplicaId(99, 0))).encodeKey(CounterType.PNCOUNT, key, 0, key.length, out);
        out.varint(2L * replicas);
        for (int i = 0; i < replicas; i++) {
            out.u8(1);
            CellCodec.encodeId(new ReplicaId(99, firstReplica + i), out);
            out.varint(1);
        }
    }

    /// A cell of its own key with a shard of one replica; malformed if the shard is there more than once.
    private static void cell(ReplicaId replica, int shards, ByteWriter out) {
        byte[] key = replica.toString().getBytes(StandardCharsets.US_ASCII);
        new CellCodec(new Replicas(replica)).encodeKey(CounterType.PNCOUNT, key, 0, key.length, out);
        out.varint(2L * shards);
        for (int i = 0; i < shards; i++) {
            out.u8(1);
            CellCodec.encodeId(replica, out);
            out.varint(1);
        }
    }

    /// Delivers frames of one session to one node.
    private record To(Node node, ReplicaId from) implements Transport {
        @Override
        public void multicast(byte[] frame) {
            node.replicator.onFrame(from, frame);
        }

        @Override
        public void send(ReplicaId to, byte[] frame) {
            throw new IllegalStateException("to all or nobody");
        }

        @Override
        public void sendUnreliably(ReplicaId to, byte[] frame) {
            throw new IllegalStateException("to all or nobody");
        }
    }
}
