package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A 1,024th of the keyspace: a table of cells and the lock that guards it.
///
/// So many parts let event loops work on different keys at once, and seldom meet at a lock. A lock for each key would
/// take more memory than most counters do. The lock is reentrant, so that a transaction holds the partitions of its
/// keys while its commands take them again.
final class Partition extends ReentrantLock {
    private static final long serialVersionUID = 1;

    /// Tries before the thread sleeps: a holder is usually done within a microsecond.
    private static final int SPINS = 100;

    /// The year 2109 in milliseconds: the sum of as many as a partition can have stays within 64 bits.
    private static final long LATEST_SUMMED = 1L << 42;

    private final transient CellTable table;

    // Changed under the lock, read without it.
    private final AtomicInteger keys = new AtomicInteger();
    private final AtomicInteger living = new AtomicInteger();
    private final AtomicInteger cells = new AtomicInteger();
    private final AtomicInteger dated = new AtomicInteger();
    private final AtomicLong deadlines = new AtomicLong();

    /// The earliest moment at which a cell here ends or may be dropped; changed under the lock, read without it.
    private volatile long dueAt = Long.MAX_VALUE;

    /// The same without what the present sweep looks at.
    private long dueAfterSweep = Long.MAX_VALUE;

    /// How many folds all cells here know, and how many those up to a slot, in a table of so many.
    private int foldsMade;

    private int foldsBegun;
    private int foldedTo;
    private int foldedSlots;

    /// The consumers that are there at present of those that come and go, as bits.
    private int watchers;

    /// Set while a checkpoint goes through the slots of this partition: cells must not move then.
    private boolean pinned;

    /// The type and the key of cells that were dropped since the last checkpoint, in their wire form, and how many
    /// bytes of that the present checkpoint has seen.
    private final transient ByteWriter dropped = new ByteWriter(0);

    private int droppedShown;
    private final transient DroppedKeys droppedKeys = new DroppedKeys();

    /// Raised by every change of a cell: a digest of another version is outdated.
    private long version;

    private long digestVersion = -1;
    private long digestAsOf;
    private transient byte @Nullable [] digest;
    private transient @Nullable ReplicaId digestKey;

    // Own changes, once they are tracked
    private transient @Nullable OwnChanges ownChanges;
    private int number;

    /// The newest stamp of any cell here: spares a search for cells sent after some later frame.
    private int newestStamp;

    /// The slot behind the cell that was sent last by its mark, where the search for the next begins.
    private int drainedTo;

    /// The slot that was marked last for the replicator: mostly the only one, which is then found without a search.
    private int latestOwnChange;

    /// The slot of the cell that was stored last.
    private int changed;

    /// The living fields of hashes; null until there is one.
    private transient volatile @Nullable PartitionFields fields;

    private final transient LongAdder bytesUsed;
    private final transient OrderMemory orderMemory;

    Partition(KeyHash probes, Slabs slabs, LongAdder bytesUsed, OrderMemory orderMemory) {
        table = new CellTable(probes, slabs, bytesUsed);
        this.bytesUsed = bytesUsed;
        this.orderMemory = orderMemory;
    }

    @Override
    public void lock() {
        for (int i = 0; i < SPINS; i++) {
            if (tryLock()) {
                return;
            }
            Thread.onSpinWait();
        }
        super.lock();
    }

    /// Refuses a change that takes up to `more` bytes when the records have more than `limit` with them; see
    /// [Capacity].
    void requireRoom(int limit, long more) {
        if (table.bytes() + more > limit) {
            throw KeyspaceFullException.ofPartition();
        }
    }

    CellTable table() {
        return table;
    }

    /// How many keys a reader sees here. May be read without the lock.
    int keys() {
        return keys.get();
    }

    /// How many cells there are, those of deleted counters among them. May be read without the lock.
    int cells() {
        return cells.get();
    }

    /// How many cells there are that no reader sees. May be asked without the lock; while cells change it may be too
    /// high, never negative.
    int deletedCells() {
        int seen = living.get();
        return cells.get() - seen;
    }

    /// How many cells with a deadline a reader sees here. May be read without the lock.
    int dated() {
        return dated.get();
    }

