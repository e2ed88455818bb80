package io.tallis.crdt;

import java.util.Arrays;

/// The counts of a cell: what each replica ever added and subtracted, and how much of both has been reset.
///
/// A mutable workspace, a part of [Cell]. Not thread-safe; shards are kept in ascending order of replica number.
public final class Counter {
    /*
     * The lattice
     * -----------
     * A counter is a map from replica to shard, a shard four totals that only ever grow:
     *
     *     p   all that the replica ever added        rp  the part of p that has been reset
     *     n   all that it ever subtracted            rn  the part of n that has been reset
     *
     *     value = sum(p - rp) - sum(n - rn)          merge = the larger of each total, shard by shard
     *
     * A reset raises rp to p and rn to n in every shard as this node sees it. What the resetting node had seen is
     * gone everywhere; what it had not seen is above the rp it wrote and survives everywhere:
     *
     *     node A   a: p 5 rp 5   b: p 3 rp 3         A deletes, having seen 3 of b's increments
     *     node B   a: p 5        b: p 4              B adds one more meanwhile
     *     merged   a: p 5 rp 5   b: p 4 rp 3         worth 1 on both
     *
     * Only the replica itself raises its p and n (I1), anyone raises rp and rn up to them, a merge lowers nothing (I4).
     * A source is a replica whose p and n a client keeps: any process raises them to what the client says.
     *
     * Arithmetic
     * ----------
     * Totals are lifetime totals and may outgrow 64 bits, so each takes two longs (high, low) of 128 unsigned bits.
     * Their sum is wider still; only reading clamps it into the range of the type.
     */

    /// Where a total's high half stands within a shard's eight longs; the low half follows.
    public static final int P = 0;

    public static final int N = 2;
    public static final int RP = 4;
    public static final int RN = 6;

    private static final int STRIDE = 8;
    private static final int INITIAL_SHARDS = 4;

    private CounterType type = CounterType.PNCOUNT;
    private int shards;
    private int[] replicas = new int[INITIAL_SHARDS];
    private long[] totals = new long[INITIAL_SHARDS * STRIDE];

    private final Sum sum = new Sum();

    /// The sums of shards that were taken out.
    private final long[] taken = new long[STRIDE];

    /// Empties the counter and makes it one of `type`.
    public Counter clear(CounterType type) {
        this.type = type;
        shards = 0;
        return this;
    }

    public CounterType type() {
        return type;
    }

    public int shards() {
        return shards;
    }

    /// The replica number of the shard at `position`.
    public int replica(int position) {
        return replicas[position];
    }

    /// The upper 64 bits of a total, one of [#P], [#N], [#RP], [#RN].
    public long high(int position, int total) {
        return totals[position * STRIDE + total];
    }

    /// The lower 64 bits of a total.
    public long low(int position, int total) {
        return totals[position * STRIDE + total + 1];
    }

    /// Appends an empty shard and returns its position. Replicas must come in ascending order.
    public int append(int replica) {
        if (shards > 0 && replicas[shards - 1] >= replica) {
            throw new IllegalArgumentException("replica " + replica + " after " + replicas[shards - 1]);
        }
        reserve(shards + 1);
        replicas[shards] = replica;
        Arrays.fill(totals, shards * STRIDE, (shards + 1) * STRIDE, 0);
        return shards++;
    }

    /// Inserts an empty shard where it belongs and returns its position, or -1 if the replica has one.
    public int insert(int replica) {
        if (shards == 0 || replicas[shards - 1] < replica) {
            return append(replica);
        }
        int position = find(replica);
        return position >= 0 ? -1 : insert(replica, -position - 1);
    }

    /// Sets a total of a shard that is being read from somewhere; changes by clients go through the methods below.
    public void put(int position, int total, long high, long low) {
        totals[position * STRIDE + total] = high;
        totals[position * STRIDE + total + 1] = low;
    }

    /// The position of a replica's shard, or `-(where it belongs) - 1`.
    public int find(int replica) {
        return Arrays.binarySearch(replicas, 0, shards, replica);
    }

    /// Makes this an equal copy of `other`.
    public void copyFrom(Counter other) {
        type = other.type;
        reserve(other.shards);
        shards = other.shards;
        System.arraycopy(other.replicas, 0, replicas, 0, shards);
        System.arraycopy(other.totals, 0, totals, 0, shards * STRIDE);
    }

