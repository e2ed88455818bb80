/// The database of checkpoints as RocksDB keeps it; the only user of RocksDB.
///
/// Owns the form of keys and values in it and how it is tuned. Which cells are written, and when, is the journal's
/// business. Threads: several load at once; one at a time writes.
@NullMarked
package io.tallis.journal.rocksdb;

import org.jspecify.annotations.NullMarked;
