package io.tallis.journal.rocksdb;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.CellVisitor;
import io.tallis.keyspace.Key;
import io.tallis.wire.ByteReader;
import io.tallis.wire.CellCodec;
import io.tallis.wire.FieldKey;
import io.tallis.wire.MalformedException;
import org.rocksdb.RocksIterator;

/// The reader of the database's rows, in the form in which [RowBatch] writes them; all go through one [Cell].
final class RowReader {
    private static final int LONGEST_ROW_KEY = RowBatch.KEY_PREFIX + CellCodec.LONGEST_KEY;

    private final CellVisitor visitor;
    private final CellCodec codec;
    private final ByteReader reader = new ByteReader();
    private final Key key = new Key();
    private final Cell counter = new Cell();
    private final byte[] keyBytes = new byte[LONGEST_ROW_KEY];
    private byte[] value = new byte[1 << 10];

    RowReader(Replicas replicas, CellVisitor visitor) {
        this.visitor = visitor;
        codec = new CellCodec(replicas);
    }

    /// Shows the rows from where `rows` stands to its end.
    void read(RocksIterator rows) throws MalformedException {
        for (; rows.isValid(); rows.next()) {
            int keyLength = rows.key(keyBytes);
            int length = rows.value(value);
            if (length > value.length) {
                value = new byte[length];
                rows.value(value);
            }
            CounterType type = typeOf(keyLength);
            codec.decode(reader.on(value, 0, length), type, CellCodec.NO_OWNER, counter);
            visitor.cell(type, key.set(type, keyBytes, RowBatch.KEY_PREFIX, keyLength - RowBatch.KEY_PREFIX), counter);
        }
    }

    private CounterType typeOf(int keyLength) throws MalformedException {
        int code = keyBytes[0];
        int length = keyLength - RowBatch.KEY_PREFIX;
        if (!CounterType.isCode(code)
                || (!CounterType.ofCode(code).isKey()
                        && !FieldKey.isWellFormed(keyBytes, RowBatch.KEY_PREFIX, length))) {
            throw new MalformedException("a row of type " + code + " with a key of " + length + " bytes");
        }
        return CounterType.ofCode(code);
    }
}
