package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.PartitionImage;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Getting from one session whatever it has, in a range of partitions, that this node lacks.
///
/// It is told some partitions at a time how many cells each has there and, where this node has as many, their digest;
/// those are compared one at a time. Of partitions that differ at most [#MOST_OPEN] are fetched at a time, the next
/// piece of one being asked for when the last was merged: that is what bounds memory, and what slows the provider to
/// the pace of this node's disk. A request without an answer is sent again, and after [#MOST_TRIES] in vain the pull
/// has failed.
final class Pull {
    private static final int MOST_OPEN = 4;
    private static final int MOST_TRIES = 6;
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    /// On a slow line answers take long. The next may take several times as long as the last.
    private static final int ANSWERS_PATIENCE = 4;

    private static final long MOST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int WHOLE = 0;
    private static final int CELLS_WORTH_A_STEP = 64;

    private final int number;
    private final ReplicaId provider;
    private final int first;
    private final int end;
    private final Keyspace keyspace;
    private final Sender sender;

    private final Queue<Sum> toCompare = new ArrayDeque<>();
    private final Queue<Sum> differing = new ArrayDeque<>();
    private final Map<Integer, Fetch> open = new HashMap<>();
    private int nextSums;
    private long sumsDeadline;
    private @Nullable Vector vector;
    private long patience = ANSWER_NANOS;
    private long nextTry;
    private int tries;
    private int differed;
    private int compared;

    Pull(int number, ReplicaId provider, int first, int end, Keyspace keyspace, Sender sender) {
        this.number = number;
        this.provider = provider;
        this.first = first;
        this.end = end;
        this.keyspace = keyspace;
        this.sender = sender;
        nextSums = first;
    }

    /// How many cells a partition has at the provider, and their digest if this node had as many.
    private record Sum(int partition, long cells, @Nullable ByteBuffer digest) {}

    /// A partition of which cells are fetched: first the digests of its leaves, unless nearly all will differ.
    private static final class Fetch {
        private @Nullable BitSet wanted;
        private byte @Nullable [] leaves;
        private int bits;
        private long from;
        private long askedFirst;
        private long deadline;
    }

    int number() {
        return number;
    }

    ReplicaId provider() {
        return provider;
    }

    int first() {
        return first;
    }

    int end() {
        return end;
    }

    /// Whether its range is all partitions.
    boolean comparesAll() {
        return first == 0 && end == Keyspace.PARTITIONS;
    }

    /// What the provider knew before it told the first digest.
    Vector vector() {
        return vector == null ? new Vector() : vector;
    }

    int differed() {
        return differed;
    }

    /// How many partitions are compared and, where they differed, fetched.
    int settled() {
        return compared - differing.size() - open.size();
    }

    boolean failed() {
        return tries > MOST_TRIES;
    }

    boolean done() {
        return nextSums == end && toCompare.isEmpty() && differing.isEmpty() && open.isEmpty();
    }

    /// Compares a little and asks for what is due. Returns when to be called again.
    long step(long now) {
        compareSome(now);
        compareLeaves(now);
        if (nextSums < end && toCompare.isEmpty() && now >= sumsDeadline) {
            askSums(now);
        }
        long due = nextSums < end && toCompare.isEmpty() ? sumsDeadline : Long.MAX_VALUE;
        boolean silent = false;
        boolean moreToCompare = !toCompare.isEmpty();
        for (Map.Entry<Integer, Fetch> entry : open.entrySet()) {
            Fetch fetch = entry.getValue();
            if (now >= fetch.deadline) {
                silent = true;
                askAgain(entry.getKey(), fetch, now);
            }
            moreToCompare |= fetch.leaves != null;
            due = Math.min(due, fetch.deadline);
        }
        if (silent && now >= nextTry) {
            // All that is open may be due at one time.
            tries++;
            nextTry = now + patience;
        }
        return moreToCompare ? now : due;
    }

    private void compareSome(long now) {
        long worked = 0;
        while (!toCompare.isEmpty() && worked < CELLS_WORTH_A_STEP) {
            Sum sum = toCompare.remove();
            compared++;
            worked += 1 + (sum.digest == null ? 0 : keyspace.cells(sum.partition));
            if (sum.digest == null || !sum.digest.equals(ByteBuffer.wrap(keyspace.digest(sum.partition)))) {
                differed++;
                differing.add(sum);
            }
        }
        while (open.size() < MOST_OPEN && !differing.isEmpty()) {
            open(differing.remove(), now);
        }
    }

    private void askSums(long now) {
        if (sumsDeadline != 0) {
            tries++;
        }
        sumsDeadline = now + ANSWER_NANOS;
        ByteWriter out = sender.begin(Kind.SUMS_ASK);
        out.i32(number);
        out.varint(nextSums);
        out.varint(end);
        out.u8(vector == null ? 1 : 0);
        for (int partition = nextSums; partition < Math.min(end, nextSums + Provider.MOST_SUMS); partition++) {
            out.varint(keyspace.cells(partition));
        }
        sender.send(provider);
    }

