/// What survives a crash, and in which order: segments of the journal, checkpoints, recovery.
///
/// Owns the data directory. The journal has every acknowledged change since the last checkpoint, the database (only
/// [io.tallis.journal.rocksdb] knows which) has the cells as of then.
@NullMarked
package io.tallis.journal;

import org.jspecify.annotations.NullMarked;
