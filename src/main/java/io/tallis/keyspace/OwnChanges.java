package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.runtime.Invariant;
import io.tallis.wire.ByteReader;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;

/// The record of what clients of this node changed, for the replicator: which cells have still to be sent to the peers,
/// and which were sent since a given frame, should a peer have lost some.
///
///     client      INCR visits          the cell is marked, or an entry with its new total is put into a ring
///     replicator  flushes              frame 18 has "visits 3"; the cell is stamped 18 and no longer marked
///     peer        lost frame 18        asks for all since frame 17
///     replicator  visitSince(17)       finds by the stamps what was sent after it; sent as it is then
///
/// Why stamps and not a log of what was sent: a log would have to reach back as far as the slowest peer. A stamp is
/// four bytes a cell, and reaches back to the start of the session.
///
/// Costs nothing before [#track]. Belongs to the replicator's thread, except [#newRing], [#any], [#stampAhead] and
/// [#partitionIsMarked].
public final class OwnChanges {
    /*
     * Two ways to the replicator
     * --------------------------
     * By a mark. The change marks its cell and its partition, under the lock that it holds anyway. `drain` shows each
     * marked cell as it is then and stamps it with the frame that it goes out with. However often a cell has changed,
     * it is sent once, and a cell with a reset is sent whole (I8). But the replicator has to fetch each cell from the
     * cache of the core that changed it.
     *
     * By an entry. The event loop encodes its own shard for the journal anyway; it copies that row into its ring and
     * stamps the cell itself, and `drainEntries` only copies bytes. This is better for cells that change seldom, which
     * are nearly all where many are changed at random. It is not taken
     *   - for a cell that was sent lately or is marked: its mark sends it once, entries would send every change;
     *   - for a cell with a reset: an entry has one shard only, and a reset is nothing without the others (I8);
     *   - for a cell with a source, whose shard this process may have changed beside its own;
     *   - while several changes are made as one (EXEC): an entry could leave before the last of them;
     *   - when the ring is full, which bounds its memory.
     *
     *     change ──▶ marked ──drain──▶ stamped with its frame ─────────────────────────────────────▶ frame
     *        └─────▶ stamped ahead, entry in the ring ──drainEntries──▶ stamped again if too old ──▶ frame
     *
     * Stamps
     * ------
     * A peer that lost frames asks for all cells sent after frame f. Whatever was lost must be found:
     *
     *     the stamp of a cell is never below that of the frame with its last own change.
     *
     * A mark is stamped when its frame is known. An entry does not know its frame yet, so it is stamped with a frame
     * some way ahead; if it goes out even later, because its thread was paused or much was waiting, its cell is stamped
     * again before the frame leaves. A stamp is never lowered. Too high a stamp makes an answer longer, no more.
     * Entries and marks of a cell may arrive in any order: totals are absolute and only grow.
     *
     * A stamp is an unsigned int, four bytes a cell, so it counts groups of 16 frames. That is enough for 2^36 frames,
     * 120 days of 6,000 frames a second. All frames beyond have the largest stamp, and an answer about some of
     * them is longer than necessary.
     */

    /// The stamp of a cell that was not sent in this session.
    static final int NEVER = 0;

    private static final int GROUP_BITS = 4;
    private static final long LARGEST_STAMP = (1L << Integer.SIZE) - 2;

    /// How many frames ahead entries are stamped: twice as many as went out in the last flush, within these bounds.
    private static final int LEAST_AHEAD = 4;

    private static final int MOST_AHEAD = 32;

    /// The most cells shown under one hold of a lock.
    private static final int CHUNK = 256;

    /// About how many cells are in a range of hashes.
    private static final int RANGE = 16;

    /// The most ranges in one call of [#visitSince], of some 25 slots each.
    private static final int RANGE_LIMIT = 800;

    private final Keyspace keyspace;

    /// The partitions with cells marked for the replicator, one bit each. A bit is set and cleared under the lock of
    /// its partition, so there it is exact.
    private final AtomicLongArray marked = new AtomicLongArray(Keyspace.PARTITIONS / Long.SIZE);

    private final List<EntryRing> rings = new CopyOnWriteArrayList<>();
    private final CellCodec codec;

    /// What cells are stamped with when they are changed now. Read by the event loops.
    private volatile int stampAhead = stampOf(LEAST_AHEAD);

    private final Prefetch prefetch;
    private final int[] due = new int[Prefetch.LIMIT];
    private final ByteReader reader = new ByteReader();
    private final Key key = new Key();
    private final Cell counter = new Cell();
    private boolean tracked;
    private long sent;
    private int nextPartition;
    private int nextRing;

    /// What was due at the last [#watch] and was not sent since: partitions, and for each ring where it ended.
    private final BitSet watchedPartitions = new BitSet(Keyspace.PARTITIONS);

    private final Map<EntryRing, Long> watchedRings = new HashMap<>();

