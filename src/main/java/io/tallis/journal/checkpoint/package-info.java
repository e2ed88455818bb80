/// The database of checkpoints: when and how changed cells are written.
///
/// Owns the order of a checkpoint and the generations of the database. Which database it is only
/// [io.tallis.journal.rocksdb] knows.
///
/// Thread: `checkpoint` writes.
///
/// Read [Checkpointer], whose essay says why nothing is lost, [Generations] with [GenerationFiles], [Checkpoints],
/// [Throttle]. [CellStore] is the port to the database.
@NullMarked
package io.tallis.journal.checkpoint;

import org.jspecify.annotations.NullMarked;
