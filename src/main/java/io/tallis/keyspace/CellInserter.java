package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.TooManyReplicasException;
import io.tallis.runtime.Halt;

/// The fast way for cells that a peer sent and that are new here: adds them without [Counters#merge].
///
/// A plain cell is copied from its wire form into its packed form, see [Packer], and recorded in the form in which it
/// was received. All others have to be merged. Belongs to one thread.
public final class CellInserter {
    private final Keyspace keyspace;
    private final TurnLog log;
    private final Packer packer;
    private final Cell spare = new Cell();

    public CellInserter(Keyspace keyspace, TurnLog log) {
        this.keyspace = keyspace;
        this.log = log;
        packer = new Packer(keyspace.replicas());
    }

    /// Adds those of the first `count` cells that are new and plain, and marks and records them. Moves the others to
    /// the front, in their order, and returns how many they are: these have to be merged.
    ///
    /// A cell for which there is no room is among the others, so that the merge reports it.
    public int insertNew(ReceivedCell[] cells, int count) {
        int left = 0;
        for (int i = 0; i < count; i++) {
            ReceivedCell cell = cells[i];
            if (!insert(cell)) {
                cells[i] = cells[left];
                cells[left++] = cell;
            }
        }
        return left;
    }

    private boolean insert(ReceivedCell cell) {
        int size;
        try {
            size = packer.pack(cell);
        } catch (TooManyReplicasException _) {
            return false;
        }
        return size != Packer.NOT_PLAIN && add(cell, size);
    }

    private boolean add(ReceivedCell cell, int size) {
        Partition partition = keyspace.partition(keyspace.partitionOf(cell.key()));
        partition.lock();
        try {
            return add(partition, cell, size);
        } catch (KeyspaceFullException _) {
            // Nothing was changed.
            return false;
        } catch (RuntimeException | Error mistake) {
            // The cell may be there without a record: no other thread may see it.
            throw Halt.because(mistake);
        } finally {
            partition.unlock();
        }
    }

    /// A plain cell has something that was not reset, so readers see it.
    private boolean add(Partition partition, ReceivedCell cell, int size) {
        CounterType type = cell.type();
        partition.requireRoom(Capacity.MERGES, 0);
        if (!partition.add(type, cell.key(), packer.packed(), size)) {
            return false;
        }
        boolean _ = partition.appearedOrVanished(type, cell.key(), true, spare);
        partition.valueAppeared(type, cell.key(), spare);
        log.recordReceived(cell);
        return true;
    }
}