    /// The sum of the deadlines of these cells, of which none counts as later than [#LATEST_SUMMED]. May be read
    /// without the lock.
    long deadlines() {
        return deadlines.get();
    }

    /// The earliest moment at which something here ends or may be dropped. May be read without the lock.
    long dueAt() {
        return dueAt;
    }

    /// A sweep begins to go through the slots. Until it ends, something may still be due.
    void sweepBegins() {
        dueAfterSweep = Long.MAX_VALUE;
    }

    /// A sweep has looked at all slots; the earliest moment at which something is due that it has left.
    void sweepEnds(long earliestLeft) {
        dueAt = Math.min(earliestLeft, dueAfterSweep);
    }

    /// Cells may have moved to slots that a sweep has passed.
    void sweepAgain() {
        dueAfterSweep = 0;
    }

    /// Something here ends, or may be dropped, at this moment.
    void isDueAt(long epochMillis) {
        if (epochMillis < dueAt) {
            dueAt = epochMillis;
        }
        dueAfterSweep = Math.min(dueAfterSweep, epochMillis);
    }

    /// Fills `cell` with the cell as it is stored, even if its deadline has come, or empties it if there is none.
    /// Returns the slot, or [CellTable#NONE].
    int read(CounterType type, Key key, Cell cell) {
        int slot = table.find(type, key);
        if (slot == CellTable.NONE) {
            cell.clear(type);
        } else {
            table.read(slot, cell);
        }
        return slot;
    }

    /// Whether the cell at `slot`, or a new one, is so young that all its copies will hear of a deadline it gets now.
    boolean isYoung(int slot) {
        return slot == CellTable.NONE || table.marks().isYoung(slot);
    }

    /// The cell that was stored last is another life: copies of it are as young as those of a new one.
    void youngAgain() {
        table.marks().young(changed);
    }

    /// From now on changes are marked for the consumer, or not.
    void watch(Keyspace.Consumer consumer, boolean watched) {
        if (watched) {
            watchers |= consumer.bit();
        } else {
            watchers &= ~consumer.bit();
            table.marks().noneIsMarked(consumer);
        }
    }

    /// A checkpoint begins or ends to go through the slots.
    void pin(boolean pinned) {
        this.pinned = pinned;
    }

    /// Whether cells may be removed now.
    boolean isPinned() {
        return pinned;
    }

    /// Gives memory back that the cells do not need.
    void tidy() {
        table.tidy(!pinned);
        // As many slots as before may be others.
        foldedTo = 0;
    }

    /// Removes the cell at `slot`, whose key is `key`; with a `codec`, notes that for the next checkpoint, which
    /// deletes it on disk.
    void drop(int slot, Key key, @Nullable CellCodec codec) {
        if (codec != null) {
            codec.encodeKey(table.type(slot), key.array(), key.offset(), key.length(), dropped);
        }
        table.remove(slot);
        // A cell behind it may have moved to a slot that was folded.
        foldedTo = 0;
        cells.setRelease(table.cells());
        version++;
    }

    /// The keys that were dropped while nodes were out of reach.
    DroppedKeys droppedKeys() {
        return droppedKeys;
    }

    /// The types and keys of what was dropped and may still be in the database.
    ByteWriter dropped() {
        return dropped;
    }

    /// A checkpoint has seen [#dropped] up to this position.
    void droppedIsShown(int upTo) {
        droppedShown = upTo;
    }

    /// The database has what the last checkpoint was shown.
    void droppedIsSaved() {
        if (droppedShown > 0) {
            byte[] left = Arrays.copyOfRange(dropped.array(), droppedShown, dropped.position());
            dropped.clear();
            dropped.shrinkTo(0);
            dropped.bytes(left, 0, left.length);
            droppedShown = 0;
        }
    }

    /// How a cell came to change: by a client of this node or by a merge, and whether something was reset.
    enum Change {
        OWN,
        /// A client has told what a source has counted: not only this process's own shard has changed.
        OWN_SOURCE,
        OWN_RESET,
        MERGED,
        MERGED_RESET;

