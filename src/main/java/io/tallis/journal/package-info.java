/// What survives a crash: a node's data directory in use, from the start to the stop.
///
/// Puts the parts together: the journal has every acknowledged change since the last checkpoint
/// ([io.tallis.journal.log]), the database has the cells as of then ([io.tallis.journal.checkpoint], kept in RocksDB by
/// [io.tallis.journal.rocksdb]), a start loads both ([io.tallis.journal.recovery]), and backups are copies of both
/// ([io.tallis.journal.backup]). Does not know what a client is or how it gets its reply: it tells the outcome of a
/// turn.
///
/// Thread: `storage-watch` looks once a second whether the directory and its files are there.
///
/// Read [Storage], which builds everything; [DirectoryWatch] for damage while the server runs; [StorageStop]. What is
/// promised, and the form of files, is on the page `storage`.
@NullMarked
package io.tallis.journal;

import org.jspecify.annotations.NullMarked;