    /// Adds `delta` to a PNCOUNT on behalf of `replica`.
    ///
    /// Refused, changing nothing, when the sum, together with `base`, would leave 64 signed bits; a change that leads
    /// back towards that range passes (a merge may have left it). Returns whether it passed.
    public boolean add(int replica, long delta, long base) {
        addUp(base);
        if (sum.leavesRange(delta)) {
            return false;
        }
        if (delta > 0) {
            raise(own(replica), P, delta);
        } else if (delta < 0) {
            raise(own(replica), N, -delta);
        }
        return true;
    }

    /// Adds the unsigned `amount` to a GCOUNT on behalf of `replica`, until p - rp of its shard is 2^64-1.
    public void grow(int replica, long amount) {
        if (amount == 0) {
            return;
        }
        int shard = own(replica);
        long counted = low(shard, P) - low(shard, RP);
        long room = -1L - counted;
        raise(shard, P, Long.compareUnsigned(amount, room) <= 0 ? amount : room);
    }

    /// Whether `source` has counted less here than these two unsigned totals.
    public boolean lags(int source, long added, long subtracted) {
        int shard = find(source);
        return shard < 0 ? (added | subtracted) != 0 : lack(shard, P, added) != 0 || lack(shard, N, subtracted) != 0;
    }

    /// Raises what `source` has counted to these two unsigned totals, where it is less. For a PNCOUNT they have 63
    /// bits, and the change is refused as [#add] is. Returns whether it passed.
    public boolean raise(int source, long added, long subtracted, long base) {
        int known = find(source);
        long up = known < 0 ? added : lack(known, P, added);
        long down = known < 0 ? subtracted : lack(known, N, subtracted);
        if (type == CounterType.PNCOUNT) {
            addUp(base);
            if (sum.leavesRange(up - down)) {
                return false;
            }
        }
        if ((up | down) != 0) {
            int shard = own(source);
            raise(shard, P, up);
            raise(shard, N, down);
        }
        return true;
    }

    /// How much less than `wanted` a total is, 0 if it is not.
    private long lack(int shard, int total, long wanted) {
        boolean isLess = compare(high(shard, total), low(shard, total), 0, wanted) < 0;
        return isLess ? wanted - low(shard, total) : 0;
    }

    /// Resets all that this node has seen. Returns whether there was anything.
    public boolean reset() {
        boolean changed = false;
        for (int base = 0; base < shards * STRIDE; base += STRIDE) {
            changed |= copyTotal(base, P, RP);
            changed |= copyTotal(base, N, RN);
        }
        return changed;
    }

    /// Resets the counts of one replica, unless they are beyond those in `other`. Returns whether there were any.
    boolean resetUpTo(Counter other, int replica) {
        int mine = find(replica);
        int theirs = other.find(replica);
        if (mine < 0 || theirs < 0 || isAbove(mine, P, other, theirs) || isAbove(mine, N, other, theirs)) {
            return false;
        }
        boolean changed = copyTotal(mine * STRIDE, P, RP);
        return copyTotal(mine * STRIDE, N, RN) || changed;
    }

    private boolean copyTotal(int base, int from, int to) {
        boolean differs = totals[base + from] != totals[base + to] || totals[base + from + 1] != totals[base + to + 1];
        totals[base + to] = totals[base + from];
        totals[base + to + 1] = totals[base + from + 1];
        return differs;
    }

    /// Takes the larger of each total of both counters (I4). `other` is not changed; the same counter twice changes
    /// nothing.
    public Merged merge(Counter other) {
        if (shards == 0) {
            return becomes(other);
        }
        insertMissing(other);
        boolean grew = false;
        boolean reset = false;
        int mine = 0;
        for (int theirs = 0; theirs < other.shards; theirs++) {
            while (replicas[mine] != other.replicas[theirs]) {
                mine++;
            }
            grew |= raiseTo(mine, P, other, theirs);
            grew |= raiseTo(mine, N, other, theirs);
            reset |= raiseTo(mine, RP, other, theirs);
            reset |= raiseTo(mine, RN, other, theirs);
        }
        return reset ? Merged.RESET : grew ? Merged.GREW : Merged.NOTHING_NEW;
    }

    private Merged becomes(Counter other) {
        copyFrom(other);
        return everReset() ? Merged.RESET : exists() ? Merged.GREW : Merged.NOTHING_NEW;
    }

    /// Whether `other` has a larger total of what `replica` added or subtracted.
    public boolean lags(Counter other, int replica) {
        int theirs = other.find(replica);
        int mine = find(replica);
        return theirs >= 0 && (lags(mine, P, other, theirs) || lags(mine, N, other, theirs));
    }

