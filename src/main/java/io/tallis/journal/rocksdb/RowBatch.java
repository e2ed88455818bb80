package io.tallis.journal.rocksdb;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.journal.checkpoint.CellStore;
import io.tallis.keyspace.Key;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;

/// Rows as RocksDB's own serialised write batch, made here because a call of RocksDB for every row costs more than the
/// row.
///
/// ```
/// batch   sequence (8, zero) | number of rows (4) | row ...
/// row     1 (put) | length (varint) | key | length (varint) | value      or 0 (delete) | length | key
/// key     type (1) | partition (2, big-endian) | key of the counter
/// value   the cell as CellCodec writes it, no owner
/// ```
final class RowBatch implements CellStore.Batch {
    static final int KEY_PREFIX = 3;

    private static final int HEADER = 12;
    private static final int COUNT_AT = 8;
    private static final int DELETE = 0;
    private static final int PUT = 1;
    private static final int INITIAL_BYTES = 1 << 16;
    private static final int KEPT_VALUE_BYTES = 1 << 12;

    private final CellCodec codec;
    private final ByteWriter rows = new ByteWriter(INITIAL_BYTES);
    private final ByteWriter value = new ByteWriter(64);
    private int count;

    RowBatch(Replicas replicas) {
        codec = new CellCodec(replicas);
        clear();
    }

    @Override
    public void clear() {
        rows.clear();
        rows.i64(0);
        rows.i32(0);
        count = 0;
    }

    @Override
    public void add(int partition, Key key, Cell cell) {
        begin(PUT, partition, cell.type(), key);
        value.clear();
        value.shrinkTo(KEPT_VALUE_BYTES);
        codec.encode(cell, CellCodec.NO_OWNER, value);
        rows.varint(value.position());
        rows.bytes(value.array(), 0, value.position());
    }

    @Override
    public void delete(int partition, CounterType type, Key key) {
        begin(DELETE, partition, type, key);
    }

    private void begin(int operation, int partition, CounterType type, Key key) {
        rows.u8(operation);
        rows.varint(KEY_PREFIX + key.length());
        rows.u8(type.code());
        rows.u8(partition >>> 8);
        rows.u8(partition);
        rows.bytes(key.array(), key.offset(), key.length());
        count++;
    }

    @Override
    public int bytes() {
        return rows.position() - HEADER;
    }

    byte[] serialised() {
        rows.i32At(COUNT_AT, count);
        return rows.toByteArray();
    }
}
