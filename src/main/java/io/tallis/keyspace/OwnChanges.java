package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.runtime.Invariant;
import java.util.BitSet;

/// Which cells clients of this node changed: since they were last sent to others, and since any frame before.
///
/// Nothing of it costs anything before [#track]. Belongs to the replicator's thread, but for [#any] and [#newEntries].
public final class OwnChanges {
    /*
     * Two ways to the replicator
     * --------------------------
     * By a mark: an own change marks its cell and its partition in the lock section of the change; `drain` shows what
     * is marked as it is then, and stamps it with the frame that it goes out with. One entry goes out however often
     * the cell has changed, and a cell that was ever reset goes whole; but the replicator has to fetch each cell from
     * the cache of the core that has changed it.
     *
     * By an entry: the thread of an event loop encodes this process's share while it has the cell, and stamps the cell
     * itself; `drainEntries` only copies bytes. So go cells that were not changed lately and do not wait by a mark, which
     * are nearly all where many are changed at random; but none while several are changed as one, since an entry may
     * leave before the last of them.
     *
     *     change ──lately, marked, ever reset, of several, no room, no ring──▶ mark ──drain──▶ stamped ──▶ frame
     *        └──▶ stamped ahead ──▶ entry ──drainEntries──▶ stamped anew, where that is not enough ──▶ frame
     *
     * What must hold is that a change that went out with frame f is found by who asks for all since a frame before f:
     * its cell's stamp is at least that of f. An entry does not know its f, so its stamp is that of a frame some way
     * ahead; if it comes later yet, because its thread stood still or much was waiting, the cell is stamped anew before
     * the frame leaves. A stamp is never lowered. One that is too new costs an entry in some answer, no more. Totals
     * are absolute and only grow, so it does not matter in which order an entry and a mark of the same cell arrive.
     */

    /// The most cells shown under one hold of a lock.
    private static final int CHUNK = 256;

    /// About how many cells are in a range of hashes.
    private static final int RANGE = 16;

    /// The most ranges in one call, of some 25 slots each.
    private static final int RANGE_LIMIT = 800;

    private final Keyspace keyspace;

    /// The partitions with marks for the replicator. A bit is set and cleared under the lock of its partition, so it
    /// tells exactly whether there are marks.
    private final PartitionSet marked = new PartitionSet();

    /// Partitions that have not been emptied since [#watch] found them marked.
    private final BitSet watched = new BitSet(Keyspace.PARTITIONS);

    private final EntryRings rings;
    private final DueGlances glances = new DueGlances();
    private final int[] due = new int[DueGlances.LIMIT];
    private final Key key = new Key();
    private final Counter counter = new Counter();
    private boolean tracked;
    private int next;

    OwnChanges(Keyspace keyspace) {
        this.keyspace = keyspace;
        rings = new EntryRings(keyspace);
    }

    /// Sends a cell, under the lock of its partition.
    @FunctionalInterface
    public interface Sender {
        /// Returns the number of the frame that the cell goes out with. `key` and `counter` are good only until the
        /// call returns.
        long send(CounterType type, Key key, Counter counter);

        /// Whether there is room for another cell, whatever is left of the budget.
        default boolean takesMore() {
            return true;
        }
    }

    /// Sends entries.
    public interface EntrySender {
        /// Takes the entry of a cell with this process's share, and returns the number of the frame that it goes out
        /// with. The array is good only until the call returns.
        long send(byte[] array, int offset, int length);

        /// Whether there is room for another.
        boolean takesMore();
    }

    /// For one thread that changes counters. Any thread may call.
    public OwnEntries newEntries() {
        return newEntries(OwnEntries.BYTES);
    }

    /// In a ring of so many bytes, a power of two.
    public OwnEntries newEntries(int bytes) {
        return rings.add(bytes);
    }

    /// Begins to take note of own changes; to be called before the first of them, and once.
    public void track() {
        Invariant.check(!tracked, "own changes tracked once");
        tracked = true;
        for (int i = 0; i < Keyspace.PARTITIONS; i++) {
            Partition partition = keyspace.partition(i);
            partition.lock();
            try {
                partition.track(marked, i);
            } finally {
                partition.unlock();
            }
        }
    }