    OwnChanges(Keyspace keyspace) {
        this.keyspace = keyspace;
        codec = new CellCodec(keyspace.replicas());
        prefetch = new Prefetch(keyspace);
    }

    /// Puts marked cells into frames.
    @FunctionalInterface
    public interface Sender {
        /// Called under the lock of the cell's partition. Returns the number of the frame that the cell goes out with.
        /// `key` and `counter` are good only until the call returns.
        long send(CounterType type, Key key, Cell counter);

        /// Whether there is room for another cell, whatever is left of the budget.
        default boolean takesMore() {
            return true;
        }
    }

    /// Puts entries into frames.
    public interface EntrySender {
        /// Returns the number of the frame that the entry, this process's shard of a cell, goes out with. The array is
        /// good only until the call returns.
        long send(byte[] array, int offset, int length);

        /// Whether there is room for another.
        boolean takesMore();
    }

    /// Is shown cells as a [CellVisitor] is, and whether each was ever sent in this session.
    @FunctionalInterface
    public interface Visitor {
        /// `key` and `counter` are good only until the call returns.
        void cell(CounterType type, Key key, Cell counter, boolean wasSent);
    }

    // For the threads that change counters

    /// A ring for one thread that changes counters.
    public EntryRing newRing() {
        return newRing(EntryRing.BYTES);
    }

    /// A ring of so many bytes, a power of two.
    public EntryRing newRing(int bytes) {
        EntryRing ring = new EntryRing(keyspace.replicas(), bytes);
        rings.add(ring);
        return ring;
    }

    /// What a cell is stamped with when its entry is put into a ring now.
    int stampAhead() {
        return stampAhead;
    }

    /// Whether any source has counted in the cell.
    boolean hasSource(Cell cell) {
        return keyspace.replicas().hasSource(cell.counts());
    }

    /// A cell of this partition was marked. The caller holds its lock. Costs a read if the partition is marked already.
    void partitionIsMarked(int number) {
        if (!isMarked(number)) {
            marked.accumulateAndGet(number >> 6, 1L << number, (word, bit) -> word | bit);
        }
    }

    // For the replicator

    /// Begins to take note of own changes. To be called once, before the first of them.
    public void track() {
        Invariant.check(!tracked, "own changes tracked once");
        tracked = true;
        for (int i = 0; i < Keyspace.PARTITIONS; i++) {
            Partition partition = keyspace.partition(i);
            partition.lock();
            try {
                partition.track(this, i);
            } finally {
                partition.unlock();
            }
        }
    }

    /// Whether anything waits to be sent. Any thread may ask.
    public boolean any() {
        for (int i = 0; i < marked.length(); i++) {
            if (marked.get(i) != 0) {
                return true;
            }
        }
        for (EntryRing ring : rings) {
            if (ring.any()) {
                return true;
            }
        }
        return false;
    }

    /// Whether a partition has marked cells; exact under its lock.
    boolean isMarked(int number) {
        return (marked.get(number >> 6) & 1L << number) != 0;
    }

    /// Hands over entries for as long as the sender takes more. The rings take turns in being first. If the sender
    /// throws, the entry stays.
    public void drainEntries(EntrySender sender) {
        int count = rings.size();
        for (int i = 0; i < count; i++) {
            EntryRing ring = rings.get((nextRing + i) % count);
            while (sender.takesMore() && ring.next()) {
                int stamp = stampOf(sender.send(ring.array(), ring.offset(), ring.length()));
                if (Integer.compareUnsigned(ring.stampOfEntry(), stamp) < 0) {
                    stampAgain(ring, stamp);
                }
                ring.taken();
            }
        }
        nextRing = count == 0 ? 0 : (nextRing + 1) % count;
    }

    private void stampAgain(EntryRing entry, int stamp) {
        CounterType type = openKey(entry);
        Partition partition = keyspace.partition(keyspace.partitionOf(key));
        partition.lock();
        try {
            int slot = partition.table().find(type, key);
            // It is gone if its cell was dropped while the entry waited.
            if (slot != CellTable.NONE) {
                partition.stamp(slot, stamp);
            }
        } finally {
            partition.unlock();
        }
    }

    private CounterType openKey(EntryRing entry) {
        try {
            CounterType type = codec.decodeKey(reader.on(entry.array(), entry.offset(), entry.length()));
            key.set(type, entry.array(), codec.keyOffset(), codec.keyLength());
            return type;
        } catch (MalformedException impossible) {
            throw new IllegalStateException("an entry of this process", impossible);
        }
    }

