package io.tallis.journal;

import io.tallis.crdt.Replicas;
import io.tallis.keyspace.CellVisitor;
import java.io.IOException;
import java.nio.file.Path;

/// A database without a cell, that takes none.
class StoreOfNothing implements CellStore {
    @Override
    public long replayFrom() {
        return NEVER_COMMITTED;
    }

    @Override
    public long cellsEstimate() {
        return 0;
    }

    @Override
    public long bytes() {
        return 0;
    }

    @Override
    public void load(int from, int to, Replicas replicas, CellVisitor visitor) throws IOException {}

    @Override
    public Batch newBatch(Replicas replicas) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void write(Batch batch) {}

    @Override
    public void commit(long replayFrom) {}

    @Override
    public void copyTo(Path directory) {}

    @Override
    public void close() {}
}
