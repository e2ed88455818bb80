package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.crdt.Replicas;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// What all cells share that have a deadline: the time of day, how long they are kept after their end, and what this
/// process must remember of its own counts in cells that it dropped. Safe for concurrent use.
public final class Expiry {
    /*
     * When a cell is dropped
     * ----------------------
     *
     *     deadline ....... the cell ends: it is as if deleted, though its counts are still there
     *       + grace ...... its counts are reset, once all nodes are in reach
     *     horizon ........ the last copy of it ends, wherever one is
     *       + grace ...... a late copy from a peer is refused from now on, and a cell met here counts as absent
     *       + skew ....... the cell leaves memory and disk
     *
     * The two steps differ so that a cell which one node has dropped, and counts again from nothing, never meets the
     * resets that another node with a slower clock still has.
     *
     * What is remembered
     * ------------------
     * This process's own totals of a dropped cell are gone, so if the key is used again they begin at zero. That is safe
     * as long as no living copy of the old cell exists. One can exist only where a node extended the deadline and this
     * one has not heard of it, or where a node has not heard of the deadline: so only cells matter that are dropped while
     * some node is out of reach or lags behind. Each partition keeps a sketch of their keys (DroppedKeys) until all nodes
     * have been in reach again for long, and a new shard of such a key begins at the largest totals that this process
     * ever dropped, counted as reset. The same holds for keys whose deleted cells a purge has dropped (DeletedCells).
     *
     *     dropped out of reach     own p 7
     *     used again, +3           p 10 rp 7, worth 3;   a copy with p 7 that comes back later is reset by it
     *
     * The largest totals also tell a copy that comes back from a copy of a process whose memory was set back, which is a
     * fault (I1).
     */

    /// How far clocks of nodes may differ before a dropped cell could meet an old reset. A node alone waits for it,
    /// too: a start judges rows of the journal by a time that may be a second too early, and a cell that was dropped,
    /// and counts again, must not meet its old row then.
    static final long SKEW_MILLIS = TimeUnit.SECONDS.toMillis(5);

    /// How long a sketch is kept after the last drop that it tells of. A node that comes back with a copy of a dropped
    /// cell may know of nothing newer, so that no pull finds the copy: only the rotation shows it.
    private static final long SKETCH_MILLIS = TimeUnit.HOURS.toMillis(1);

    private static final long DIGEST_MILLIS = TimeUnit.MINUTES.toMillis(1);
    private static final long DEFAULT_GRACE_MILLIS = TimeUnit.SECONDS.toMillis(60);
    private static final long ALWAYS = Long.MAX_VALUE;
    private static final long NEVER = Long.MIN_VALUE;
    private static final int[] TOTALS = {Counter.P, Counter.N};

    private final LongSupplier epochMillis;
    private final LongAdder ended = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private volatile long graceMillis = DEFAULT_GRACE_MILLIS;
    /// When all nodes were in reach last, [#ALWAYS] or [#NEVER].
    private volatile long inReachAt = ALWAYS;

    /// Set when other nodes may keep for long what this one has dropped: its clock and another's differed by more than
    /// the skew, or a purge dropped cells here that had changed elsewhere. Sketches are kept then until this process
    /// ends.
    private volatile boolean keepsSketches;
    private volatile boolean waitsForTime;
    private volatile @Nullable Consumer<byte[]> endListener;
    private volatile boolean persistent;
    private volatile boolean alone;
    private volatile Runnable checkpoint = () -> {};

    /// Whether any partition may have dropped keys in its sketch, and when the last was added: written under `largest`.
    private volatile boolean hasSketch;

    private volatile long sketchedAt;

    /// Whether cells were dropped that nodes out of reach may have kept.
    private volatile boolean droppedOutOfReach;

    /// The largest own totals of any cell that was dropped, as high and low halves of p and n.
    private final long[] largest = new long[4];

    Expiry(LongSupplier epochMillis) {
        this.epochMillis = epochMillis;
    }

    /// The time of day in milliseconds since 1970.
    public long now() {
        return epochMillis.getAsLong();
    }

    /// Whether this node does not know the time of day yet, as it has not compared its clock: then nothing ends.
    public void waitsForTime(boolean waits) {
        waitsForTime = waits;
    }

    boolean isWaitingForTime() {
        return waitsForTime;
    }

    public void graceMillis(long graceMillis) {
        this.graceMillis = graceMillis;
    }

    public long graceMillis() {
        return graceMillis;
    }

    /// Whether every node that is known is reachable, this one has all that they changed, and they have what it changed
    /// itself but for the last [#SKEW_MILLIS].
    public void inReach(boolean inReach) {
        inReachAt = inReach ? ALWAYS : NEVER;
    }

