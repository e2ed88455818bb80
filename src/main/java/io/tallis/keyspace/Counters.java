package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.runtime.Halt;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// One thread's access to the counters of the keyspace: read, add, set, delete, merge. All changes go through it (only
/// [CellInserter] adds cells beside it), so that none lacks its row in the journal or its mark.
///
/// Every method takes the lock of the key's partition, so each is atomic by itself; several together are atomic between
/// [#lock] and [#unlock]. A change, its marks and its record in this thread's [ChangeLog] are made under one hold of
/// the lock. Belongs to one thread.
///
/// Methods that change a counter on behalf of a client or a peer throw [KeyspaceFullException], having changed nothing,
/// when the counter or its partition is full; see [Capacity].
public final class Counters {
    /*
     * What a change leaves behind
     * ---------------------------
     * In this order, under one hold of the partition's lock:
     *   1. the cell is packed again and marked for the checkpoint;
     *   2. it is recorded for the journal, by one row;
     *   3. if a client made the change, the replicator is told, by a copy of the row or by a mark.
     *
     *     change                                    row
     *     increment                                 this process's own shard
     *     delete, set, merge                        the whole cell
     *     any change of a cell that was reset, as
     *     long as the journal may lack that reset   the whole cell
     *
     * The last line is what I8 asks for. Two event loops may change a cell one after the other, and a crash may leave
     * only the turn of the second. If that is an increment after a SET, its row alone would put the value of the SET
     * into this process's shard beside the shards of others as they were before it. After two rotations of the journal
     * everything recorded before them is written, and rows may be short again.
     *
     * The row comes before the replicator: what could not be recorded is not sent. If anything fails in between, the
     * process ends, since the cell may have changed without a record.
     */

    private final Keyspace keyspace;
    private final ChangeLog log;
    private final @Nullable EntryRing ring;
    private final Capacity capacity;
    private final Counter cell = new Counter();
    private final Counter spare = new Counter();
    private int slot;
    private long changes;

    /// How many sections of several steps are open. What they change is marked for the replicator and makes no entry,
    /// which might be sent before the last step.
    private int held;

    public Counters(Keyspace keyspace, ChangeLog log) {
        this(keyspace, log, null);
    }

    /// For a thread that makes many changes for clients: they go to the replicator by `ring`, which is this thread's
    /// own.
    public Counters(Keyspace keyspace, ChangeLog log, @Nullable EntryRing ring) {
        this.keyspace = keyspace;
        this.log = log;
        this.ring = ring;
        capacity = new Capacity(keyspace);
    }

    public Keyspace keyspace() {
        return keyspace;
    }

    public ChangeLog log() {
        return log;
    }

    /// How many changes were begun here so far: if it is the same after a command, the command changed nothing.
    public long changes() {
        return changes;
    }

    /// Checks whether there is room for changes.
    public Capacity capacity() {
        return capacity;
    }

    // Several steps as one

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

    /// Reads a counter, for [#value] and [#counter]. Returns whether it exists.
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

    /// Reads the counter of the key, the PNCOUNT if there are both, for [#value] and [#counter]. Returns its type, null
    /// if there is none.
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

    /// The value of the counter that was read or changed last; **unsigned** if it is a GCOUNT.
    public long value() {
        return cell.value();
    }

    /// The counter that was read or changed last; good until the next call of any method.
    public Counter counter() {
        return cell;
    }

    /// The state of a key's cells, for finding out later whether anything has changed; null if it has none.
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

    /// Whether the key's cells are as they were when the snapshot was taken.
    public boolean unchanged(Key key, byte @Nullable [] snapshot) {
        return Arrays.equals(snapshot, snapshot(key));
    }

    // Changes by a client

