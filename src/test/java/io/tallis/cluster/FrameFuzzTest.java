package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.SmallCluster.Traffic;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Kind;
import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.testing.Gen;
import io.tallis.wire.ByteWriter;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Frames as a faulty peer could make them: with valid checksums, of reachable sessions, in the middle of all that
/// nodes do with each other. They may bring wrong counts, as any peer may; they must stop nobody, take no memory to
/// speak of, and lower nothing.
final class FrameFuzzTest {
    private static final int SEEDS = 30;
    private static final int KEYS = 40;
    private static final long MOST_ALLOCATED = 1 << 22;
    private static final Duration A_MOMENT = Duration.ofMillis(20);

    private static final ReplicationSettings SETTINGS =
            new ReplicationSettings(SmallCluster.JOINING, 1 << 26, 1 << 20, Long.MAX_VALUE, Frame.OLDEST_VERSION, 0);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Set<Kind> met = EnumSet.noneOf(Kind.class);
    private final List<Traffic> seen = new ArrayList<>();
    private int refused;
    private int delivered;

    @Test
    void frames_ofAFaultyPeer_stopNoNodeAndLowerNothing() {
        for (int seed = 1; seed <= SEEDS; seed++) {
            live(new Gen(seed));
        }

        assertThat(met).containsExactlyInAnyOrder(Kind.values());
        assertThat(refused).isGreaterThan(500);
        assertThat(delivered).isGreaterThan(2 * refused);
    }

    /// Some seconds in which nodes come and go, frames are lost and peers send wrong frames.
    private void live(Gen gen) {
        SmallCluster cluster = new SmallCluster();
        seen.clear();
        cluster.drops = _ -> gen.chance(5);
        cluster.watcher = traffic -> {
            met.add(traffic.kind);
            seen.add(traffic);
            if (gen.chance(10)) {
                deliver(mad(traffic, gen), traffic);
            }
        };
        for (int i = 0; i < 3; i++) {
            cluster.start(SETTINGS);
        }
        cluster.connect();
        cluster.pass(SmallCluster.A_SECOND);
        restart(cluster);
        restart(cluster);
        for (int step = 0; step < 40; step++) {
            change(cluster, gen);
            cluster.pass(A_MOMENT);
            if (gen.chance(10)) {
                comeAndGo(cluster, gen);
            }
        }
        for (Node node : cluster.nodes) {
            for (long dropped : node.replicator.status().frames().dropped().values()) {
                refused += (int) dropped;
            }
        }
        Node last = cluster.nodes.getLast();
        last.add("afterwards", 1);
        assertThat(last.value("afterwards")).isEqualTo(1);
    }

    /// A node that has been started again twice has sessions to be folded.
    private static void restart(SmallCluster cluster) {
        Node node = cluster.nodes.getLast();
        node.add("key-1", 1);
        cluster.pass(SmallCluster.A_SECOND);
        cluster.kill(node);
        cluster.startAgain(node, cluster.keyspace(), SETTINGS);
        cluster.connect();
        cluster.pass(SmallCluster.A_WHILE);
    }

    private static void change(SmallCluster cluster, Gen gen) {
        Node node = gen.pick(cluster.nodes);
        for (int i = 0; i < 10; i++) {
            String key = "key-" + gen.between(1, KEYS);
            if (gen.chance(10)) {
                node.delete(key);
            } else {
                node.add(key, gen.between(-5, 5));
            }
        }
        node.replicator.await(1, TimeUnit.MILLISECONDS.toNanos(100), () -> true, _ -> {});
    }

    private static void comeAndGo(SmallCluster cluster, Gen gen) {
        if (cluster.nodes.size() > 3) {
            cluster.kill(gen.pick(cluster.nodes));
        } else {
            Node joiner = cluster.start(SETTINGS, cluster.keyspace());
            joiner.add("key-" + gen.between(1, KEYS), 1);
            cluster.connect();
        }
    }

    private void deliver(byte[] frame, Traffic traffic) {
        List<Cell> before = cells(traffic.to);
        long allocated = threads.getCurrentThreadAllocatedBytes();

        traffic.to.replicator.onFrame(traffic.from.session(), frame);

        assertThat(threads.getCurrentThreadAllocatedBytes() - allocated).isLessThan(MOST_ALLOCATED);
        List<Cell> after = cells(traffic.to);
        for (int i = 0; i < before.size(); i++) {
            assertThat(after.get(i).merge(before.get(i), 1_000_000)).isEqualTo(Counter.Merged.NOTHING_NEW);
        }
        delivered++;
    }

    private static List<Cell> cells(Node node) {
        List<Cell> cells = new ArrayList<>();
        for (int partition = 0; partition < Keyspace.PARTITIONS; partition++) {
            node.keyspace.fold(partition);
        }
        for (int i = 1; i <= KEYS; i++) {
            Key key = Key.of(("key-" + i).getBytes(StandardCharsets.UTF_8));
            for (CounterType type : CounterType.KEYS) {
                node.clients.read(type, key);
                Cell cell = new Cell();
                cell.copyFrom(node.clients.cell());
                cells.add(cell);
            }
        }
        return cells;
    }

    /// A frame derived from that one which no correct peer sends.
    private byte[] mad(Traffic traffic, Gen gen) {
        byte[] body = body(traffic);
        Kind kind = gen.chance(5) ? gen.pick(Kind.values()) : traffic.kind;
        for (int i = gen.between(1, 3); i > 0; i--) {
            body = mutated(body, gen);
        }
        long head = gen.chance(5) ? gen.anyLong() : head(traffic);
        ByteWriter out = new ByteWriter(body.length + Frame.HEAD_BYTES);
        Frame.begin(out, kind, traffic.from.session(), head, 0);
        out.bytes(body, 0, body.length);
        return Frame.seal(out, Frame.OLDEST_VERSION);
    }

    private byte[] mutated(byte[] body, Gen gen) {
        if (body.length == 0 || gen.chance(5)) {
            return gen.bytes(200);
        }
        byte[] copy = body.clone();
        int at = gen.between(0, body.length - 1);
        return switch (gen.between(1, 6)) {
            case 1 -> {
                copy[at] = (byte) gen.anyLong();
                yield copy;
            }
            // As a number, whatever follows becomes part of it.
            case 2 -> {
                Arrays.fill(
                        copy, at, Math.min(copy.length, at + gen.between(1, 10)), gen.pick((byte) 0, (byte) 0x7F, (byte)
                                0xFF));
                yield copy;
            }
            case 3 -> Arrays.copyOf(copy, at);
            case 4 -> Arrays.copyOf(copy, copy.length + gen.between(1, 20));
            case 5 -> joined(copy, at, gen.bytes(10));
            default -> joined(copy, at, body(gen.pick(seen)));
        };
    }

    private static byte[] joined(byte[] left, int upTo, byte[] right) {
        byte[] joined = Arrays.copyOf(left, upTo + right.length);
        System.arraycopy(right, 0, joined, upTo, right.length);
        return joined;
    }

    private static byte[] body(Traffic traffic) {
        return Arrays.copyOfRange(traffic.frame, Frame.HEAD_BYTES, traffic.frame.length);
    }

    private static long head(Traffic traffic) {
        return ByteBuffer.wrap(traffic.frame).order(ByteOrder.LITTLE_ENDIAN).getLong(Frame.HEAD_BYTES - Long.BYTES);
    }
}
