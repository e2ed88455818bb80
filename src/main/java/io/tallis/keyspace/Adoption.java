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

    /// Adds the cell, and marks and records it. Returns false, having changed nothing, when there is one already or it
    /// is
    /// not plain (see [Transcriber]): then it has to be merged. Throws [KeyspaceFullException], having changed nothing,
    /// when the partition cannot address any more.
    public boolean take(ToldCell cell) {
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
