package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.runtime.Halt;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// The counters of a keyspace, as one thread reads and changes them.
///
/// Every method takes the lock of the key's partition, so each is atomic by itself; several are, between [#lock]
/// and [#unlock]. A change and its mark share one section of the lock, and the change is recorded in this thread's
/// [ChangeLog]. Belongs to one thread.
///
/// Methods that change a counter on behalf of a client or a peer throw [KeyspaceFullException], having changed nothing,
/// when they find it, or its partition, full.
public final class Counters {
    private final Keyspace keyspace;
    private final ChangeLog log;
    private final @Nullable OwnEntries entries;
    private final Headroom headroom;
    private final Counter cell = new Counter();
    private final Counter spare = new Counter();
    private int slot;
    private long changes;

    /// While several steps are held together what they change is marked: an entry might be sent before the last step.
    private int held;

    public Counters(Keyspace keyspace, ChangeLog log) {
        this(keyspace, log, null);
    }

    /// For a thread that changes much: `entries`, which is nobody else's, takes what it changes for clients to the
    /// replicator.
    public Counters(Keyspace keyspace, ChangeLog log, @Nullable OwnEntries entries) {
        this.keyspace = keyspace;
        this.log = log;
        this.entries = entries;
        headroom = new Headroom(keyspace);
    }

    public Keyspace keyspace() {
        return keyspace;
    }

    public ChangeLog log() {
        return log;
    }

    /// How many changes were ever begun here: tells whether something that ran may have changed anything.
    public long changes() {
        return changes;
    }

    /// What room changes find, and what they take.
    public Headroom headroom() {
        return headroom;
    }

    // Holding several steps together

    /// Keeps all other threads from the key until [#unlock]; may be nested.
    public void lock(Key key) {
        partition(key).lock();
        held++;
    }

    public void unlock(Key key) {
        held--;
        partition(key).unlock();
    }

    /// Keeps all other threads from these partitions until [#unlockAll]; taken in ascending order.
    public void lockAll(BitSet partitions) {
        for (int i = partitions.nextSetBit(0); i >= 0; i = partitions.nextSetBit(i + 1)) {
            keyspace.partition(i).lock();
        }
        held++;
    }

    public void unlockAll(BitSet partitions) {
        held--;
        for (int i = partitions.nextSetBit(0); i >= 0; i = partitions.nextSetBit(i + 1)) {
            keyspace.partition(i).unlock();
        }
    }

    // Reading

