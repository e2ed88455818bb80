package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.crdt.Replicas;
import io.tallis.runtime.Halt;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
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
     *     increment, deadline                       this process's own shard, and all parts
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
    private final Expiry expiry;
    private final long replicaBits;
    private final Cell cell = new Cell();
    private final Cell spare = new Cell();
    private long changes;

    // Of the cell that was opened last for a change

    private int slot;

    /// Whether it is counted as one that readers see, and as one with a deadline.
    private boolean counted;

    private boolean dated;

    /// Whether it has ended, or became another life, since it was stored.
    private boolean ended;

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
        expiry = keyspace.expiry();
        replicaBits = keyspace.replicas().id(Replicas.OWN).low();
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
            return partition.read(type, key, cell) != CellTable.NONE && isSeen();
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
            if (partition.counts(CounterType.PNCOUNT, key, cell) && isSeen()) {
                return CounterType.PNCOUNT;
            }
            return partition.counts(CounterType.GCOUNT, key, cell) && isSeen() ? CounterType.GCOUNT : null;
        } finally {
            partition.unlock();
        }
    }

    /// Whether readers see the cell that was read; resets it if its deadline has come.
    private boolean isSeen() {
        if (cell.life().hasDeadline()) {
            cell.endIfOver(expiry.now());
        }
        return cell.exists();
    }

    /// The value of the counter that was read or changed last; **unsigned** if it is a GCOUNT.
    public long value() {
        return cell.value();
    }

    /// The cell that was read or changed last; good until the next call of any method.
    public Cell cell() {
        return cell;
    }

    /// The state of a key's cells, for finding out later whether anything has changed; null if it has none.
    public byte @Nullable [] snapshot(Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            partition.read(CounterType.PNCOUNT, key, cell);
            partition.read(CounterType.GCOUNT, key, spare);
            if (cell.isBlank() && spare.isBlank()) {
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

    /// A deadline to be given to a change: the cell keeps the one that it has.
    public static final long KEEP = -1;

    /// Adds to a PNCOUNT. Returns false, having changed nothing, when the value would leave 64 signed bits.
    public boolean add(Key key, long delta) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            if (cell.hasText()) {
                return false;
            }
            beginShard();
            if (!cell.add(Replicas.OWN, delta)) {
                return false;
            }
            if (delta != 0) {
                save(partition, key, Partition.Change.OWN);
            }
            return true;
        } finally {
            partition.unlock();
        }
    }

    /// Adds to a PNCOUNT as `INCRBY` does: refused if the key has a GCOUNT only, or text, and adding 0 makes the
    /// counter exist. Changes nothing unless it returns [Increment#DONE].
    public Increment increment(Key key, long delta) {
        return increment(key, delta, KEEP);
    }

    /// The same, and sets a deadline in the same change, unless that is [#KEEP].
    public Increment increment(Key key, long delta, long deadline) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            boolean existed = cell.exists();
            if (!existed) {
                if (partition.sees(CounterType.GCOUNT, key, spare, expiry.now())) {
                    return Increment.WRONG_TYPE;
                }
                if (spare.counts().shards() > 0) {
                    // To change a cell it has to be the one that was read last.
                    reopen(partition, CounterType.PNCOUNT, key);
                }
            }
            if (cell.hasText()) {
                return Increment.NO_NUMBER;
            }
            beginShard();
            if (!cell.add(Replicas.OWN, delta)) {
                return Increment.OUT_OF_RANGE;
            }
            if (delta == 0 && !existed) {
                cell.assign(0, expiry.now(), replicaBits);
            }
            if (deadline != KEEP) {
                expireAt(partition, deadline);
            }
            if (delta != 0 || !existed || deadline != KEEP) {
                save(partition, key, Partition.Change.OWN);
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
        WRONG_TYPE,
        /// The key holds text.
        NO_NUMBER
    }

    /// Admits a request to a key with a limited rate, or refuses it and changes nothing.
    ///
    /// The value of the key is the moment, in nanoseconds since 1970, at which everything that was admitted will be
    /// worked off. A request moves it on by its `cost`, and is refused if it would lie more than `burst` after now. A
    /// key whose moment has come is set to now first. Both are what `SET` and `INCRBY` do, so all nodes agree in the
    /// end: requests that two nodes admit at once add up.
    public boolean admit(Key key, long cost, long burst) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            long millis = expiry.now();
            long now = TimeUnit.MILLISECONDS.toNanos(millis);
            boolean idle = cell.hasText() || !cell.exists() || cell.value() <= now;
            long ahead = idle ? 0 : cell.value() - now;
            if (cost > burst - ahead) {
                return false;
            }
            if (cost > 0) {
                if (idle) {
                    cell.assign(now, millis, replicaBits);
                }
                beginShard();
                boolean _ = cell.add(Replicas.OWN, cost);
                expireAt(partition, millis + TimeUnit.NANOSECONDS.toMillis(ahead + cost) + 1);
                save(partition, key, idle ? Partition.Change.OWN_RESET : Partition.Change.OWN);
            }
            return true;
        } finally {
            partition.unlock();
        }
    }

    /// Adds an unsigned amount to a GCOUNT, which saturates at 2^64-1.
    public void grow(Key key, long amount) {
        Partition partition = open(CounterType.GCOUNT, key);
        try {
            beginShard();
            cell.counts().grow(Replicas.OWN, amount);
            if (amount != 0) {
                save(partition, key, Partition.Change.OWN);
            }
        } finally {
            partition.unlock();
        }
    }

    /// Assigns a number to the PNCOUNT of a key: what this node sees of it is reset, in the same change. `deadline` is
    /// [#KEEP], [Life#NEVER] or the new one.
    public void assign(Key key, long number, long deadline) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            cell.assign(number, expiry.now(), replicaBits);
            saveAssigned(partition, key, deadline);
        } finally {
            partition.unlock();
        }
    }

    /// The same for bytes that are no whole number.
    public void assign(Key key, byte[] text, int offset, int length, long deadline) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            cell.assign(text, offset, length, expiry.now(), replicaBits);
            saveAssigned(partition, key, deadline);
        } finally {
            partition.unlock();
        }
    }

    private void saveAssigned(Partition partition, Key key, long deadline) {
        if (deadline != KEEP) {
            if (!cell.life().isEmpty()) {
                beginAgain();
            }
            if (deadline != Life.NEVER) {
                expireAt(partition, deadline);
            }
        }
        save(partition, key, Partition.Change.OWN_RESET);
    }

    /// Sets the deadline of a counter that exists; [Life#NEVER] takes it away. Returns false if there is no such
    /// counter.
    public boolean expireAt(CounterType type, Key key, long deadline) {
        Partition partition = open(type, key);
        try {
            if (!cell.exists()) {
                return false;
            }
            expireAt(partition, deadline);
            save(partition, key, Partition.Change.OWN);
            return true;
        } finally {
            partition.unlock();
        }
    }

    private void expireAt(Partition partition, long deadline) {
        if (deadline == Life.NEVER) {
            cell.life().persist();
        } else {
            cell.life().expireAt(deadline, ended || partition.isYoung(slot));
        }
    }

    /// Deletes a counter: resets all that this node sees of it. Returns whether it existed.
    public boolean delete(CounterType type, Key key) {
        Partition partition = open(type, key);
        try {
            boolean existed = cell.reset();
            if (existed) {
                if (!cell.life().hasDeadline()) {
                    cell.life().outlast();
                }
                save(partition, key, Partition.Change.OWN_RESET);
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
    public Counter.Merged merge(Key key, Cell other) {
        return merge(key, other, Capacity.MERGES, Capacity.SHARDS);
    }

    /// The same for a counter from the journal, without a limit of [Capacity].
    public Counter.Merged mergeAgain(Key key, Cell other) {
        return merge(key, other, Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    private Counter.Merged merge(Key key, Cell other, int mostBytes, int mostShards) {
        long now = other.isPlain() ? 0 : expiry.now();
        if (!other.life().isEmpty() && expiry.isPast(other, now)) {
            return Counter.Merged.NOTHING_NEW;
        }
        Partition partition = openStored(other.type(), key);
        try {
            if (!cell.life().isEmpty()) {
                now = expiry.now();
                if (expiry.isPast(cell, now)) {
                    forget();
                }
            }
            if (other.counts().find(Replicas.OWN) >= 0 && expiry.ownShard(cell, other) == Expiry.OwnShard.DROPPED) {
                expiry.liftOwnShard(cell);
                ended = true;
            }
            return merge(partition, key, other, now, mostBytes, mostShards);
        } finally {
            partition.unlock();
        }
    }

    private Counter.Merged merge(Partition partition, Key key, Cell other, long now, int mostBytes, int mostShards) {
        int shards = cell.counts().shards();
        boolean outlasts = !cell.life().hasDeadline() && other.life().isOnlyDated() && !partition.isYoung(slot);
        if (outlasts) {
            // This copy has none, and is on disk.
            other.life().outlast();
        }
        Counter.Merged merged = cell.merge(other, now);
        if (ended) {
            merged = Counter.Merged.RESET;
        }
        if (merged != Counter.Merged.NOTHING_NEW) {
            partition.requireRoom(mostBytes, 0);
            requireShards(shards, mostShards);
            change(partition, key, changeOf(merged, outlasts));
        } else if (partition.resetRecently(slot)) {
            recordAgain(key);
        }
        return merged;
    }

    /// What a merge changed by what only this node knows, its clock and the age of its copy, is its own change: the others
    /// must be told.
    private Partition.Change changeOf(Counter.Merged merged, boolean outlasts) {
        if (cell.endedAlone() || outlasts) {
            return Partition.Change.OWN_RESET;
        }
        return merged == Counter.Merged.RESET ? Partition.Change.MERGED_RESET : Partition.Change.MERGED;
    }

    private void requireShards(int before, int most) {
        if (cell.counts().shards() > Math.max(before, most)) {
            throw new KeyspaceFullException();
        }
    }

    /// Whether `other` has larger totals of this process than this process ever made, which is impossible unless the
    /// memory of the process was taken back to an earlier state.
    public boolean isBeyondOwn(Key key, Cell other) {
        return other.counts().find(Replicas.OWN) >= 0 && lacksOwn(key, other);
    }

    private boolean lacksOwn(Key key, Cell other) {
        Partition partition = openStored(other.type(), key);
        try {
            return expiry.ownShard(cell, other) == Expiry.OwnShard.UNKNOWN;
        } finally {
            partition.unlock();
        }
    }

    /// Adds a cell from the database, without marking it; merges it if there is one already. One that is over
    /// everywhere is left out.
    public void restore(Key key, Cell other) {
        Partition partition = openStored(other.type(), key);
        try {
            if (slot != CellTable.NONE) {
                Counter.Merged _ = mergeAgain(key, other);
                return;
            }
            partition.restore(key, other);
            noteDue(partition, other);
            if (other.exists()) {
                appearedOrVanished(partition, key, other);
                if (other.life().hasDeadline()) {
                    partition.datedCounts(true);
                }
            }
        } finally {
            partition.unlock();
        }
    }

    // How

    private Partition partition(Key key) {
        return keyspace.partition(keyspace.partitionOf(key));
    }

    /// Locks the key's partition and reads the cell, for a change by a client: one whose deadline has come is reset,
    /// and begins another life with this change.
    private Partition open(CounterType type, Key key) {
        Partition partition = openStored(type, key);
        if (!cell.life().isEmpty()) {
            bringUpToDate();
        }
        return partition;
    }

    private void reopen(Partition partition, CounterType type, Key key) {
        read(partition, type, key);
        if (!cell.life().isEmpty()) {
            bringUpToDate();
        }
    }

    private Partition openStored(CounterType type, Key key) {
        Partition partition = partition(key);
        partition.lock();
        read(partition, type, key);
        return partition;
    }

    private void read(Partition partition, CounterType type, Key key) {
        slot = partition.read(type, key, cell);
        ended = false;
        counted = slot != CellTable.NONE && cell.exists();
        dated = counted && cell.life().hasDeadline();
    }

    private void bringUpToDate() {
        long now = expiry.now();
        if (expiry.isDroppable(cell, now)) {
            forget();
        } else if (cell.endIfOver(now)) {
            beginAgain();
        } else if (!cell.exists()) {
            beginAgain();
        }
    }

    /// The key is used again after its end.
    private void beginAgain() {
        cell.life().beginAgain();
        ended = true;
    }

    /// Every copy of the cell is over: it counts as absent.
    private void forget() {
        expiry.drop(cell);
        cell.clear(cell.type());
        ended = true;
    }

    private void beginShard() {
        expiry.beginShard(cell);
    }

    private void save(Partition partition, Key key, Partition.Change change) {
        partition.requireRoom(slot == CellTable.NONE ? keyspace.clientBytes() : Capacity.CHANGES, 0);
        change(partition, key, ended ? Partition.Change.OWN_RESET : change);
    }

    private void change(Partition partition, Key key, Partition.Change change) {
        try {
            changes++;
            boolean whole = partition.write(slot, key, cell, change);
            boolean seen = cell.exists();
            if (counted != seen) {
                appearedOrVanished(partition, key, cell);
            }
            if (!cell.life().isEmpty() || dated) {
                noteLife(partition, seen);
            }
            log.record(key, cell, whole || !change.isOwn());
            partition.announce(key, cell, change, log, held == 0 ? ring : null);
        } catch (RuntimeException | Error mistake) {
            // The cell may have changed without a record, or only in part: no other thread may see it.
            throw Halt.because(mistake);
        }
    }

    private void noteLife(Partition partition, boolean seen) {
        if (ended) {
            partition.youngAgain();
        }
        boolean isDated = seen && cell.life().hasDeadline();
        if (dated != isDated) {
            partition.datedCounts(isDated);
        }
        noteDue(partition, cell);
    }

    private void noteDue(Partition partition, Cell stored) {
        partition.isDueAt(stored.exists() ? stored.life().deadline() : expiry.droppableAt(stored));
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
    private void appearedOrVanished(Partition partition, Key key, Cell changed) {
        boolean appeared = changed.exists();
        partition.cellCounts(appeared);
        if (!partition.counts(changed.type().other(), key, spare)) {
            partition.keyCounts(appeared);
        }
    }
}
