/// Backups: copies of the data directory that are data directories themselves.
///
/// Read [BackupFiles], then [JournalCopy]. No threads of its own; the caller's waits for the disk.
@NullMarked
package io.tallis.journal.backup;

import org.jspecify.annotations.NullMarked;
