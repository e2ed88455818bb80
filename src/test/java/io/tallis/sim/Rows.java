package io.tallis.sim;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ReceivedCell;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;

/// Writes and reads a disk's rows for one process.
final class Rows {
    private final Replicas replicas;
    private final CellCodec codec;
    private final ByteWriter bytes = new ByteWriter(64);
    private final Cell counter = new Cell();

    Rows(Replicas replicas) {
        this.replicas = replicas;
        codec = new CellCodec(replicas);
    }

    /// The row of a counter as it now is: all of it, or the process's own shard.
    Disk.Row write(CellName cell, Cell counter, boolean whole, long group, long epochMillis) {
        bytes.clear();
        if (whole) {
            codec.encode(counter, CellCodec.NO_OWNER, bytes);
        } else {
            codec.encodeOnly(counter, Replicas.OWN, bytes);
        }
        return new Disk.Row(replicas.own(), cell, bytes.toByteArray(), group, epochMillis);
    }

    /// The counter in a row, good until the next call.
    Cell read(Disk.Row row) {
        return read(row.counter(), 0, row.cell().type(), replicas.numberOf(row.owner()));
    }

    /// The counter of a cell that others told, as long as good.
    Cell read(ReceivedCell cell) {
        return read(cell.array(), cell.counterStart(), cell.type(), cell.owner());
    }

    private Cell read(byte[] bytes, int start, CounterType type, int owner) {
        try {
            codec.decode(new ByteReader().on(bytes, start, bytes.length - start), type, owner, counter);
        } catch (MalformedException e) {
            throw new AssertionError(e);
        }
        return counter;
    }
}
