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

/// One pull: compares a range of partitions with one provider, and fetches the cells that differ.
///
///     requester                                  provider
///         ── SUMS_ASK partitions 0..63 ───────────▶
///             number of cells here of each
///         ◀── SUMS ────────────────────────────────   its vector (once), number of cells of each, and the digest
///       compares digests                             where both have as many cells
///       for each partition that differs, at most 8 at a time:
///         ── LEAVES_ASK partition ────────────────▶   left out if this node has less than half of the cells
///         ◀── LEAVES ──────────────────────────────   digests of parts of the partition by key hash
///       compares leaves
///         ── PULL partition, leaves, from hash 0 ─▶
///         ◀── CELLS up to hash h ──────────────────   a piece of about 50 kB
///       merges them
///         ── PULL partition, leaves, from hash h ─▶   and so on to the end of the partition
///
/// The next piece of a partition is asked for when the last was merged. That bounds memory, and slows the provider down
/// to the speed of this node's disk.
///
/// Requests and answers arrive in order, unless they are lost. So a request is repeated when a later one was answered
/// before it (it is *overtaken*); the oldest is repeated when the timeout expires ([PullTimeout]), and the others soon
/// after it was answered. Sometimes that repeats a request that was not lost, which costs traffic only. The pull fails
/// after ten seconds without a useful answer, or 35 where answers take long.
public final class Pull {
    private static final int MOST_OPEN = 8;
    private static final long NEVER = -1;
    private static final int WHOLE = 0;
    private static final int CELLS_A_STEP = 64;

    private final int number;
    private final ReplicaId provider;
    private final String providerName;
    private final boolean providerServed;
    private final int first;
    private final int end;
    private final Keyspace keyspace;
    private final Sender sender;

    private final Queue<Sum> toCompare = new ArrayDeque<>();
    private final Queue<Sum> differing = new ArrayDeque<>();
    private final Map<Integer, Fetch> open = new HashMap<>();
    private final Request sums = new Request();
    private final PullTimeout timeout = new PullTimeout();
    private int nextSums;
    private @Nullable Vector vector;
    private long order;
    private int differed;
    private int compared;

    Pull(int number, Peer provider, int first, int end, Keyspace keyspace, Sender sender) {
        this.number = number;
        this.provider = provider.session();
        providerName = provider.name();
        providerServed = provider.serves();
        this.first = first;
        this.end = end;
        this.keyspace = keyspace;
        this.sender = sender;
        nextSums = first;
    }

    /// The number of cells of a partition at the provider, and their digest if this node had as many.
    private record Sum(int partition, long cells, @Nullable ByteBuffer digest) {}

    /// A request to the provider: its position in the order in which requests were sent last, whether it was repeated,
    /// whether it still waits for an answer, and whether a later request was answered before it.
    private static class Request {
        long position;
        boolean repeated;
        boolean isOpen;
        boolean overtaken;
    }

    /// A partition that is being fetched: first the digests of its leaves, unless most of them will differ.
    private static final class Fetch extends Request {
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

    /// The name of the provider when the pull began.
    String providerName() {
        return providerName;
    }

