package io.tallis.journal;

import io.tallis.journal.checkpoint.Checkpoints;
import io.tallis.journal.checkpoint.Generations;
import io.tallis.journal.disk.DataDirectory;
import io.tallis.journal.disk.DataDirectoryException;
import io.tallis.journal.disk.Failures;
import io.tallis.journal.log.Journal;
import io.tallis.journal.log.Segments;
import io.tallis.runtime.FatalException;
import io.tallis.runtime.PeriodicThread;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The check, once a second, that the next start would find every file of the data directory. The thread is
/// `storage-watch`.
///
/// Reads and writes through open files succeed whatever becomes of the names of those files, so only a look for the
/// names shows that an operator has moved, deleted or replaced them. There are two rules:
///
/// * **The data directory is gone or another's**, told by its file `lock`. Nothing that is written from now on would be
///   found again, and files made under these names may hit those of another process. So changes are refused at once and
///   the process ends with exit code 1.
/// * **A file of the journal or the database is missing, short or damaged.** Memory has everything. Changes are refused
///   until a checkpoint has made the file needless: a segment by going on in a new one, the database by a new
///   generation.
final class DirectoryWatch implements AutoCloseable {
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// What the error of a refused change says after the damage.
    private static final String HOW_IT_HEALS =
            "; do not stop the node: it writes all counters to new files, then accepts changes again."
                    + " If that takes more than some seconds, checkpoint_failure in INFO says why";

    private final DataDirectory directory;
    private final Segments segments;
    private final Generations database;
    private final Journal journal;
    private final Checkpoints checkpoints;
    private final PeriodicThread thread = new PeriodicThread("storage-watch", () -> PERIOD_NANOS, this::look);

    private volatile @Nullable String damage;

    DirectoryWatch(
            DataDirectory directory,
            Segments segments,
            Generations database,
            Journal journal,
            Checkpoints checkpoints) {
        this.directory = directory;
        this.segments = segments;
        this.database = database;
        this.journal = journal;
        this.checkpoints = checkpoints;
    }

    /// Starts the thread.
    void start() {
        thread.start();
    }

    /// Looks now. Throws [FatalException] when the directory is not this process's any more.
    synchronized void look() {
        requireDirectory();
        try {
            String segment = segments.damage();
            found(segment == null ? database.damage() : segment);
        } catch (IOException unknown) {
            Failures.LOG.log(Level.DEBUG, "cannot look for files: " + Failures.reason(unknown));
        }
    }

    private void found(@Nullable String now) {
        String before = damage;
        damage = now;
        if (now == null && before == null) {
            return;
        }
        journal.damaged(now == null ? null : now + HOW_IT_HEALS);
        if (now == null) {
            Failures.LOG.log(Level.INFO, "all files are complete again");
        } else if (before == null) {
            Failures.LOG.log(Level.ERROR, now + "; a checkpoint writes all counters anew");
            checkpoints.requestAtOnce();
        } else {
            checkpoints.request();
        }
    }

    private void requireDirectory() {
        try {
            directory.requireHeld();
        } catch (DataDirectoryException gone) {
            String reason = gone.getMessage() + ". Changes are refused and this process ends: what it wrote is in the"
                    + " directory that was moved, if it was, and what it sent is on the other nodes";
            journal.stop(reason);
            throw new FatalException(reason);
        } catch (IOException unknown) {
            Failures.LOG.log(Level.DEBUG, "cannot look at the data directory: " + Failures.reason(unknown));
        }
    }

    /// What is wrong with a file that the next start needs, as was seen last; null if nothing is.
    @Nullable
    String damage() {
        return damage;
    }

    /// Ends the thread.
    @Override
    public void close() {
        thread.close();
    }
}
