package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// About a thousandth of the keyspace, and the lock that guards it.
///
/// The lock is reentrant, so that a transaction holds the partitions of its keys while its commands take them
/// again.
final class Partition extends ReentrantLock {
    private static final long serialVersionUID = 1;

    /// Tries before the thread sleeps: a holder is usually done within a microsecond.
    private static final int SPINS = 100;

    private final transient CellTable table;

    // Raised and lowered under the lock, read by anybody.
    private final AtomicInteger keys = new AtomicInteger();
    private final AtomicInteger living = new AtomicInteger();
    private final AtomicInteger cells = new AtomicInteger();

    private long version;
    private long digestVersion = -1;
    private transient byte @Nullable [] digest;
    private transient @Nullable ReplicaId digestKey;

    // Own changes, once they are tracked
    private transient @Nullable PartitionSet ownChanges;
    private int number;
    private int newestStamp;
    private int drainedTo;
    private int latestOwnChange;
    private int changed;

    Partition(KeyHash probes, Slabs slabs, LongAdder bytesUsed) {
        table = new CellTable(probes, slabs, bytesUsed);
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

    /// Refuses what takes up to `more` bytes where records have `limit`; see [Bounds].
    void requireRoom(int limit, long more) {
        if (table.bytes() + more > limit) {
            throw new KeyspaceFullException();
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

    /// How many cells there are that no reader sees. May be asked without the lock: who looks in between sees too
    /// many, never fewer than none.
    int deletedCells() {
        int seen = living.get();
        return cells.get() - seen;
    }

    /// Fills `counter` with the cell, or empties it if there is none. Returns the slot, or [CellTable#NONE].
    int read(CounterType type, Key key, Counter counter) {
        int slot = table.find(type, key);
        if (slot == CellTable.NONE) {
            counter.clear(type);
        } else {
            table.read(slot, counter);
        }
        return slot;
    }

    /// Stores a changed cell that was read from `slot`, and marks it for the checkpoint; [#announce] follows. Returns
    /// whether the journal must have all of it.
    boolean write(int slot, Key key, Counter counter, Change change) {
        int at = slot;
        if (slot == CellTable.NONE) {
            at = table.insert(counter.type(), key, counter);
            cells.setRelease(table.cells());
        } else {
            table.update(slot, counter);
        }
        version++;
        Marks marks = table.marks();
        marks.changed(at);
        if (change.isReset()) {
            marks.reset(at);
        }
        changed = at;
        return marks.resetLately(at);
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
        table.marks().changed(slot);
        return true;
    }

    /// Lets the replicator know of the change that was written last, when the journal's log has it: by an entry
    /// where that is better and finds room, else by a mark.
    void announce(Key key, Counter counter, Change change, ChangeLog log, @Nullable OwnEntries entries) {
        if (ownChanges != null && change.isOwn() && (entries == null || !goesOut(key, counter, log, entries))) {
            table.marks().ownChange(changed);
            latestOwnChange = changed;
            ownChanges.add(number);
        }
    }

    /// Whether the cell is stamped and on its way as an entry. One that is marked, or was sent lately, is not: its
    /// entries would all be sent, while its mark is one however often it changes.
    private boolean goesOut(Key key, Counter counter, ChangeLog log, OwnEntries entries) {
        int stamp = entries.stamp();
        if (Integer.compareUnsigned(table.stamp(changed), stamp) >= 0
                || table.marks().isMarked(Keyspace.Consumer.REPLICATOR, changed)
                || counter.everReset()) {
            return false;
        }
        // Before it can be seen by who then asks for the newest stamp.
        stamp(changed, stamp);
        return log.copyTo(entries, key, counter, stamp);
    }

    /// Whether a reset of the cell that was read from `slot` may not be in the journal yet.
    boolean resetLately(int slot) {
        return slot != CellTable.NONE && table.marks().resetLately(slot);
    }

    /// From now on marks own changes for the replicator, and adds this partition to `changed` when it has any.
    void track(PartitionSet changed, int number) {
        ownChanges = changed;
        this.number = number;
    }

    /// The slot of a cell with an own change that is marked for the replicator, or [CellTable#NONE]. Goes round the
    /// table, so that none is left out for the sake of others that change all the time.
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

    /// The slot of the cell that was marked last for the replicator, as it was then. Needs no lock and means nothing
    /// without one; see [DueGlances].
    int glanceOwnChange() {
        return latestOwnChange;
    }

    /// Takes note that the own changes of the cell at `slot` were sent.
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

    /// The newest stamp of a cell here. The replicator's thread may ask without the lock: what it has sent was stamped
    /// by itself, or before it saw the entry.
    int newestStamp() {
        return newestStamp;
    }

    /// Stores a cell as the database has it, with nothing marked. The partition must not have it yet.
    void restore(Key key, Counter counter) {
        table.insert(counter.type(), key, counter);
        cells.setRelease(table.cells());
        version++;
    }

    /// Whether the key has a cell of `type` that a reader sees. Overwrites `spare`.
    boolean sees(CounterType type, Key key, Counter spare) {
        return table.cells(type) != 0 && read(type, key, spare) != CellTable.NONE && spare.exists();
    }

    /// Takes note that a cell begins to be seen by readers, or ends.
    void cellCounts(boolean appeared) {
        living.setRelease(living.getPlain() + (appeared ? 1 : -1));
    }

    /// Takes note that a key begins to be seen by readers, or ends.
    void keyCounts(boolean appeared) {
        keys.setRelease(keys.getPlain() + (appeared ? 1 : -1));
    }

    /// The digest of the present state under this key, if it is kept.
    byte @Nullable [] keptDigest(ReplicaId key) {
        lock();
        try {
            return digest != null && digestVersion == version && key.equals(digestKey) ? digest.clone() : null;
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
    /// outdated, and the digest never told.
    void keepDigest(byte[] digest, ReplicaId key, long version) {
        lock();
        try {
            this.digest = digest.clone();
            digestKey = key;
            digestVersion = version;
        } finally {
            unlock();
        }
    }
}
