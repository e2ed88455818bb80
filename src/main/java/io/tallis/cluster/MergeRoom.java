package io.tallis.cluster;

import io.tallis.keyspace.Keyspace;

/// Whether there is memory for what others count. Belongs to the replicator's thread.
final class MergeRoom {
    private final Keyspace keyspace;
    private final long mostBytes;
    private boolean ranOut;

    /// Counters may take `mostBytes`, with the memory that is kept for them.
    MergeRoom(Keyspace keyspace, long mostBytes) {
        this.keyspace = keyspace;
        this.mostBytes = mostBytes;
    }

    boolean isLeft() {
        return !ranOut && keyspace.bytesKept() <= mostBytes;
    }

    /// A partition could not take a cell, or a replica has no number. It never will, so nothing is taken from
    /// then on: what is refused would be asked for again and again.
    void ranOut() {
        ranOut = true;
    }
}
