/// The journal: an append-only log of changes in segments.
///
/// Owns the way of a change from the thread that makes it to the disk, syncs, and the form of segments and its reader.
/// Knows of checkpoints only that they rotate the journal and release segments.
///
/// Threads: event loops write their own turns when that is short, `journal` writes the others, `journal-sync` syncs
/// behind it, `journal-spare` makes files in advance, `journal-watch` gives up on turns that wait too long. Each may
/// hang in the disk without holding up the threads that record.
///
/// Read [BufferedTurnLog] and [Turn], [JournalLoop] with [UnsettledTurns] and [DiskSpeed], [LogWriter] with [Unsynced],
/// [Segment], [Segments] and [Spares], [Journal] with the threads and [Barrier]; then the way back: [SegmentReader].
/// The form is in [LogFrame], [SegmentHead] and [OwnerRow].
@NullMarked
package io.tallis.journal.log;

import org.jspecify.annotations.NullMarked;