    private boolean lags(int mine, int total, Counter other, int theirs) {
        long high = mine < 0 ? 0 : high(mine, total);
        long low = mine < 0 ? 0 : low(mine, total);
        return compare(other.high(theirs, total), other.low(theirs, total), high, low) > 0;
    }

    /// Puts one shard of a fold in place of those of its members, for all folds that were added. Returns whether there
    /// were any.
    ///
    /// The sum of members that are behind is behind the sum of members that are not, so the larger totals of both are
    /// those of the latter: a shard of the fold that is there, or comes later from another node, is merged like any
    /// other.
    public boolean fold(Replicas known) {
        boolean folded = false;
        for (int fold = lowestFold(known); fold != Replicas.OWN; fold = lowestFold(known)) {
            takeMembers(known, fold);
            int sum = find(fold);
            if (sum < 0) {
                sum = insert(fold, -sum - 1);
            }
            for (int total = P; total < STRIDE; total += 2) {
                if (compare(taken[total], taken[total + 1], high(sum, total), low(sum, total)) > 0) {
                    put(sum, total, taken[total], taken[total + 1]);
                }
            }
            folded = true;
        }
        return folded;
    }

    /// The fold of the lowest rank of which there is a member here, [Replicas#OWN] if there is none.
    private int lowestFold(Replicas known) {
        int lowest = Replicas.OWN;
        for (int i = 0; i < shards; i++) {
            int fold = known.foldOf(replicas[i]);
            if (fold != Replicas.OWN && (lowest == Replicas.OWN || known.rankOf(fold) < known.rankOf(lowest))) {
                lowest = fold;
            }
        }
        return lowest;
    }

    /// Takes out the shards of a fold's members and adds them up in [#taken].
    private void takeMembers(Replicas known, int fold) {
        Arrays.fill(taken, 0);
        int kept = 0;
        for (int i = 0; i < shards; i++) {
            if (known.foldOf(replicas[i]) == fold) {
                for (int total = P; total < STRIDE; total += 2) {
                    long low = totals[i * STRIDE + total + 1];
                    taken[total + 1] += low;
                    taken[total] +=
                            totals[i * STRIDE + total] + (Long.compareUnsigned(taken[total + 1], low) < 0 ? 1 : 0);
                }
            } else {
                replicas[kept] = replicas[i];
                System.arraycopy(totals, i * STRIDE, totals, kept * STRIDE, STRIDE);
                kept++;
            }
        }
        shards = kept;
    }

    /// Whether something is counted here that was not reset here, and is not counted in `other`.
    boolean hasMoreThan(Counter other) {
        for (int mine = 0; mine < shards; mine++) {
            int theirs = other.find(replicas[mine]);
            if (exceeds(mine, P, RP, other, theirs) || exceeds(mine, N, RN, other, theirs)) {
                return true;
            }
        }
        return false;
    }

    /// Whether more is reset here than in `other`.
    boolean hasResetsBeyond(Counter other) {
        for (int mine = 0; mine < shards; mine++) {
            int theirs = other.find(replicas[mine]);
            if (isAbove(mine, RP, other, theirs) || isAbove(mine, RN, other, theirs)) {
                return true;
            }
        }
        return false;
    }

    private boolean isAbove(int mine, int total, Counter other, int theirs) {
        long high = theirs < 0 ? 0 : other.high(theirs, total);
        long low = theirs < 0 ? 0 : other.low(theirs, total);
        return compare(high(mine, total), low(mine, total), high, low) > 0;
    }

    private boolean exceeds(int mine, int total, int reset, Counter other, int theirs) {
        long high = high(mine, total);
        long low = low(mine, total);
        return compare(high, low, high(mine, reset), low(mine, reset)) > 0
                && (theirs < 0 || compare(high, low, other.high(theirs, total), other.low(theirs, total)) > 0);
    }

    /// What a merge did.
    public enum Merged {
        NOTHING_NEW,
        /// Some replica has added, subtracted or assigned more than was known.
        GREW,
        /// Something has been reset that was not known to be, whatever else grew.
        RESET
    }

    /// Makes room, in one pass from the back, for the shards that only `other` has.
    private void insertMissing(Counter other) {
        int missing = missingFrom(other);
        if (missing == 0) {
            return;
        }
        reserve(shards + missing);
        int from = shards - 1;
        int theirs = other.shards - 1;
        shards += missing;
        for (int to = shards - 1; to > from; to--) {
            if (from >= 0 && (theirs < 0 || replicas[from] >= other.replicas[theirs])) {
                theirs -= theirs >= 0 && replicas[from] == other.replicas[theirs] ? 1 : 0;
                replicas[to] = replicas[from];
                System.arraycopy(totals, from * STRIDE, totals, to * STRIDE, STRIDE);
                from--;
            } else {
                replicas[to] = other.replicas[theirs--];
                Arrays.fill(totals, to * STRIDE, (to + 1) * STRIDE, 0);
            }
        }
    }

