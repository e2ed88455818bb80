package io.tallis.journal;

import io.tallis.journal.checkpoint.Checkpoints;
import io.tallis.journal.checkpoint.Generations;
import io.tallis.journal.disk.DataDirectory;
import io.tallis.journal.disk.Failures;
import io.tallis.journal.log.Journal;
import io.tallis.runtime.TimeLimit;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/// The stop of a node's storage: a last checkpoint, the rest of the journal, and what operators are told of either.
///
/// The disk may hang, so each of the two steps is waited for only so long: what no checkpoint has is in the journal,
/// and the next start replays it. A database that is damaged is the exception. What it had is in memory only, so a
/// checkpoint that writes it anew is waited for as long as it runs.
///
/// ```
///   takeCheckpoint    clients are served
///   close             no change may begin: another checkpoint unless that failed, the rest of the journal
/// ```
final class StorageStop {
    private final DataDirectory directory;
    private final Generations database;
    private final Journal journal;
    private final Checkpoints checkpoints;
    private final DirectoryWatch watch;

    StorageStop(
            DataDirectory directory,
            Generations database,
            Journal journal,
            Checkpoints checkpoints,
            DirectoryWatch watch) {
        this.directory = directory;
        this.database = database;
        this.journal = journal;
        this.checkpoints = checkpoints;
        this.watch = watch;
    }

    /// Takes a checkpoint while changes may go on, and gives it up after `patience`.
    void takeCheckpoint(Duration patience) {
        begin();
        if (!isDone(this::tryCheckpoint, "last-checkpoint", patience)) {
            Failures.LOG.log(Level.WARNING, "no checkpoint within {0} s, the next start replays", patience.toSeconds());
            checkpoints.abandon();
        }
    }

    private void begin() {
        journal.end();
        checkpoints.end();
    }

    /// Returns whether the task came to its end in time.
    private boolean isDone(Runnable task, String role, Duration patience) {
        BooleanSupplier rebuilds = () -> watch.damage() != null && checkpoints.running();
        return TimeLimit.isMetBy(task, role, patience, rebuilds);
    }

    private void tryCheckpoint() {
        watch.look();
        try {
            checkpoints.run();
            watch.look();
        } catch (IOException _) {
            // Reported at the end. What failed once is not tried again.
            checkpoints.abandon();
        }
    }

    /// Does the rest once no thread records any more, and unlocks the directory. Returns whether all that was
    /// acknowledged is on the disk.
    boolean close(Duration patience) {
        boolean[] well = new boolean[1];
        if (!isDone(() -> well[0] = close(), "closing", patience)) {
            Failures.LOG.log(
                    Level.ERROR,
                    "the disk has not answered for {0} s and is left alone. What was acknowledged is with the operating"
                            + " system; should the machine stop too before its disk answers, it may lose what was not"
                            + " synced",
                    patience.toSeconds());
            return false;
        }
        return well[0];
    }

    /// The same without a limit.
    boolean close() {
        begin();
        watch.close();
        checkpoints.close();
        if (!checkpoints.abandoned()) {
            tryCheckpoint();
        }
        // A checkpoint that was given up may still be in the database, which must not be closed under it.
        checkpoints.awaitEnd();
        journal.close();
        watch.look();
        database.close();
        report();
        return isUnlocked() && journal.bytesAtRisk() == 0 && watch.damage() == null;
    }

    private boolean isUnlocked() {
        try {
            directory.close();
            return true;
        } catch (IOException e) {
            Failures.LOG.log(Level.ERROR, "cannot close the data directory: " + Failures.reason(e));
            return false;
        }
    }

    private void report() {
        long bytes = journal.bytesAtRisk();
        String damage = watch.damage();
        String failure = checkpoints.failure();
        if (damage != null) {
            Failures.LOG.log(
                    Level.ERROR,
                    damage + ", and everything could not be written anew: " + failure
                            + ". What the next start does not find is lost, except for what other nodes have");
        } else if (bytes > 0) {
            Failures.LOG.log(
                    Level.ERROR,
                    "the last " + bytes + " bytes of the journal are with the operating system and not known to be on"
                            + " the disk; should the machine stop too, they may be lost");
        } else if (failure != null) {
            Failures.LOG.log(
                    Level.WARNING,
                    "ended without a checkpoint: " + failure
                            + ". What was acknowledged since the last one is in the journal on the disk, and the next"
                            + " start replays it");
        }
    }
}