        boolean isOwn() {
            return this != MERGED && this != MERGED_RESET;
        }

        boolean isReset() {
            return this == OWN_RESET || this == MERGED_RESET;
        }
    }

    /// Stores a changed cell that was read from `slot`, and marks it for the checkpoint; [#announce] follows. Returns
    /// whether the journal must have the whole cell.
    boolean write(int slot, Key key, Cell cell, Change change) {
        int at = slot;
        if (slot == CellTable.NONE) {
            at = table.insert(cell.type(), key, cell);
            cells.setRelease(table.cells());
        } else {
            table.update(slot, cell);
        }
        version++;
        Marks marks = table.marks();
        if (slot == CellTable.NONE) {
            marks.young(at);
        }
        marks.changed(at);
        if (watchers != 0) {
            tellOf(Keyspace.Consumer.WATCHERS, at);
        }
        if (change.isReset()) {
            marks.reset(at);
        }
        changed = at;
        return marks.resetRecently(at);
    }

    /// Puts the shards of folds in place of those of their members in the next `most` slots. Returns in how many, 0 if
    /// it was done for all before. The journal and the database keep the rows as they were: every start does the same.
    int fold(Replicas replicas, int most) {
        int added = replicas.foldsAdded();
        if (added == foldsMade || !replicas.hasMetMembers()) {
            return 0;
        }
        if (foldsBegun != added || foldedSlots != table.slots()) {
            foldsBegun = added;
            foldedSlots = table.slots();
            foldedTo = 0;
        }
        Cell cell = new Cell();
        int from = foldedTo;
        int end = (int) Math.min(table.slots(), (long) foldedTo + most);
        for (; foldedTo < end; foldedTo++) {
            if (!table.isEmpty(foldedTo)) {
                table.read(foldedTo, cell);
                boolean existed = cell.exists();
                if (cell.counts().fold(replicas)) {
                    table.update(foldedTo, cell);
                    version++;
                    if (existed && !cell.exists()) {
                        vanished(foldedTo, cell);
                    }
                }
            }
        }
        if (end == table.slots()) {
            foldsMade = added;
        }
        return end - from;
    }

    /// A start has found the members of a fold in one row and, in a later one, that the fold's shard was reset.
    private void vanished(int slot, Cell cell) {
        deadlineChanged(cell.type(), cell.life().deadline(), Life.NEVER);
        Key key = new Key();
        Cell other = new Cell();
        table.openKey(slot, key);
        table.place(key);
        boolean _ = appearedOrVanished(cell.type(), key, false, other);
        ended(cell.type(), key);
    }

    /// Stores the cell that was read last, at `slot`, and has ended. Nothing is marked but for the watchers: every
    /// start, and every peer, ends it by itself.
    void end(int slot, Cell cell) {
        table.update(slot, cell);
        if (watchers != 0) {
            tellOf(Keyspace.Consumer.WATCHERS, slot);
            tellOf(Keyspace.Consumer.CACHES, slot);
        }
        version++;
    }

    /// Stores the cell that was read last, at `slot`, which had ended and is reset now. Marks nothing: every start does
    /// the same.
    void reset(int slot, Cell cell) {
        table.update(slot, cell);
        version++;
    }

    /// Adds a cell, of which `packed` begins with the packed form, and marks it for the checkpoint. Returns false,
    /// having changed nothing, if there is one already.
    boolean add(CounterType type, Key key, byte[] packed, int size) {
        if (table.find(type, key) != CellTable.NONE) {
            return false;
        }
        int slot = table.insert(type, key, packed, size);
        cells.setRelease(table.cells());
        version++;
        table.marks().young(slot);
        table.marks().changed(slot);
        if (watchers != 0) {
            tellOf(Keyspace.Consumer.WATCHERS, slot);
            tellOf(Keyspace.Consumer.CACHES, slot);
            tellOf(Keyspace.Consumer.MERGES, slot);
        }
        return true;
    }

    private void tellOf(Keyspace.Consumer consumer, int slot) {
        if ((watchers & consumer.bit()) != 0) {
            table.marks().mark(consumer, slot);
        }
    }