    /// Whether the provider served when the pull began.
    public boolean providerServed() {
        return providerServed;
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

    /// What the provider had before it computed the first digest.
    public Vector vector() {
        return vector == null ? new Vector() : vector;
    }

    int differed() {
        return differed;
    }

    /// How many partitions were compared and, where they differed, fetched.
    int partitionsDone() {
        return compared - differing.size() - open.size();
    }

    boolean failed() {
        return timeout.failed();
    }

    boolean done() {
        return nextSums == end && toCompare.isEmpty() && differing.isEmpty() && open.isEmpty();
    }

    /// Compares some partitions and sends the requests that are due. `backlog` is whether frames wait in the inbox,
    /// which may be answers. Returns when to be called again.
    long step(long now, boolean backlog) {
        compareSums(now);
        compareLeaves(now);
        if (nextSums < end && toCompare.isEmpty() && !sums.isOpen) {
            askNew(sums, now);
            askSums();
        }
        if (backlog) {
            timeout.extendForBacklog(now);
        }
        boolean waits = repeat(now);
        if (!toCompare.isEmpty() || open.values().stream().anyMatch(fetch -> fetch.leaves != null)) {
            return now;
        }
        return waits ? timeout.expiry() : Long.MAX_VALUE;
    }

    /// Repeats overtaken requests and, when the timeout has expired, the oldest. Whether the later ones were lost as
    /// well shows when it is answered. Returns whether any request is open.
    private boolean repeat(long now) {
        boolean silent = now >= timeout.expiry();
        if (silent && timeout.coversAll()) {
            sums.overtaken = true;
            open.values().forEach(fetch -> fetch.overtaken = true);
        }
        long oldest = silent ? oldestPosition() : NEVER;
        boolean waits = sums.isOpen;
        if (takeRepeat(sums, oldest)) {
            askSums();
        }
        for (Map.Entry<Integer, Fetch> entry : open.entrySet()) {
            Fetch fetch = entry.getValue();
            waits |= fetch.isOpen;
            if (takeRepeat(fetch, oldest)) {
                askFor(entry.getKey(), fetch);
            }
        }
        if (waits && silent) {
            timeout.askedAgain(now);
        }
        return waits;
    }

    private long oldestPosition() {
        return Stream.concat(Stream.of(sums), open.values().stream())
                .filter(request -> request.isOpen)
                .mapToLong(request -> request.position)
                .min()
                .orElse(NEVER);
    }

    private boolean takeRepeat(Request request, long oldest) {
        if (!request.isOpen || !(request.position == oldest || request.overtaken)) {
            return false;
        }
        request.position = ++order;
        request.repeated = true;
        request.overtaken = false;
        return true;
    }

    private void askNew(Request request, long now) {
        request.position = ++order;
        request.repeated = false;
        request.isOpen = true;
        request.overtaken = false;
        timeout.asked(now);
    }

    private void answered(Request request, long now) {
        request.isOpen = false;
        if (request.repeated) {
            timeout.answeredRepeated(now);
        } else {
            timeout.answered(now);
            sums.overtaken |= sums.position < request.position;
            open.values().forEach(fetch -> fetch.overtaken |= fetch.position < request.position);
        }
    }

    private void compareSums(long now) {
        long worked = 0;
        while (!toCompare.isEmpty() && worked < CELLS_A_STEP) {
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
        // The index of the partition then grows in few steps while cells arrive.
        keyspace.expect(sum.partition, sum.cells);
        // With less than half of the cells most leaves differ, so their digests would cost more than they save.
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
            throw new MalformedException("sums of 0 partitions");
        }
        boolean withVector = in.u8() != 0;
        Vector received = withVector ? Vector.read(in) : null;
        // A repeated request may be answered twice. The second answer is of no use.
        if (from != nextSums || from + count > end || (vector == null && received == null)) {
            timeout.answeredUselessly(now);
            return;
        }
        for (int i = 0; i < count; i++) {
            long cells = in.varint();
            boolean hasDigest = (cells & 1) != 0;
            toCompare.add(new Sum(from + i, cells >>> 1, hasDigest ? digest(in) : null));
        }
        if (vector == null) {
            vector = received;
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
            timeout.answeredUselessly(now);
            return;
        }
        int size = PartitionDigest.BYTES << bits;
        if (in.remaining() != size) {
            throw new MalformedException(in.remaining() + " bytes of leaf digests, expected " + size);
        }
        fetch.leaves = Arrays.copyOfRange(in.array(), in.position(), in.position() + size);
        fetch.bits = bits;
        answered(fetch, now);
    }

    /// Compares the leaves of one partition, whose cells all have to be hashed for it.
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

    /// Ends the pull before it is done. The keyspace no longer expects its cells.
    void abort() {
        open.keySet().forEach(partition -> keyspace.expect(partition, 0));
        open.clear();
    }

    /// Cells arrived, and `merge` merges them. Those that were not asked for, or came before, are ignored.
    void onCells(ByteReader in, long now, Merge merge) throws MalformedException {
        int partition = Provider.partition(in);
        long from = Provider.hash(in);
        long next = Provider.hash(in);
        if (next <= from) {
            throw new MalformedException("cells from hash " + from + " that continue at " + next);
        }
        Fetch fetch = open.get(partition);
        if (fetch == null || fetch.wanted == null || fetch.from != from) {
            timeout.answeredUselessly(now);
            return;
        }
        // The next piece is asked for after this one is merged, which is the back-pressure on the provider.
        merge.rest(in);
        answered(fetch, now);
        if (next == Keyspace.END) {
            close(partition, now);
        } else {
            fetch.from = next;
            fetch(partition, fetch, now);
        }
    }

    /// Merges the cells that the rest of a frame consists of.
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