    /// Whether there is something to drain. May be asked by any thread.
    public boolean any() {
        return !marked.isEmpty() || rings.any();
    }

    /// Whether a partition is among those that [#drain] looks into.
    boolean mayHaveMarks(int partition) {
        return marked.contains(partition);
    }

    /// Hands over entries for as long as the sender takes more; those of each thread first in turn. An entry that the
    /// sender throws at stays.
    public void drainEntries(EntrySender sender) {
        rings.drain(sender);
    }

    /// The frames up to this one are sent: cells get stamps of later ones from now on.
    public void sent(long head) {
        rings.sent(head);
    }

    /// Shows cells with marks for own changes that were not sent since, and stamps them with the frames they go out
    /// with. Goes round the partitions, from behind the one where the last call ended, and ends when `budget` cells
    /// were shown or the sender takes no more. Returns how many. A cell that the sender throws at stays due.
    public int drain(int budget, Sender sender) {
        int shown = 0;
        int number = next;
        int left = Keyspace.PARTITIONS;
        while (left > 0 && shown < budget && sender.takesMore()) {
            int count = 0;
            for (; left > 0 && count < due.length; left--) {
                if (marked.contains(number)) {
                    due[count++] = number;
                    glances.add(keyspace.partition(number));
                }
                number = (number + 1) % Keyspace.PARTITIONS;
            }
            int _ = glances.finish();
            for (int i = 0; i < count && shown < budget && sender.takesMore(); i++) {
                next = (due[i] + 1) % Keyspace.PARTITIONS;
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
                partition.ownChangeSent(slot, Stamps.of(sender.send(counter.type(), key, counter)));
                shown++;
                slot = partition.nextOwnChange();
            }
            if (slot == CellTable.NONE) {
                marked.remove(number);
                watched.clear(number);
            }
            return shown;
        } finally {
            partition.unlock();
        }
    }

    /// Remembers what is due now, for [#watchedIsSent].
    public void watch() {
        rings.watch();
        watched.clear();
        for (int number = 0; number < Keyspace.PARTITIONS; number++) {
            watched.set(number, marked.contains(number));
        }
    }

    /// Whether all that was due at the last [#watch] was shown since, whatever else became due meanwhile.
    public boolean watchedIsSent() {
        return watched.isEmpty() && rings.watchedIsTaken();
    }

    /// Shows cells whose own changes were last sent after this frame, and some that were in the 15 frames up to it.
    ///
    /// Goes on from the cursor, 0 at first, for as long as there is room, and no further than some 20,000 slots.
    /// Returns the cursor to go on with, 0 at the end. A cell that is due at the first call is shown by the last,
    /// whatever tables do meanwhile; it may be one that went out again since.
    public long visitSince(long frame, long cursor, Room room, CellVisitor visitor) {
        long least = Stamps.leastAfter(frame);
        CellWalk walk = CellWalk.of(least, visitor);
        long from = CellWalk.hashOf(cursor);
        int ranges = 0;
        for (int number = CellWalk.partitionOf(cursor); number < Keyspace.PARTITIONS; number++, from = 0) {
            Partition partition = keyspace.partition(number);
            boolean due = Integer.toUnsignedLong(partition.newestStamp()) >= least;
            while (due && from < CellWalk.HASHES) {
                long to = CellWalk.rangeEnd(partition, from, RANGE);
                walk.visit(partition, from, to);
                from = to;
                if (!room.left() || ++ranges == RANGE_LIMIT) {
                    return CellWalk.cursor(number, from);
                }
            }
        }
        return 0;
    }

    /// Shows about `count` cells of all that there are, from the cursor on, as [Keyspace#scan] does, and tells of
    /// each whether it was ever sent as an own change. Returns the cursor to go on with, 0 at the end.
    public long visitFrom(long cursor, int count, RotationVisitor visitor) {
        return keyspace.walk(cursor, count, CellWalk.of(CellWalk.ANY_STAMP, visitor));
    }
}