    /// Shows marked cells and stamps them with the frames that they go out with. Goes round the partitions, from behind
    /// the one where the last call ended, and ends when `budget` cells were shown or the sender takes no more. Returns
    /// how many were shown. If the sender throws, the cell stays marked.
    public int drain(int budget, Sender sender) {
        int shown = 0;
        int number = nextPartition;
        int left = Keyspace.PARTITIONS;
        while (left > 0 && shown < budget && sender.takesMore()) {
            int count = 0;
            for (; left > 0 && count < due.length; left--) {
                if (isMarked(number)) {
                    due[count++] = number;
                    prefetch.addMarked(keyspace.partition(number));
                }
                number = (number + 1) % Keyspace.PARTITIONS;
            }
            int _ = prefetch.forSending();
            for (int i = 0; i < count && shown < budget && sender.takesMore(); i++) {
                nextPartition = (due[i] + 1) % Keyspace.PARTITIONS;
                shown += drainPartition(due[i], budget - shown, sender);
            }
        }
        return shown;
    }

    private int drainPartition(int number, int budget, Sender sender) {
        int shown = 0;
        int limit;
        int chunk;
        do {
            limit = Math.min(CHUNK, budget - shown);
            chunk = drainChunk(number, limit, sender);
            shown += chunk;
        } while (chunk == limit && shown < budget && sender.takesMore());
        return shown;
    }

    private int drainChunk(int number, int limit, Sender sender) {
        Partition partition = keyspace.partition(number);
        partition.lock();
        try {
            int shown = 0;
            int slot = partition.nextOwnChange();
            while (slot != CellTable.NONE && shown < limit && sender.takesMore()) {
                partition.table().open(slot, key, counter);
                partition.ownChangeSent(slot, stampOf(sender.send(counter.type(), key, counter)));
                shown++;
                slot = partition.nextOwnChange();
            }
            if (slot == CellTable.NONE) {
                marked.accumulateAndGet(number >> 6, 1L << number, (word, bit) -> word & ~bit);
                watchedPartitions.clear(number);
            }
            return shown;
        } finally {
            partition.unlock();
        }
    }

    /// All frames up to this one are sent: entries are stamped with later ones from now on.
    public void sent(long head) {
        int stamp = stampOf(head + Math.clamp(2 * (head - sent), LEAST_AHEAD, MOST_AHEAD));
        sent = head;
        if (stamp != stampAhead) {
            stampAhead = stamp;
        }
    }

    /// Remembers what is due now, for [#watchedIsSent].
    public void watch() {
        watchedRings.clear();
        for (EntryRing ring : rings) {
            watchedRings.put(ring, ring.end());
        }
        watchedPartitions.clear();
        for (int number = 0; number < Keyspace.PARTITIONS; number++) {
            watchedPartitions.set(number, isMarked(number));
        }
    }

    /// Whether all that was due at the last [#watch] was sent since, whatever else became due meanwhile.
    public boolean watchedIsSent() {
        watchedRings.entrySet().removeIf(each -> each.getKey().isTakenUpTo(each.getValue()));
        return watchedPartitions.isEmpty() && watchedRings.isEmpty();
    }

    /// Shows cells with own changes that were sent after this frame, and some that were sent in the 15 frames up to it.
    ///
    /// Goes on from the cursor, 0 at first, for as long as there is room, and no further than some 20,000 slots.
    /// Returns the cursor to go on with, 0 at the end. A cell that is to be shown at the first call is shown by the
    /// last, whatever happens to the tables meanwhile; it may have been sent again since.
    public long visitSince(long frame, long cursor, BooleanSupplier hasRoom, CellVisitor visitor) {
        long least = leastStampAfter(frame);
        CellWalk walk = CellWalk.of(least, visitor);
        long from = CellWalk.hashOf(cursor);
        int ranges = 0;
        for (int number = CellWalk.partitionOf(cursor); number < Keyspace.PARTITIONS; number++, from = 0) {
            Partition partition = keyspace.partition(number);
            boolean hasSome = Integer.toUnsignedLong(partition.newestStamp()) >= least;
            while (hasSome && from < CellWalk.HASHES) {
                long to = CellWalk.rangeEnd(partition, from, RANGE);
                walk.visit(partition, from, to);
                from = to;
                if (!hasRoom.getAsBoolean() || ++ranges == RANGE_LIMIT) {
                    return CellWalk.cursor(number, from);
                }
            }
        }
        return 0;
    }

    /// Shows about `count` of all cells from the cursor on, as [Keyspace#scan] does. Returns the cursor to go on with,
    /// 0 at the end.
    public long visitFrom(long cursor, int count, Visitor visitor) {
        return keyspace.walk(cursor, count, CellWalk.of(CellWalk.ANY_STAMP, visitor));
    }

    // Stamps

    /// The stamp of a cell that was sent in this frame.
    static int stampOf(long frame) {
        Invariant.check(frame > 0, "frames are numbered from 1 on");
        return (int) Math.min(LARGEST_STAMP, groupOf(frame));
    }

    /// The least stamp, unsigned, of a cell that was sent after this frame.
    static long leastStampAfter(long frame) {
        return Math.min(LARGEST_STAMP, groupOf(Math.max(0, frame) + 1));
    }

    private static long groupOf(long frame) {
        return (frame >>> GROUP_BITS) + 1;
    }
}