    /// Adds to a PNCOUNT. Returns false, having changed nothing, when the value would leave 64 signed bits.
    public boolean add(Key key, long delta) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            boolean existed = cell.exists();
            if (!cell.add(Replicas.OWN, delta)) {
                return false;
            }
            if (delta != 0) {
                save(partition, key, existed, Partition.Change.OWN);
            }
            return true;
        } finally {
            partition.unlock();
        }
    }

    /// Adds to a PNCOUNT as `INCRBY` does: refused if the key has a GCOUNT only, and adding 0 makes the counter exist.
    /// Changes nothing unless it returns [Increment#DONE].
    public Increment increment(Key key, long delta) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            boolean existed = cell.exists();
            if (!existed) {
                if (partition.sees(CounterType.GCOUNT, key, spare)) {
                    return Increment.WRONG_TYPE;
                }
                // Only the cell that was read last can be changed.
                slot = partition.read(CounterType.PNCOUNT, key, cell);
            }
            if (!cell.add(Replicas.OWN, delta)) {
                return Increment.OUT_OF_RANGE;
            }
            if (delta == 0 && !existed) {
                cell.touch(Replicas.OWN);
            }
            if (delta != 0 || !existed) {
                save(partition, key, existed, Partition.Change.OWN);
            }
            return Increment.DONE;
        } finally {
            partition.unlock();
        }
    }

    /// The result of an increment.
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
                save(partition, key, existed, Partition.Change.OWN);
            }
        } finally {
            partition.unlock();
        }
    }

    /// Sets a PNCOUNT: resets all shards that this node sees and adds `value`, in one change.
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
            save(partition, key, existed, reset ? Partition.Change.OWN_RESET : Partition.Change.OWN);
        } finally {
            partition.unlock();
        }
    }

    /// Deletes a counter: resets all shards that this node sees. Returns whether it existed.
    public boolean delete(CounterType type, Key key) {
        Partition partition = open(type, key);
        try {
            boolean existed = cell.reset();
            if (existed) {
                save(partition, key, true, Partition.Change.OWN_RESET);
            } else if (partition.resetRecently(slot)) {
                // The client is told that the counter does not exist. That has to stay true after a crash, so the reply
                // must wait until the journal has the reset, which may be in another thread's turn.
                recordAgain(key);
            }
            return existed;
        } finally {
            partition.unlock();
        }
    }

    /// Deletes both counters of a key in one change. Returns whether there was one.
    public boolean delete(Key key) {
        lock(key);
        log.beginGroup();
        try {
            capacity.requireRoomForReset(key);
            boolean deleted = delete(CounterType.PNCOUNT, key);
            return delete(CounterType.GCOUNT, key) || deleted;
        } finally {
            log.endGroup();
            unlock(key);
        }
    }

    // Changes by a peer or the disk

    /// Merges a counter that a peer sent, and marks and records the cell if anything is new.
    ///
    /// When the journal has this thread's records, it has all that was merged, and peers may be told so. A recent reset
    /// by a client may still be in the turn of another thread, so such a cell is recorded even if nothing is new.
    public Counter.Merged merge(Key key, Counter other) {
        return merge(key, other, Capacity.MERGES, Capacity.SHARDS);
    }

    /// The same for a counter from the journal, without a limit of [Capacity].
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
                change(
                        partition,
                        key,
                        existed,
                        merged == Counter.Merged.RESET ? Partition.Change.MERGED_RESET : Partition.Change.MERGED);
            } else if (partition.resetRecently(slot)) {
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

    /// Whether `other` has larger totals of this process than this process itself, which is impossible unless the
    /// memory of the process was taken back to an earlier state.
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

    /// Adds a cell from the database, without marking it; merges it if there is one already.
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

    private void save(Partition partition, Key key, boolean existed, Partition.Change change) {
        partition.requireRoom(slot == CellTable.NONE ? keyspace.clientBytes() : Capacity.CHANGES, 0);
        change(partition, key, existed, change);
    }

    private void change(Partition partition, Key key, boolean existed, Partition.Change change) {
        try {
            changes++;
            boolean whole = partition.write(slot, key, cell, change);
            if (existed != cell.exists()) {
                appearedOrVanished(partition, key, cell);
            }
            log.record(key, cell, whole || !change.isOwn());
            partition.announce(key, cell, change, log, held == 0 ? ring : null);
        } catch (RuntimeException | Error mistake) {
            // The cell may have changed without a record, or only in part: no other thread may see it.
            throw Halt.because(mistake);
        }
    }

    private void recordAgain(Key key) {
        try {
            changes++;
            log.record(key, cell, true);
        } catch (RuntimeException | Error mistake) {
            // There may be half a row, which would be read as a whole one.
            throw Halt.because(mistake);
        }
    }

    /// A key exists as long as readers see a cell of either type.
    private void appearedOrVanished(Partition partition, Key key, Counter changed) {
        boolean appeared = changed.exists();
        partition.cellCounts(appeared);
        if (!partition.sees(changed.type().other(), key, spare)) {
            partition.keyCounts(appeared);
        }
    }
}