    /// Reads a counter; [#value] and [#counter] then tell of it. Returns whether it exists.
    public boolean read(CounterType type, Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            return partition.read(type, key, cell) != CellTable.NONE && cell.exists();
        } finally {
            partition.unlock();
        }
    }

    /// Whether the key holds a counter of either type.
    public boolean exists(Key key) {
        return readAny(key) != null;
    }

    /// Reads what the key holds, the PNCOUNT before the GCOUNT; [#value] and [#counter] then tell of it. Returns its
    /// type, null when there is neither.
    public @Nullable CounterType readAny(Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            if (partition.sees(CounterType.PNCOUNT, key, cell)) {
                return CounterType.PNCOUNT;
            }
            return partition.sees(CounterType.GCOUNT, key, cell) ? CounterType.GCOUNT : null;
        } finally {
            partition.unlock();
        }
    }

    /// What the counter that was read or changed last is worth; **unsigned** if it is a GCOUNT.
    public long value() {
        return cell.value();
    }

    /// The counter that was read or changed last; good until the next call of any method.
    public Counter counter() {
        return cell;
    }

    /// All that is known of a key, for telling later whether anything changed; null when nothing is known.
    public byte @Nullable [] snapshot(Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            partition.read(CounterType.PNCOUNT, key, cell);
            partition.read(CounterType.GCOUNT, key, spare);
            if (cell.shards() + spare.shards() == 0) {
                return null;
            }
            byte[] bytes = new byte[PackedCell.size(cell) + PackedCell.size(spare)];
            PackedCell.write(spare, bytes, PackedCell.write(cell, bytes, 0));
            return bytes;
        } finally {
            partition.unlock();
        }
    }

    /// Whether the key is still as it was when the snapshot was taken.
    public boolean unchanged(Key key, byte @Nullable [] snapshot) {
        return Arrays.equals(snapshot, snapshot(key));
    }

    // Changing, on behalf of a client

    /// Adds to a PNCOUNT. Returns false, having changed nothing, when the value would leave 64 signed bits.
    public boolean add(Key key, long delta) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            boolean existed = cell.exists();
            if (!cell.add(Replicas.OWN, delta)) {
                return false;
            }
            if (delta != 0) {
                save(partition, key, existed, Change.OWN);
            }
            return true;
        } finally {
            partition.unlock();
        }
    }

    /// Adds to a PNCOUNT on behalf of a client that takes a key for a plain number: refused where the key has a
    /// GCOUNT only, and adding 0 makes the counter exist. Changes nothing unless it is [Increment#DONE].
    public Increment increment(Key key, long delta) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            boolean existed = cell.exists();
            if (!existed) {
                if (partition.sees(CounterType.GCOUNT, key, spare)) {
                    return Increment.WRONG_TYPE;
                }
                // A change replaces the cell that was read last, which is now the other one.
                slot = partition.read(CounterType.PNCOUNT, key, cell);
            }
            if (!cell.add(Replicas.OWN, delta)) {
                return Increment.OUT_OF_RANGE;
            }
            if (delta == 0 && !existed) {
                cell.touch(Replicas.OWN);
            }
            if (delta != 0 || !existed) {
                save(partition, key, existed, Change.OWN);
            }
            return Increment.DONE;
        } finally {
            partition.unlock();
        }
    }

    /// What became of an increment.
    public enum Increment {
        DONE,
        /// The value would leave 64 signed bits.
        OUT_OF_RANGE,
        /// The key has a GCOUNT and no PNCOUNT.
        WRONG_TYPE
    }

    /// Adds an unsigned amount to a GCOUNT, which saturates at 2^64-1.
    public void grow(Key key, long amount) {
        Partition partition = open(CounterType.GCOUNT, key);
        try {
            boolean existed = cell.exists();
            cell.grow(Replicas.OWN, amount);
            if (amount != 0) {
                save(partition, key, existed, Change.OWN);
            }
        } finally {
            partition.unlock();
        }
    }

    /// Gives a PNCOUNT a value: takes back all that is known of it and adds `value`, in one change.
    public void set(Key key, long value) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            boolean existed = cell.exists();
            boolean reset = cell.reset();
            if (value == 0) {
                cell.touch(Replicas.OWN);
            } else {
                cell.add(Replicas.OWN, value);
            }
            save(partition, key, existed, reset ? Change.OWN_RESET : Change.OWN);
        } finally {
            partition.unlock();
        }
    }

    /// Takes back all that is known of a counter. Returns whether it existed.
    public boolean delete(CounterType type, Key key) {
        Partition partition = open(type, key);
        try {
            boolean existed = cell.reset();
            if (existed) {
                save(partition, key, true, Change.OWN_RESET);
            } else if (partition.resetLately(slot)) {
                // Who hears that nothing is there must not see it come back: it leaves when the journal has the reset.
                recordAgain(key);
            }
            return existed;
        } finally {
            partition.unlock();
        }
    }

    /// Deletes both counters of a key, as one. Returns whether there was one.
    public boolean delete(Key key) {
        lock(key);
        log.beginGroup();
        try {
            headroom.requireRoomForReset(key);
            boolean deleted = delete(CounterType.PNCOUNT, key);
            return delete(CounterType.GCOUNT, key) || deleted;
        } finally {
            log.endGroup();
            unlock(key);
        }
    }

    // Changing, on behalf of a disk or a peer

    /// Merges what is known elsewhere into a counter, and marks and records it if anything is new.
    ///
    /// The caller may tell others that the journal has what was merged as soon as it has this thread's records. A
    /// reset that a client made lately may still be in that client's thread, so such a cell is recorded here too.
    public Counter.Merged merge(Key key, Counter other) {
        return merge(key, other, Bounds.MERGES, Bounds.SHARDS);
    }

    /// The same for what the journal has, which was there before.
    public Counter.Merged mergeAgain(Key key, Counter other) {
        return merge(key, other, Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    private Counter.Merged merge(Key key, Counter other, int mostBytes, int mostShards) {
        Partition partition = open(other.type(), key);
        try {
            boolean existed = cell.exists();
            int shards = cell.shards();
            Counter.Merged merged = cell.merge(other);
            if (merged != Counter.Merged.NOTHING_NEW) {
                partition.requireRoom(mostBytes, 0);
                requireShards(shards, mostShards);
                change(partition, key, existed, merged == Counter.Merged.RESET ? Change.MERGED_RESET : Change.MERGED);
            } else if (partition.resetLately(slot)) {
                recordAgain(key);
            }
            return merged;
        } finally {
            partition.unlock();
        }
    }

    private void requireShards(int before, int most) {
        if (cell.shards() > Math.max(before, most)) {
            throw new KeyspaceFullException();
        }
    }

    /// Whether `other` tells more of what this process counted than it has counted, which nobody can know.
    public boolean isBeyondOwn(Key key, Counter other) {
        return other.find(Replicas.OWN) >= 0 && lacksOwn(key, other);
    }

    private boolean lacksOwn(Key key, Counter other) {
        Partition partition = open(other.type(), key);
        try {
            return cell.lags(other, Replicas.OWN);
        } finally {
            partition.unlock();
        }
    }

    /// Takes over a cell from the database, marking nothing; a cell that is there already is merged.
    public void restore(Key key, Counter other) {
        Partition partition = open(other.type(), key);
        try {
            if (slot != CellTable.NONE) {
                Counter.Merged _ = mergeAgain(key, other);
                return;
            }
            partition.restore(key, other);
            if (other.exists()) {
                appearedOrVanished(partition, key, other);
            }
        } finally {
            partition.unlock();
        }
    }

    // How

    private Partition partition(Key key) {
        return keyspace.partition(keyspace.partitionOf(key));
    }

    private Partition open(CounterType type, Key key) {
        Partition partition = partition(key);
        partition.lock();
        slot = partition.read(type, key, cell);
        return partition;
    }

    private void save(Partition partition, Key key, boolean existed, Change change) {
        partition.requireRoom(slot == CellTable.NONE ? keyspace.clientBytes() : Bounds.CHANGES, 0);
        change(partition, key, existed, change);
    }

    private void change(Partition partition, Key key, boolean existed, Change change) {
        try {
            changes++;
            boolean whole = partition.write(slot, key, cell, change);
            if (existed != cell.exists()) {
                appearedOrVanished(partition, key, cell);
            }
            log.record(key, cell, whole || !change.isOwn());
            partition.announce(key, cell, change, log, held == 0 ? entries : null);
        } catch (RuntimeException | Error mistake) {
            // The cell may have changed and not be recorded, or not be whole: nobody may see it.
            throw Halt.because(mistake);
        }
    }

    private void recordAgain(Key key) {
        try {
            changes++;
            log.record(key, cell, true);
        } catch (RuntimeException | Error mistake) {
            // Half of a row would be taken for a whole one.
            throw Halt.because(mistake);
        }
    }

    /// A key is there as long as a reader sees a cell of either type.
    private void appearedOrVanished(Partition partition, Key key, Counter changed) {
        boolean appeared = changed.exists();
        partition.cellCounts(appeared);
        if (!partition.sees(changed.type().other(), key, spare)) {
            partition.keyCounts(appeared);
        }
    }
}