    /// The cell that was stored last was changed by a merge, for readers too.
    void merged() {
        tellOf(Keyspace.Consumer.MERGES, changed);
    }

    /// Whether there are clients that cache what they have read.
    boolean isCached() {
        return (watchers & Keyspace.Consumer.CACHES.bit()) != 0;
    }

    /// Those clients have to be told of the cell that was stored last.
    void changedForCaches() {
        tellOf(Keyspace.Consumer.CACHES, changed);
    }

    /// Tells the replicator of the change that was stored last and is in `log`: by an entry in `ring`, or by a mark.
    /// See [OwnChanges] for which.
    void announce(Key key, Cell cell, Change change, ChangeLog log, @Nullable EntryRing ring) {
        if (ownChanges != null && change.isOwn() && (ring == null || !sendAsEntry(key, cell, log, ring, ownChanges))) {
            table.marks().ownChange(changed);
            latestOwnChange = changed;
            ownChanges.partitionIsMarked(number);
        }
    }

    private boolean sendAsEntry(Key key, Cell cell, ChangeLog log, EntryRing ring, OwnChanges own) {
        int stamp = own.stampAhead();
        // The cases of OwnChanges in which a mark must do: sent lately, marked already, ever reset, of a source.
        if (Integer.compareUnsigned(table.stamp(changed), stamp) >= 0
                || table.marks().isMarked(Keyspace.Consumer.REPLICATOR, changed)
                || cell.counts().everReset()
                || own.hasSource(cell)) {
            return false;
        }
        // Before the entry can be sent: from then on a peer may ask for the newest stamp.
        stamp(changed, stamp);
        return log.copyTo(ring, key, cell, stamp);
    }

    /// Whether the journal may still lack a reset of the cell that was read from `slot`.
    boolean resetRecently(int slot) {
        return slot != CellTable.NONE && table.marks().resetRecently(slot);
    }

    /// From now on tells `ownChanges` of changes by clients; `number` is that of this partition.
    void track(OwnChanges ownChanges, int number) {
        this.ownChanges = ownChanges;
        this.number = number;
    }

    /// The slot of a cell that is marked for the replicator, or [CellTable#NONE]. Goes round the table, so that cells
    /// that change all the time do not starve the others.
    int nextOwnChange() {
        Marks marks = table.marks();
        int count = marks.count(Keyspace.Consumer.REPLICATOR);
        if (count == 0) {
            return CellTable.NONE;
        }
        if (count == 1 && marks.isMarked(Keyspace.Consumer.REPLICATOR, latestOwnChange)) {
            return latestOwnChange;
        }
        int slot = marks.next(Keyspace.Consumer.REPLICATOR, drainedTo);
        return slot >= 0 ? slot : marks.next(Keyspace.Consumer.REPLICATOR, 0);
    }

    /// The slot of the cell that was marked last for the replicator, as it was then. For [Prefetch], without the lock.
    int peekLatestOwnChange() {
        return latestOwnChange;
    }

    /// The cell at `slot` was sent: stamps and unmarks it.
    void ownChangeSent(int slot, int stamp) {
        stamp(slot, stamp);
        table.marks().unmark(Keyspace.Consumer.REPLICATOR, slot);
        drainedTo = slot + 1;
    }

    /// Stamps the cell, unless it has a newer one.
    void stamp(int slot, int stamp) {
        if (Integer.compareUnsigned(stamp, table.stamp(slot)) > 0) {
            table.stamp(slot, stamp);
        }
        if (Integer.compareUnsigned(stamp, newestStamp) > 0) {
            newestStamp = stamp;
        }
    }

    /// The newest stamp of a cell here. The replicator's thread may ask without the lock: whatever it has sent was
    /// stamped by this thread, or before this thread saw the entry.
    int newestStamp() {
        return newestStamp;
    }

    /// Stores a cell as the database has it, with nothing marked. The partition must not have it yet.
    void restore(Key key, Cell cell) {
        table.insert(cell.type(), key, cell);
        cells.setRelease(table.cells());
        version++;
    }

