package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.runtime.Halt;

/// Taking over cells that others tell of and that are new here: what [Counters#merge] does with them, in less time.
///
/// Belongs to one thread.
public final class Adoption {
    private final Keyspace keyspace;
    private final TurnLog log;
    private final Transcriber transcriber;
    private final Counter spare = new Counter();

    public Adoption(Keyspace keyspace, TurnLog log) {
        this.keyspace = keyspace;
        this.log = log;
        transcriber = new Transcriber(keyspace.replicas());
    }

    /// Adds those of the first `count` cells that are new and plain (see [Transcriber]), and marks and records them.
    /// Returns how many are left, which have to be merged: they come first now.
    ///
    /// Throws [KeyspaceFullException] when a partition cannot address any more; those before it are added then.
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
        int size = transcriber.pack(cell);
        if (size == Transcriber.NOT_PLAIN) {
            return false;
        }
        Partition partition = keyspace.partition(keyspace.partitionOf(cell.key()));
        partition.lock();
        try {
            return add(partition, cell, size);
        } catch (KeyspaceFullException full) {
            throw full;
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
        if (!partition.add(type, cell.key(), transcriber.packed(), size)) {
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
