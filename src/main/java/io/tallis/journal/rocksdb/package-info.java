/// The database of checkpoints as RocksDB keeps it; the only user of RocksDB.
///
/// Owns the form of keys and values in it and RocksDB's settings. Which cells are written, and when, is decided by
/// [io.tallis.journal]. Threads: several read at a start, one at a time writes, one looks for damaged files.
///
/// Read [RocksCellStore], then [RowBatch] and [RowReader] for the form of rows.
@NullMarked
package io.tallis.journal.rocksdb;

import org.jspecify.annotations.NullMarked;