    /// Whether the key has a cell of `type` that a reader sees at `now`. Overwrites `spare`.
    boolean sees(CounterType type, Key key, Cell spare, long now) {
        return counts(type, key, spare) && !spare.life().isOver(now);
    }

    /// Whether the key has a cell of `type` that is counted as seen: one that has ended is until it is stored as ended.
    /// Overwrites `spare`.
    boolean counts(CounterType type, Key key, Cell spare) {
        return table.cells(type) != 0 && read(type, key, spare) != CellTable.NONE && spare.exists();
    }

    /// Counts a cell that readers begin to see, or see no more. A key exists as long as readers see a cell of either
    /// type, or a field of the hash of that name. Returns whether the key appeared or vanished. Overwrites `spare`.
    boolean appearedOrVanished(CounterType type, Key key, boolean appeared, Cell spare) {
        int more = appeared ? 1 : -1;
        living.setRelease(living.getPlain() + more);
        PartitionFields hashes = fields;
        boolean isKey = switch (type) {
            case GCOUNT, PNCOUNT -> !counts(type.other(), key, spare) && (hashes == null || !hashes.has(key));
            case FIELD -> fieldsMade().appearedOrVanished(key, appeared, spare);
            case TOKEN -> false;
        };
        if (isKey) {
            keys.setRelease(keys.getPlain() + more);
        }
        return isKey;
    }

    private PartitionFields fieldsMade() {
        PartitionFields made = fields;
        if (made == null) {
            made = new PartitionFields(this, bytesUsed, orderMemory);
            fields = made;
        }
        return made;
    }

    /// Whether there ever was a field of a hash here. May be asked without the lock.
    boolean hasFields() {
        return fields != null;
    }

    /// The living fields of hashes, null if there never were any.
    @Nullable
    PartitionFields fields() {
        return fields;
    }

    /// A field has changed, see [FieldOrder#changed].
    void valueChanged(Key field, @Nullable Score before, Cell cell) {
        if (fields != null) {
            fields.changed(field, before, cell);
        }
    }

    /// A cell that was received has been added. Overwrites `spare`.
    void valueAppeared(CounterType type, Key key, Cell spare) {
        if (type == CounterType.FIELD && fields != null && fields.hasOrders()) {
            int _ = read(type, key, spare);
            fields.changed(key, null, spare);
        }
    }

    /// A cell was stored as ended without having been opened for a change, see [PartitionFields#ended].
    void ended(CounterType type, Key key) {
        if (type == CounterType.FIELD && fields != null) {
            fields.ended(key);
        }
    }

    /// Counts the deadline of a cell that readers see: what it was and is, [Life#NEVER] for none. No reader sees
    /// tokens.
    void deadlineChanged(CounterType type, long before, long after) {
        if (before != after && type != CounterType.TOKEN) {
            int more = (after == Life.NEVER ? 0 : 1) - (before == Life.NEVER ? 0 : 1);
            dated.setRelease(dated.getPlain() + more);
            deadlines.setRelease(deadlines.getPlain() + summed(after) - summed(before));
        }
    }

    private static long summed(long deadline) {
        return deadline == Life.NEVER ? 0 : Math.clamp(deadline, 0, LATEST_SUMMED);
    }

    /// The digest of the present state under this key, as of a time of day, if it is kept.
    byte @Nullable [] keptDigest(ReplicaId key, long asOf) {
        lock();
        try {
            boolean isOfThen = digestAsOf == asOf || dueAt > asOf + Expiry.SKEW_MILLIS;
            return digest != null && digestVersion == version && isOfThen && key.equals(digestKey)
                    ? digest.clone()
                    : null;
        } finally {
            unlock();
        }
    }

    /// A number that every change of a cell raises.
    long version() {
        lock();
        try {
            return version;
        } finally {
            unlock();
        }
    }

    /// Keeps a digest that was begun when the partition had this version. If a cell changed since, the version is
    /// outdated, and the digest is never returned.
    void keepDigest(byte[] digest, ReplicaId key, long asOf, long version) {
        lock();
        try {
            digestAsOf = asOf;
            this.digest = digest.clone();
            digestKey = key;
            digestVersion = version;
        } finally {
            unlock();
        }
    }
}
