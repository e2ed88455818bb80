package io.tallis.cluster.delta;

import io.tallis.keyspace.Keyspace;

/// Whether there is room for what others count. Belongs to the replicator's thread.
public final class MergeRoom {
    private final Keyspace keyspace;
    private final long mostBytes;
    private boolean ranOut;
    private boolean refused;

    /// Counters may take `mostBytes`, with the memory that is kept for them.
    public MergeRoom(Keyspace keyspace, long mostBytes) {
        this.keyspace = keyspace;
        this.mostBytes = mostBytes;
    }

    /// Whether anything is to be merged.
    public boolean isLeft() {
        return !ranOut && keyspace.bytesKept() <= mostBytes;
    }

    /// Whether there was room for all that others told.
    public boolean isForAll() {
        return !refused;
    }

    /// A replica has no number. It never will, so nothing is taken from then on: what is refused would be asked for
    /// again and again.
    public void ranOut() {
        ranOut = true;
    }

    /// A counter, or the partition of its key, is full. All others go on, with what others send by themselves.
    public void refused() {
        refused = true;
    }
}
