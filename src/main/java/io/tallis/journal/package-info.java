/// What survives a crash, and in which order: segments of the journal, checkpoints, recovery.
///
/// Owns the data directory. The journal has every acknowledged change since the last checkpoint, the database (only
/// [io.tallis.journal.rocksdb] knows which) has the cells as of then. Does not know what a client is or how it gets
/// its reply: it tells the outcome of a turn.
///
/// Threads: event loops write their own turns when that is short, `journal` writes the others, `journal-sync` syncs
/// behind it, `journal-spare` makes files in advance, `journal-watch` looks for turns that wait too long, `checkpoint`
/// writes cells to the database. Each may hang in the disk without holding up those who record.
///
/// Read [Storage], which puts it together, then the way of a change: [BufferedTurnLog], [JournalLoop], [LogWriter]
/// with [Unsynced], [Segment], [Segments] and [Spares]; then [Checkpointer] and [Barrier]; then the way back:
/// [Recovery], [Replay], [SegmentReader]; then the [StorageStop]. The form of it all is in [LogFrame], [SegmentHead]
/// and
/// [OwnerRow], and the page `storage` says what is promised.
@NullMarked
package io.tallis.journal;

import org.jspecify.annotations.NullMarked;
