package io.tallis.cluster.delta;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Key;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;

/// Writes cells into frames. This session's replica id is left out, because the head of the frame has it.
public final class Entries {
    private final Replicas replicas;
    private final CellCodec codec;

    public Entries(Replicas replicas) {
        this.replicas = replicas;
        codec = new CellCodec(replicas);
    }

    /// Writes what this session changed in the cell: its own shard and all parts, or, once any count in the cell was
    /// reset, all of it. A reset also changes the shards of others, and a receiver must not see half of it (I8). All of
    /// it also where there are shards of sources, which any session changes.
    public void own(CounterType type, Key key, Cell cell, ByteWriter out) {
        codec.encodeKey(type, key.array(), key.offset(), key.length(), out);
        if (cell.counts().everReset() || replicas.hasSource(cell.counts())) {
            codec.encode(cell, Replicas.OWN, out);
        } else {
            codec.encodeOnly(cell, Replicas.OWN, out);
        }
    }

    /// Writes all shards of the cell.
    public void whole(CounterType type, Key key, Cell cell, ByteWriter out) {
        codec.encodeKey(type, key.array(), key.offset(), key.length(), out);
        codec.encode(cell, Replicas.OWN, out);
    }
}
