package io.tallis.cluster.pull;

import io.tallis.cluster.delta.Answers;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Pace;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.peer.Sessions;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.LeafWriter;
import io.tallis.keyspace.PartitionDigest;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/// Serves the pulls of other nodes, one request at a time, and keeps no state about them between two requests. The
/// sequence of frames is in [Pull].
///
/// ```
/// SUMS_ASK     pull (4) | partition (varint) | end (varint) | with vector (1) | cells of each (varint ..)
/// SUMS         pull (4) | partition (varint) | count (varint) | vector given (1) [vector] | sum ..
/// sum          cells * 2 + whether a digest follows (varint) [digest (16)]
/// LEAVES_ASK   pull (4) | partition (varint)
/// LEAVES       pull (4) | partition (varint) | bits (1) | digests (16 each)
/// PULL         pull (4) | partition (varint) | bits (1) | from hash (8) | wanted leaves, a bit each
/// CELLS        pull (4) | partition (varint) | from hash (8) | next hash (8) | cells
/// ```
///
/// A digest is computed only where both nodes have the same number of cells in a partition. If the numbers differ, so
/// do the contents.
///
/// At most [#MOST_WAITING] requests wait. Further ones are dropped, and the requester repeats them.
public final class Provider {
    static final int MOST_WAITING = 128;

    /// The most partitions that one answer covers.
    static final int MOST_SUMS = 64;

    /// The number of cells after whose digests an answer ends, because computing more would delay DELTA frames.
    private static final int MOST_CELLS = 8_192;

    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Keyspace keyspace;
    private final Sessions sessions;
    private final Sender sender;
    private final LeafWriter leafWriter;
    private final Pace pace;
    private final Queue<Request> waiting = new ArrayDeque<>();
    private long servedAt = -BUSY_NANOS;

    public Provider(Keyspace keyspace, Sessions sessions, Sender sender, Pace pace) {
        this.keyspace = keyspace;
        this.sessions = sessions;
        this.sender = sender;
        leafWriter = new LeafWriter(keyspace);
        this.pace = pace;
    }

    /// A request, and what sends its answer.
    private record Request(RequestId id, Runnable answer) {}

    /// The identity of a request: a repeat of a request that still waits is dropped.
    private record RequestId(ReplicaId from, Kind kind, int pull, int partition, long fromHash) {}