    private void open(Sum sum, long now) {
        Fetch fetch = new Fetch();
        keyspace.expect(sum.partition, sum.cells);
        if (keyspace.cells(sum.partition) < sum.cells / 2) {
            fetch.wanted = new BitSet();
            fetch.wanted.set(0);
            fetch.bits = WHOLE;
        }
        open.put(sum.partition, fetch);
        ask(sum.partition, fetch, now);
    }

    private void ask(int partition, Fetch fetch, long now) {
        fetch.askedFirst = now;
        askAgain(partition, fetch, now);
    }

    private void askAgain(int partition, Fetch fetch, long now) {
        fetch.deadline = now + patience;
        BitSet wanted = fetch.wanted;
        ByteWriter out = sender.begin(wanted == null ? Kind.LEAVES_ASK : Kind.PULL);
        out.i32(number);
        out.varint(partition);
        if (wanted != null) {
            out.u8(fetch.bits);
            out.i64(fetch.from);
            byte[] bytes = wanted.toByteArray();
            out.bytes(bytes, 0, bytes.length);
        }
        sender.send(provider);
    }

    void onSums(ByteReader in) throws MalformedException {
        int from = Provider.partition(in);
        int count = in.count(1);
        if (count == 0) {
            throw new MalformedException("sums of no partition");
        }
        boolean withVector = in.u8() != 0;
        Vector told = withVector ? Vector.read(in) : null;
        if (from != nextSums || from + count > end || (vector == null && told == null)) {
            return;
        }
        for (int i = 0; i < count; i++) {
            long cells = in.varint();
            boolean hasDigest = (cells & 1) != 0;
            toCompare.add(new Sum(from + i, cells >>> 1, hasDigest ? digest(in) : null));
        }
        if (vector == null) {
            vector = told;
        }
        nextSums += count;
        sumsDeadline = 0;
        tries = 0;
    }

    private static ByteBuffer digest(ByteReader in) throws MalformedException {
        int at = in.position();
        in.skip(PartitionImage.DIGEST_BYTES);
        return ByteBuffer.wrap(Arrays.copyOfRange(in.array(), at, in.position()));
    }

    void onLeaves(ByteReader in, long now) throws MalformedException {
        int partition = Provider.partition(in);
        int bits = Provider.bits(in);
        Fetch fetch = open.get(partition);
        if (fetch == null || fetch.wanted != null) {
            return;
        }
        int size = PartitionImage.DIGEST_BYTES << bits;
        if (in.remaining() != size) {
            throw new MalformedException(in.remaining() + " bytes of digests of leaves, expected " + size);
        }
        fetch.leaves = Arrays.copyOfRange(in.array(), in.position(), in.position() + size);
        fetch.bits = bits;
        fetch.deadline = now + patience;
        answered(fetch, now);
    }

    private void answered(Fetch fetch, long now) {
        long took = Math.min(now - fetch.askedFirst, MOST_PATIENCE_NANOS);
        patience = Math.clamp(ANSWERS_PATIENCE * took, ANSWER_NANOS, MOST_PATIENCE_NANOS);
        tries = 0;
    }

    /// Compares the leaves of one partition, which takes as long as the partition is large.
    private void compareLeaves(long now) {
        for (Map.Entry<Integer, Fetch> entry : open.entrySet()) {
            Fetch fetch = entry.getValue();
            byte[] theirs = fetch.leaves;
            if (theirs != null) {
                int partition = entry.getKey();
                fetch.leaves = null;
                BitSet wanted =
                        differences(PartitionImage.of(keyspace, partition).leaves(fetch.bits), theirs);
                if (wanted.isEmpty()) {
                    close(partition, now);
                } else {
                    fetch.wanted = wanted;
                    ask(partition, fetch, now);
                }
                return;
            }
        }
    }

    private static BitSet differences(byte[] mine, byte[] theirs) {
        BitSet differences = new BitSet();
        int size = PartitionImage.DIGEST_BYTES;
        for (int at = 0; at < mine.length; at += size) {
            if (!Arrays.equals(mine, at, at + size, theirs, at, at + size)) {
                differences.set(at / size);
            }
        }
        return differences;
    }

    /// Expects no more cells of what it fetches.
    void giveUp() {
        open.keySet().forEach(partition -> keyspace.expect(partition, 0));
        open.clear();
    }

    /// Cells came, and `merge` takes them in. Nothing is done with those that nobody waits for.
    void onCells(ByteReader in, long now, Merge merge) throws MalformedException {
        int partition = Provider.partition(in);
        long from = Provider.hash(in);
        long next = Provider.hash(in);
        if (next <= from) {
            throw new MalformedException("cells from " + from + " on that go on at " + next);
        }
        Fetch fetch = open.get(partition);
        if (fetch == null || fetch.wanted == null || fetch.from != from) {
            return;
        }
        merge.rest(in);
        answered(fetch, now);
        if (next == Keyspace.END) {
            close(partition, now);
        } else {
            fetch.from = next;
            ask(partition, fetch, now);
        }
    }

    /// Merges what a frame has left.
    interface Merge {
        void rest(ByteReader in) throws MalformedException;
    }

    private void close(int partition, long now) {
        open.remove(partition);
        keyspace.expect(partition, 0);
        if (!differing.isEmpty()) {
            open(differing.remove(), now);
        }
    }
}
