package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.runtime.Halt;

/// A cell taken out of its partition to be read or changed, and put back with its mark and its record.
///
///     take -> counter() is read, changed -> save, or not -> release
///
/// The partition is locked from `take` to `release`. Belongs to one thread.
final class OpenCell {
    /// The chunks beyond which a partition takes no new keys from clients; merges may fill it to
    /// [Arena#CHUNK_LIMIT], so that two sides of a cut cluster that filled it apart can have it all.
    private static final int CLIENT_CHUNK_LIMIT = Arena.CHUNK_LIMIT / 2;

    private final Keyspace keyspace;
    private final ChangeLog log;
    private final Counter counter = new Counter();
    private final Counter sibling = new Counter();
    private Partition partition;
    private Key key = new Key();
    private int slot = CellTable.NONE;
    private boolean existed;
    private long changes;

    OpenCell(Keyspace keyspace, ChangeLog log) {
        this.keyspace = keyspace;
        this.log = log;
        partition = keyspace.partition(0);
    }

    /// The cell, empty when there is none; it outlives `release`.
    Counter counter() {
        return counter;
    }

    void take(CounterType type, Key key) {
        partition = keyspace.partition(keyspace.partitionOf(key));
        partition.lock();
        this.key = key;
        boolean isRead = false;
        try {
            slot = partition.read(type, key, counter);
            existed = counter.exists();
            isRead = true;
        } finally {
            if (!isRead) {
                partition.unlock();
            }
        }
    }

    void release() {
        partition.unlock();
    }

    boolean isThere() {
        return slot != CellTable.NONE;
    }

    /// Whether a reader saw the counter when it was taken.
    boolean existed() {
        return existed;
    }

    /// Whether a reader sees the key's counter of the other type. To be asked before this one is changed.
    boolean hasSibling() {
        boolean seen = partition.sees(counter.type().other(), key, sibling);
        // A change replaces the cell that was read last, which is now the other one.
        slot = partition.read(counter.type(), key, counter);
        return seen;
    }

    /// Whether a reset of the cell may not be in the journal yet.
    boolean resetLately() {
        return partition.resetLately(slot);
    }

    /// How many changes were ever begun.
    long changes() {
        return changes;
    }

    /// Puts back what a client changed. Throws [KeyspaceFullException], having changed nothing, when the cell is new
    /// and its partition full.
    void save(Change change) {
        if (slot == CellTable.NONE && partition.table().chunks() > CLIENT_CHUNK_LIMIT) {
            throw new KeyspaceFullException();
        }
        put(change);
    }

    /// Puts back what was merged. Throws [KeyspaceFullException], having changed nothing, when the partition cannot
    /// address any more.
    void put(Change change) {
        try {
            changes++;
            boolean whole = partition.write(slot, key, counter, change);
            if (existed != counter.exists()) {
                appearedOrVanished(counter);
            }
            log.record(key, counter, whole || !change.isOwn());
        } catch (KeyspaceFullException full) {
            throw full;
        } catch (RuntimeException | Error mistake) {
            // The cell may have changed and not be recorded, or not be whole: nobody may see it.
            throw Halt.because(mistake);
        }
    }

    /// Records the cell as it is.
    void recordAgain() {
        try {
            changes++;
            log.record(key, counter, true);
        } catch (RuntimeException | Error mistake) {
            // Half of a row would be taken for a whole one.
            throw Halt.because(mistake);
        }
    }

    /// Puts a cell where there is none, marking and recording nothing.
    void restore(Counter other) {
        partition.restore(key, other);
        if (other.exists()) {
            appearedOrVanished(other);
        }
    }

    /// A key is there as long as a reader sees a cell of either type.
    private void appearedOrVanished(Counter changed) {
        boolean appeared = changed.exists();
        partition.cellCounts(appeared);
        if (!partition.sees(changed.type().other(), key, sibling)) {
            partition.keyCounts(appeared);
        }
    }
}