    /// The same, where a replicator finds that out from time to time: it was so at this time of day, if ever, and else
    /// [Long#MIN_VALUE]. If the clock tells quite another time now, this process stood still or the clock was set, and
    /// what seems over may live on at other nodes.
    public void inReachAt(long epochMillis) {
        inReachAt = epochMillis;
    }

    /// Whether clocks that differ by so much make nodes drop cells at too different times.
    public static boolean isBeyondSkew(long millis) {
        return millis > SKEW_MILLIS || millis < -SKEW_MILLIS;
    }

    /// This node's clock and another's differ by more than the skew.
    public void clocksDiffer() {
        keepsSketches = true;
    }

    boolean isInReach() {
        long then = inReachAt;
        if (then == ALWAYS || then == NEVER) {
            return then == ALWAYS;
        }
        return !isBeyondSkew(now() - then);
    }

    /// Whether all nodes are in reach again after cells were dropped here that others may have kept. Says so once.
    public boolean takeReturn() {
        boolean isBack = droppedOutOfReach && isInReach();
        if (isBack) {
            droppedOutOfReach = false;
        }
        return isBack;
    }

    /// Whether sketches may be cleared. The caller clears them then.
    boolean takeClearing() {
        boolean may = hasSketch && !keepsSketches && isInReach() && now() - sketchedAt >= SKETCH_MILLIS;
        if (may) {
            hasSketch = false;
        }
        return may;
    }

    /// Whether this node belongs to no cluster and has never met another node: then no other has copies of its cells,
    /// and deleted cells are dropped like those that have ended.
    public void alone(boolean alone) {
        this.alone = alone;
    }

    boolean isAlone() {
        return alone;
    }

    /// Whether there is a journal, and checkpoints that delete on disk what was dropped.
    public void persistent(boolean persistent) {
        this.persistent = persistent;
    }

    /// What has a checkpoint taken soon, which deletes on disk what was dropped.
    public void checkpoint(Runnable request) {
        checkpoint = request;
    }

    void requestCheckpoint() {
        checkpoint.run();
    }

    boolean isPersistent() {
        return persistent;
    }

    /// How many counters have ended by their deadline.
    public long ended() {
        return ended.sum();
    }

    /// How many cells were dropped.
    public long dropped() {
        return dropped.sum();
    }

    /// The moment as of which digests show cells, so that two nodes of which one has reset or dropped a cell after the
    /// grace agree: the end of the present minute. With a grace that is shorter it is the end of a span of that length,
    /// since digests leave out what is past by then.
    long digestedAsOf() {
        long span = Math.min(DIGEST_MILLIS, graceMillis);
        return (now() / span + 1) * span;
    }

    /// Brings a cell into the form in which digests show it. Returns false if they leave it out.
    boolean showAsOf(Cell cell, long asOf) {
        if (isPast(cell, asOf)) {
            return false;
        }
        cell.life().ended(false);
        cell.endIfOver(asOf - graceMillis);
        return true;
    }

    /// Calls `listener` from now on with the keys that [Sweeper] ends; nothing if it is null. It is called without
    /// locks.
    public void tellEndsTo(@Nullable Consumer<byte[]> listener) {
        endListener = listener;
    }

    @Nullable
    Consumer<byte[]> endListener() {
        return endListener;
    }

    /// Tokens are no counters.
    void countEnded(Cell cell) {
        if (cell.type() != CounterType.TOKEN) {
            ended.increment();
        }
    }

    void countDropped() {
        dropped.increment();
    }

    /// Whether a copy of this cell from elsewhere comes too late, and one met here counts as absent.
    boolean isPast(Cell cell, long now) {
        return cell.isPast(now, graceMillis);
    }

    /// Whether the cell may leave memory and disk.
    boolean isDroppable(Cell cell, long now) {
        return cell.isPast(now, graceMillis + SKEW_MILLIS);
    }

    /// Whether the counts of a cell that has ended are to be reset, once all nodes are in reach.
    boolean isPastGrace(Cell cell, long now) {
        return cell.life().isEnded() && cell.life().isOver(now - graceMillis);
    }

    /// The time of day at which a cell that no reader sees has to be swept again, to reset its counts or to drop it.
    /// [Long#MAX_VALUE] if neither is ever due.
    long dueAt(Cell cell) {
        Life life = cell.life();
        if (life.isEnded() && life.horizon() != life.deadline()) {
            return after(life.deadline(), graceMillis);
        }
        return life.hasHorizon() ? after(life.horizon(), graceMillis + SKEW_MILLIS) : Long.MAX_VALUE;
    }

