package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.TooManyReplicasException;
import io.tallis.runtime.Halt;

/// Taking over cells that others tell of and that are new here: what [Counters#merge] does with them, in less time.
///
/// Belongs to one thread.
public final class Adoption {
    private final Keyspace keyspace;
    private final TurnLog log;
    private final Packer packer;
    private final Counter spare = new Counter();

    public Adoption(Keyspace keyspace, TurnLog log) {
        this.keyspace = keyspace;
        this.log = log;
        packer = new Packer(keyspace.replicas());
    }

    /// Adds those of the first `count` cells that are new and plain (see [Packer]), and marks and records them. Returns
    /// how many are left, which have to be merged: they come first now, in the order that they had.
    ///
    /// One that finds no room is left as well: whoever merges it meets the same, and has merged those before it then.
    public int take(ToldCell[] cells, int count) {
        int left = 0;
        for (int i = 0; i < count; i++) {
            ToldCell cell = cells[i];
            if (!take(cell)) {
                cells[i] = cells[left];
                cells[left++] = cell;
            }
        }
        return left;
    }

    private boolean take(ToldCell cell) {
        int size;
        try {
            size = packer.pack(cell);
        } catch (TooManyReplicasException _) {
            return false;
        }
        return size != Packer.NOT_PLAIN && add(cell, size);
    }

    private boolean add(ToldCell cell, int size) {
        Partition partition = keyspace.partition(keyspace.partitionOf(cell.key()));
        partition.lock();
        try {
            return add(partition, cell, size);
        } catch (KeyspaceFullException _) {
            // Nothing was changed.
            return false;
        } catch (RuntimeException | Error mistake) {
            // The cell may be there and not be recorded: nobody may see it.
            throw Halt.because(mistake);
        } finally {
            partition.unlock();
        }
    }

    /// A cell that is plain has something that was not reset, so a reader sees it.
    private boolean add(Partition partition, ToldCell cell, int size) {
        CounterType type = cell.type();
        partition.requireRoom(Bounds.MERGES, 0);
        if (!partition.add(type, cell.key(), packer.packed(), size)) {
            return false;
        }
        partition.cellCounts(true);
        if (!partition.sees(type.other(), cell.key(), spare)) {
            partition.keyCounts(true);
        }
        log.recordTold(cell);
        return true;
    }
}