    private int missingFrom(Counter other) {
        int missing = 0;
        int mine = 0;
        for (int theirs = 0; theirs < other.shards; theirs++) {
            while (mine < shards && replicas[mine] < other.replicas[theirs]) {
                mine++;
            }
            missing += mine < shards && replicas[mine] == other.replicas[theirs] ? 0 : 1;
        }
        return missing;
    }

    private boolean raiseTo(int mine, int total, Counter other, int theirs) {
        long high = other.high(theirs, total);
        long low = other.low(theirs, total);
        if (compare(high, low, high(mine, total), low(mine, total)) <= 0) {
            return false;
        }
        put(mine, total, high, low);
        return true;
    }

    /// Whether a reader sees the counter: something has been added or subtracted that was not reset since.
    public boolean exists() {
        for (int base = 0; base < shards * STRIDE; base += STRIDE) {
            if (differs(base, P, RP) || differs(base, N, RN)) {
                return true;
            }
        }
        return false;
    }

    private boolean differs(int base, int total, int reset) {
        return totals[base + total] != totals[base + reset] || totals[base + total + 1] != totals[base + reset + 1];
    }

    /// Whether anything of any shard was ever reset.
    public boolean everReset() {
        for (int base = 0; base < shards * STRIDE; base += STRIDE) {
            if ((totals[base + RP] | totals[base + RP + 1] | totals[base + RN] | totals[base + RN + 1]) != 0) {
                return true;
            }
        }
        return false;
    }

    /// Whether no shard claims to have been reset beyond what its replica ever counted, and a GCOUNT has no downs.
    public boolean wellFormed() {
        for (int i = 0; i < shards; i++) {
            if (compare(high(i, RP), low(i, RP), high(i, P), low(i, P)) > 0
                    || compare(high(i, RN), low(i, RN), high(i, N), low(i, N)) > 0
                    || (type == CounterType.GCOUNT && (high(i, N) | low(i, N)) != 0)) {
                return false;
            }
        }
        return true;
    }

    /// The sum of `base` and the counts, clamped into the range of its type: signed for a PNCOUNT, **unsigned** for a
    /// GCOUNT.
    public long value(long base) {
        addUp(base);
        return type == CounterType.GCOUNT ? sum.clampedUnsigned() : sum.clamped();
    }

    private void addUp(long start) {
        sum.set(start);
        for (int base = 0; base < shards * STRIDE; base += STRIDE) {
            sum.plus(totals[base + P], totals[base + P + 1]);
            sum.minus(totals[base + N], totals[base + N + 1]);
            sum.minus(totals[base + RP], totals[base + RP + 1]);
            sum.plus(totals[base + RN], totals[base + RN + 1]);
        }
    }

    /// Whether both are of one type and have equal shards.
    public boolean sameAs(Counter other) {
        return type == other.type
                && Arrays.equals(replicas, 0, shards, other.replicas, 0, other.shards)
                && Arrays.equals(totals, 0, shards * STRIDE, other.totals, 0, other.shards * STRIDE);
    }

    private int own(int replica) {
        int position = find(replica);
        return position >= 0 ? position : insert(replica, -position - 1);
    }

    private int insert(int replica, int position) {
        reserve(shards + 1);
        System.arraycopy(replicas, position, replicas, position + 1, shards - position);
        System.arraycopy(totals, position * STRIDE, totals, (position + 1) * STRIDE, (shards - position) * STRIDE);
        replicas[position] = replica;
        Arrays.fill(totals, position * STRIDE, (position + 1) * STRIDE, 0);
        shards++;
        return position;
    }

    private void raise(int position, int total, long amount) {
        int at = position * STRIDE + total;
        long low = totals[at + 1] + amount;
        totals[at] += Long.compareUnsigned(low, amount) < 0 ? 1 : 0;
        totals[at + 1] = low;
    }

    private void reserve(int wanted) {
        if (wanted > replicas.length) {
            int capacity = Math.max(wanted, replicas.length * 2);
            replicas = Arrays.copyOf(replicas, capacity);
            totals = Arrays.copyOf(totals, capacity * STRIDE);
        }
    }

    private static int compare(long leftHigh, long leftLow, long rightHigh, long rightLow) {
        int byHigh = Long.compareUnsigned(leftHigh, rightHigh);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(leftLow, rightLow);
    }
}
