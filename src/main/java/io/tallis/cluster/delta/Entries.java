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

    /// Writes what this session changed in the cell: its own shard and all parts, or all of it.
    public void own(CounterType type, Key key, Cell cell, ByteWriter out) {
        codec.encodeKey(type, key.array(), key.offset(), key.length(), out);
        if (isWhole(cell)) {
            codec.encode(cell, Replicas.OWN, out);
        } else {
            codec.encodeOnly(cell, Replicas.OWN, out);
        }
    }

    /// Whether this session changed more than its own shard, and a receiver must not see a part of it:
    ///   - a reset also changes the shards of others (I8);
    ///   - shards of sources are changed by any session;
    ///   - a node that has ended a cell sends it to a node where it lives, and the other way round. Without the shards
    ///     of other sessions the receiver would keep its state and send that, without end.
    private boolean isWhole(Cell cell) {
        return cell.counts().everReset()
                || replicas.hasSource(cell.counts())
                || cell.life().isEnded()
                || cell.life().hasOutlived()
                || (!cell.life().hasDeadline() && !cell.life().isEmpty());
    }

    /// Writes all shards of the cell.
    public void whole(CounterType type, Key key, Cell cell, ByteWriter out) {
        codec.encodeKey(type, key.array(), key.offset(), key.length(), out);
        codec.encode(cell, Replicas.OWN, out);
    }
}