    public void onSumsAsk(ReplicaId from, ByteReader in) throws MalformedException {
        int pull = in.i32();
        int first = partition(in);
        long end = in.varint();
        if (end <= first || end > Keyspace.PARTITIONS) {
            throw new MalformedException("asks for partitions from " + first + " to " + Long.toUnsignedString(end));
        }
        boolean withVector = in.u8() != 0;
        long[] cells = new long[(int) Math.min(MOST_SUMS, end - first)];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = in.varint();
        }
        add(new RequestId(from, Kind.SUMS_ASK, pull, first, 0), () -> sums(from, pull, first, cells, withVector));
    }

    public void onLeavesAsk(ReplicaId from, ByteReader in) throws MalformedException {
        int pull = in.i32();
        int partition = partition(in);
        add(new RequestId(from, Kind.LEAVES_ASK, pull, partition, 0), () -> leaves(from, pull, partition));
    }

    public void onPull(ReplicaId from, ByteReader in) throws MalformedException {
        int pull = in.i32();
        int partition = partition(in);
        int bits = bits(in);
        long fromHash = hash(in);
        if (in.remaining() > Math.ceilDiv(1 << bits, Byte.SIZE)) {
            throw new MalformedException(in.remaining() + " bytes of wanted leaves, too many for " + bits + " bits");
        }
        byte[] wanted = new byte[in.remaining()];
        System.arraycopy(in.array(), in.position(), wanted, 0, wanted.length);
        add(
                new RequestId(from, Kind.PULL, pull, partition, fromHash),
                () -> cells(from, pull, new LeafWriter.Part(partition, bits, BitSet.valueOf(wanted), fromHash)));
    }

    static int partition(ByteReader in) throws MalformedException {
        long partition = in.varint();
        if (partition < 0 || partition >= Keyspace.PARTITIONS) {
            throw new MalformedException("partition " + Long.toUnsignedString(partition));
        }
        return (int) partition;
    }

    static int bits(ByteReader in) throws MalformedException {
        int bits = in.u8();
        if (bits > PartitionDigest.MOST_LEAF_BITS) {
            throw new MalformedException(
                    "leaves of " + bits + " bits, expected at most " + PartitionDigest.MOST_LEAF_BITS);
        }
        return bits;
    }

    static long hash(ByteReader in) throws MalformedException {
        long hash = in.i64();
        if (hash < 0 || hash > Keyspace.END) {
            throw new MalformedException("hash " + hash);
        }
        return hash;
    }

    private void add(RequestId id, Runnable answer) {
        if (waiting.size() < MOST_WAITING && waiting.stream().noneMatch(request -> request.id.equals(id))) {
            waiting.add(new Request(id, answer));
        }
    }

    public void unreachable(ReplicaId session) {
        waiting.removeIf(request -> request.id.from.equals(session));
    }

    /// Serves one request, if there is one and the pace allows it. Returns whether it did.
    public boolean step(long now) {
        boolean serves = !waiting.isEmpty() && pace.allows(now);
        if (serves) {
            waiting.remove().answer.run();
            servedAt = now;
        }
        return serves;
    }

    /// Whether it has a request to serve, or had one a moment ago, so that the next is likely to follow.
    public boolean isBusy(long now) {
        return !waiting.isEmpty() || now - servedAt < BUSY_NANOS;
    }

    public long nextDue(long now) {
        return waiting.isEmpty() ? Long.MAX_VALUE : now + pace.nanosToWait(now);
    }

    /// The vector is taken before the first digest. So a requester that then fetches all differences has all that the
    /// vector says, and perhaps more.
    private void sums(ReplicaId to, int pull, int first, long[] theirs, boolean withVector) {
        ByteWriter out = sender.begin(Kind.SUMS);
        out.i32(pull);
        out.varint(first);
        int count = 0;
        long digested = 0;
        while (count < theirs.length && digested < MOST_CELLS) {
            int cells = keyspace.cells(first + count);
            digested += cells == theirs[count] ? cells : 0;
            count++;
        }
        out.varint(count);
        out.u8(withVector ? 1 : 0);
        if (withVector) {
            sessions.known(sender.head()).write(out);
        }
        for (int i = 0; i < count; i++) {
            sum(first + i, theirs[i], out);
        }
        finish(to, out);
    }

    private void sum(int partition, long theirs, ByteWriter out) {
        long cells = keyspace.cells(partition);
        boolean asMany = cells == theirs;
        out.varint(cells << 1 | (asMany ? 1 : 0));
        if (asMany) {
            out.bytes(keyspace.digest(partition, keyspace.replicas().own()), 0, PartitionDigest.BYTES);
        }
    }

    private void leaves(ReplicaId to, int pull, int partition) {
        int bits = PartitionDigest.leafBits(keyspace.cells(partition));
        byte[] leaves = PartitionDigest.leaves(
                keyspace, partition, bits, keyspace.replicas().own());
        ByteWriter out = sender.begin(Kind.LEAVES);
        out.i32(pull);
        out.varint(partition);
        out.u8(bits);
        out.bytes(leaves, 0, leaves.length);
        finish(to, out);
    }

    private void cells(ReplicaId to, int pull, LeafWriter.Part part) {
        ByteWriter out = sender.begin(Kind.CELLS);
        out.i32(pull);
        out.varint(part.partition());
        out.i64(part.fromHash());
        int nextAt = out.position();
        out.i64(0);
        long next = leafWriter.write(part, Answers.PIECE_BYTES, out);
        out.i64At(nextAt, next);
        finish(to, out);
    }

    private void finish(ReplicaId to, ByteWriter out) {
        pace.spend(out.position());
        sender.send(to);
    }
}