    private static long after(long epochMillis, long wait) {
        return epochMillis <= Long.MAX_VALUE - wait ? epochMillis + wait : Long.MAX_VALUE;
    }

    /// Remembers what is needed of a cell that a purge drops.
    void rememberPurged(Partition partition, Key key, Cell cell) {
        if (cell.counts().find(Replicas.OWN) >= 0) {
            keepsSketches = true;
            partition.droppedKeys().add(key.probe());
        }
        remember(partition, key, cell);
    }

    /// Whether the keys that a partition remembers may be forgotten: asked under the lock under which keys are added.
    boolean mayClear() {
        return !keepsSketches && isInReach();
    }

    /// Remembers what is needed of a cell that is being dropped.
    void remember(Partition partition, Key key, Cell cell) {
        if (!isInReach()) {
            droppedOutOfReach = true;
        }
        int own = cell.counts().find(Replicas.OWN);
        if (own < 0) {
            return;
        }
        synchronized (largest) {
            raise(largest, cell.counts(), own);
            if (!isInReach()) {
                partition.droppedKeys().add(key.probe());
                sketchedAt = Math.max(sketchedAt, now());
                hasSketch = true;
            }
        }
    }

    private static void raise(long[] totals, Counter counts, int shard) {
        for (int i = 0; i < TOTALS.length; i++) {
            long high = counts.high(shard, TOTALS[i]);
            long low = counts.low(shard, TOTALS[i]);
            if (isLess(totals[2 * i], totals[2 * i + 1], high, low)) {
                totals[2 * i] = high;
                totals[2 * i + 1] = low;
            }
        }
    }

    private static boolean isLess(long high, long low, long otherHigh, long otherLow) {
        int byHigh = Long.compareUnsigned(high, otherHigh);
        return byHigh != 0 ? byHigh < 0 : Long.compareUnsigned(low, otherLow) < 0;
    }

    /// Gives a cell whose key was dropped a shard of this process, if it has none.
    void beginShard(Cell cell) {
        if (cell.counts().find(Replicas.OWN) < 0) {
            liftOwnShard(cell);
        }
    }

    /// How a copy from elsewhere relates to what this process itself has counted in a cell.
    enum OwnShard {
        /// It has no more of it.
        KNOWN,
        /// It has what this process has dropped.
        DROPPED,
        /// It has what this process never made.
        UNKNOWN
    }

    OwnShard ownShard(Cell mine, Cell theirs) {
        if (!mine.counts().lags(theirs.counts(), Replicas.OWN)) {
            return OwnShard.KNOWN;
        }
        Counter counts = theirs.counts();
        int own = counts.find(Replicas.OWN);
        synchronized (largest) {
            for (int i = 0; i < TOTALS.length; i++) {
                if (isLess(
                        largest[2 * i], largest[2 * i + 1], counts.high(own, TOTALS[i]), counts.low(own, TOTALS[i]))) {
                    return OwnShard.UNKNOWN;
                }
            }
        }
        return OwnShard.DROPPED;
    }

    /// Lifts the own shard of the cell above all that this process ever dropped, without changing what it is worth: a
    /// copy of a dropped cell has come back.
    ///
    /// It is lifted by what the shard has itself, if that is more: peers may have reset up to that, and such a reset
    /// must not reach into what is counted here once the shard is lifted.
    void liftOwnShard(Cell mine) {
        Counter counts = mine.counts();
        int own = counts.find(Replicas.OWN);
        if (own < 0) {
            own = counts.insert(Replicas.OWN);
        }
        synchronized (largest) {
            lift(counts, own, Counter.P, Counter.RP, largest[0], largest[1]);
            if (counts.type() != CounterType.GCOUNT) {
                lift(counts, own, Counter.N, Counter.RN, largest[2], largest[3]);
            }
        }
    }

    private static void lift(Counter counts, int shard, int total, int reset, long leastHigh, long leastLow) {
        long high = counts.high(shard, total);
        long low = counts.low(shard, total);
        boolean isMore = isLess(leastHigh, leastLow, high, low);
        long liftHigh = isMore ? high : leastHigh;
        long liftLow = isMore ? low : leastLow;
        plus(counts, shard, total, liftHigh, liftLow);
        plus(counts, shard, reset, liftHigh, liftLow);
    }

    private static void plus(Counter counts, int shard, int total, long high, long low) {
        long sum = counts.low(shard, total) + low;
        long carry = Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
        counts.put(shard, total, counts.high(shard, total) + high + carry, sum);
    }
}
