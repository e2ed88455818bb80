package io.tallis.cluster.pull;

import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Vector;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.PartitionDigest;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Getting from one session whatever it has, in a range of partitions, that this node lacks.
///
/// It is told some partitions at a time how many cells each has there and, where this node has as many, their digest;
/// those are compared one at a time. Of partitions that differ at most [#MOST_OPEN] are fetched at a time, the next
/// piece of one being asked for when the last was merged: that is what bounds memory, and what slows the provider to
/// the pace of this node's disk.
///
/// Requests and answers arrive in order, unless they are lost. So a request is sent again when a later one is answered,
/// and the oldest is when the provider has been silent for too long ([Patience]), the others soon after its answer; now
/// and then one is that was not lost. After ten seconds in vain, or 35 where answers take long, it has failed.
public final class Pull {
    private static final int MOST_OPEN = 8;
    private static final long NEVER = -1;
    private static final int WHOLE = 0;
    private static final int CELLS_WORTH_A_STEP = 64;

    private final int number;
    private final ReplicaId provider;
    private final String providerName;
    private final int first;
    private final int end;
    private final Keyspace keyspace;
    private final Sender sender;

    private final Queue<Sum> toCompare = new ArrayDeque<>();
    private final Queue<Sum> differing = new ArrayDeque<>();
    private final Map<Integer, Fetch> open = new HashMap<>();
    private final Question sums = new Question();
    private final Patience patience = new Patience();
    private int nextSums;
    private @Nullable Vector vector;
    private long turns;
    private int differed;
    private int compared;

    Pull(int number, Peer provider, int first, int end, Keyspace keyspace, Sender sender) {
        this.number = number;
        this.provider = provider.session();
        providerName = provider.name();
        this.first = first;
        this.end = end;
        this.keyspace = keyspace;
        this.sender = sender;
        nextSums = first;
    }

    /// How many cells a partition has at the provider, and their digest if this node had as many.
    private record Sum(int partition, long cells, @Nullable ByteBuffer digest) {}

    /// What the provider is asked: when in the order of all, whether more than once, whether it is to answer still, and
    /// whether it has answered what was asked later.
    private static class Question {
        long turn;
        boolean repeated;
        boolean waits;
        boolean overtaken;
    }

    /// A partition of which cells are fetched: first the digests of its leaves, unless nearly all will differ.
    private static final class Fetch extends Question {
        private @Nullable BitSet wanted;
        private byte @Nullable [] leaves;
        private int bits;
        private long from;
    }

    int number() {
        return number;
    }

    public ReplicaId provider() {
        return provider;
    }

