/// The start: loads the database and replays the journal behind it.
///
/// Owns the decision which files a start may go on from. Reads segments through [io.tallis.journal.log] and the
/// database through [io.tallis.journal.checkpoint].
///
/// Threads: `loader-1` ... read the database in parallel; the calling thread replays the journal.
///
/// Read [Recovery], then [Replay]; [Loading] has the progress for `INFO`.
@NullMarked
package io.tallis.journal.recovery;

import org.jspecify.annotations.NullMarked;
