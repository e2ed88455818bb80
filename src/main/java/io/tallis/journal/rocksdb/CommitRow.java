package io.tallis.journal.rocksdb;

import io.tallis.journal.CellStore;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import java.io.IOException;
import java.nio.file.Path;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/// The row that says from where the journal is needed, with a key behind those of all cells.
///
/// ```
/// key     0xFF
/// value   version (1) | first segment that is needed (8)
/// ```
final class CommitRow {
    private static final byte[] KEY = {(byte) 0xFF};
    private static final int VERSION = 1;

    private CommitRow() {}

    static byte[] key() {
        return KEY.clone();
    }

    static byte[] value(long replayFrom) {
        ByteWriter row = new ByteWriter(1 + Long.BYTES);
        row.u8(VERSION);
        row.i64(replayFrom);
        return row.toByteArray();
    }

    /// The first segment that is needed beside that database, which lies in the directory.
    static long in(RocksDB database, Path directory) throws IOException, RocksDBException {
        byte[] row = database.get(KEY);
        return row == null ? CellStore.NEVER_COMMITTED : decode(ByteReader.of(row), directory);
    }

    private static long decode(ByteReader row, Path directory) throws IOException {
        int version = row.u8();
        if (version != VERSION) {
            throw new IOException(directory + ": version " + version + " of the database, expected " + VERSION);
        }
        return row.i64();
    }
}