    /// What the provider was called when this began; it may be gone.
    String providerName() {
        return providerName;
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
    public Vector vector() {
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
        return patience.failed();
    }

    boolean done() {
        return nextSums == end && toCompare.isEmpty() && differing.isEmpty() && open.isEmpty();
    }

    /// Compares a little and asks for what is due; with a `backlog` answers may be here that were not looked at yet.
    /// Returns when to be called again.
    long step(long now, boolean backlog) {
        compareSome(now);
        compareLeaves(now);
        if (nextSums < end && toCompare.isEmpty() && !sums.waits) {
            askNew(sums, now);
            askSums();
        }
        if (backlog) {
            patience.backlog(now);
        }
        boolean waits = repeat(now);
        if (!toCompare.isEmpty() || open.values().stream().anyMatch(fetch -> fetch.leaves != null)) {
            return now;
        }
        return waits ? patience.end() : Long.MAX_VALUE;
    }

    /// Asks again for what is lost, and after a silence for what was asked first: if that is lost, so is what followed,
    /// as will be seen. Returns whether the provider is to answer anything.
    private boolean repeat(long now) {
        boolean silent = now >= patience.end();
        if (silent && patience.isForTheRest()) {
            sums.overtaken = true;
            open.values().forEach(fetch -> fetch.overtaken = true);
        }
        long oldest = silent ? oldestTurn() : NEVER;
        boolean waits = sums.waits;
        if (isToBeRepeated(sums, oldest)) {
            askSums();
        }
        for (Map.Entry<Integer, Fetch> entry : open.entrySet()) {
            Fetch fetch = entry.getValue();
            waits |= fetch.waits;
            if (isToBeRepeated(fetch, oldest)) {
                askFor(entry.getKey(), fetch);
            }
        }
        if (waits && silent) {
            patience.askedAgain(now);
        }
        return waits;
    }

    private long oldestTurn() {
        return Stream.concat(Stream.of(sums), open.values().stream())
                .filter(question -> question.waits)
                .mapToLong(question -> question.turn)
                .min()
                .orElse(NEVER);
    }

    private boolean isToBeRepeated(Question question, long oldest) {
        if (!question.waits || !(question.turn == oldest || question.overtaken)) {
            return false;
        }
        question.turn = ++turns;
        question.repeated = true;
        question.overtaken = false;
        return true;
    }

    private void askNew(Question question, long now) {
        question.turn = ++turns;
        question.repeated = false;
        question.waits = true;
        question.overtaken = false;
        patience.asked(now);
    }

    private void answered(Question question, long now) {
        question.waits = false;
        if (question.repeated) {
            patience.answeredRepeated(now);
        } else {
            patience.answered(now);
            sums.overtaken |= sums.turn < question.turn;
            open.values().forEach(fetch -> fetch.overtaken |= fetch.turn < question.turn);
        }
    }

    private void compareSome(long now) {
        long worked = 0;
        while (!toCompare.isEmpty() && worked < CELLS_WORTH_A_STEP) {
            Sum sum = toCompare.remove();
            compared++;
            worked += 1 + (sum.digest == null ? 0 : keyspace.cells(sum.partition));
            if (sum.digest == null || !sum.digest.equals(ByteBuffer.wrap(keyspace.digest(sum.partition, provider)))) {
                differed++;
                differing.add(sum);
            }
        }
        while (open.size() < MOST_OPEN && !differing.isEmpty()) {
            open(differing.remove(), now);
        }
    }

    private void askSums() {
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
        fetch(sum.partition, fetch, now);
    }

    private void fetch(int partition, Fetch fetch, long now) {
        askNew(fetch, now);
        askFor(partition, fetch);
    }

    private void askFor(int partition, Fetch fetch) {
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

    void onSums(ByteReader in, long now) throws MalformedException {
        int from = Provider.partition(in);
        int count = in.count(1);
        if (count == 0) {
            throw new MalformedException("sums of no partition");
        }
        boolean withVector = in.u8() != 0;
        Vector told = withVector ? Vector.read(in) : null;
        if (from != nextSums || from + count > end || (vector == null && told == null)) {
            patience.answeredInVain(now);
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
        answered(sums, now);
    }

    private static ByteBuffer digest(ByteReader in) throws MalformedException {
        int at = in.position();
        in.skip(PartitionDigest.BYTES);
        return ByteBuffer.wrap(Arrays.copyOfRange(in.array(), at, in.position()));
    }

    void onLeaves(ByteReader in, long now) throws MalformedException {
        int partition = Provider.partition(in);
        int bits = Provider.bits(in);
        Fetch fetch = open.get(partition);
        if (fetch == null || fetch.wanted != null || fetch.leaves != null) {
            patience.answeredInVain(now);
            return;
        }
        int size = PartitionDigest.BYTES << bits;
        if (in.remaining() != size) {
            throw new MalformedException(in.remaining() + " bytes of digests of leaves, expected " + size);
        }
        fetch.leaves = Arrays.copyOfRange(in.array(), in.position(), in.position() + size);
        fetch.bits = bits;
        answered(fetch, now);
    }

    /// Compares the leaves of one partition, which takes as long as the partition is large.
    private void compareLeaves(long now) {
        for (Map.Entry<Integer, Fetch> entry : open.entrySet()) {
            Fetch fetch = entry.getValue();
            byte[] theirs = fetch.leaves;
            if (theirs != null) {
                int partition = entry.getKey();
                fetch.leaves = null;
                BitSet wanted = differences(PartitionDigest.leaves(keyspace, partition, fetch.bits, provider), theirs);
                if (wanted.isEmpty()) {
                    close(partition, now);
                } else {
                    fetch.wanted = wanted;
                    fetch(partition, fetch, now);
                }
                return;
            }
        }
    }

    private static BitSet differences(byte[] mine, byte[] theirs) {
        BitSet differences = new BitSet();
        int size = PartitionDigest.BYTES;
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
            patience.answeredInVain(now);
            return;
        }
        merge.rest(in);
        answered(fetch, now);
        if (next == Keyspace.END) {
            close(partition, now);
        } else {
            fetch.from = next;
            fetch(partition, fetch, now);
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
