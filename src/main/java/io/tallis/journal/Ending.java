package io.tallis.journal;

import io.tallis.runtime.Clock;
import io.tallis.runtime.TimeLimit;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// The end of a data directory's use: a last checkpoint, the rest of the journal, and what people are told of either.
///
/// What was in files that are lost is in memory only, so that the end is put off for a checkpoint that makes up for
/// them, as long as there is hope. Of all else the journal has what no checkpoint does.
///
/// ```
///   takeCheckpoint          clients are served, the disk is waited for so long
///     v
///   close                   no change may begin
///     a checkpoint          unless the one before was given up
///     checkpoints for what is lost, for up to a minute
///     the journal's rest
/// ```
final class Ending {
    /// A batch of a checkpoint may wait so long while RocksDB merges tables on a slow disk.
    private static final long LONGEST_STANDSTILL_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long SAVING_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final DataDirectory directory;
    private final CellStore store;
    private final Runnable makeRoom;
    private final Journal journal;
    private final Checkpoints checkpoints;
    private final Clock clock;

    /// When a checkpoint that makes up for lost files has got on, or the disk has answered that it does not.
    private final AtomicLong savingSince = new AtomicLong();

    private final AtomicLong batchesSeen = new AtomicLong();

    /// `makeRoom` gives up what takes room on the disk that nobody has use for any more.
    Ending(
            DataDirectory directory,
            CellStore store,
            Runnable makeRoom,
            Journal journal,
            Checkpoints checkpoints,
            Clock clock) {
        this.directory = directory;
        this.store = store;
        this.makeRoom = makeRoom;
        this.journal = journal;
        this.checkpoints = checkpoints;
        this.clock = clock;
    }

    /// Takes a checkpoint while changes may go on, and gives it up when the time is over and it saves nothing that is
    /// lost.
    void takeCheckpoint(Duration patience) {
        begin();
        batchesSeen.set(checkpoints.batchesWritten());
        savingSince.set(clock.nanos());
        if (!TimeLimit.isMetBy(this::tryCheckpoint, "last-checkpoint", patience, this::isSaving)) {
            // Where files are lost no start replays all, and what becomes of them is told at the end.
            if (directory.wasHeld() && !journal.hasLostFiles()) {
                Failures.LOG.log(
                        Level.WARNING, "no checkpoint within {0} s, the next start replays", patience.toSeconds());
            }
            checkpoints.abandon();
        }
    }

    private void begin() {
        journal.end();
        checkpoints.end();
    }

    /// Whether a checkpoint that makes up for lost files has got on lately, be the patience shorter.
    boolean isSaving() {
        long written = checkpoints.batchesWritten();
        if (written > batchesSeen.getAndSet(written)) {
            savingSince.set(clock.nanos());
        }
        return journal.hasLostFiles() && clock.nanos() - savingSince.get() < LONGEST_STANDSTILL_NANOS;
    }

    /// Whoever waits for it has to know of a loss: so that is looked for first.
    private void tryCheckpoint() {
        journal.lookForFiles();
        try {
            runTwiceIfLost();
        } catch (IOException _) {
            // Told of at the end. What failed once is tried again there only where files are lost.
            checkpoints.abandon();
        }
    }

    /// One that fails since it finds files lost is followed by one that makes up for them: they are in memory now, and
    /// in none afterwards.
    private void runTwiceIfLost() throws IOException {
        try {
            checkpoints.run();
        } catch (IOException e) {
            if (journal.lost() == null) {
                throw e;
            }
            checkpoints.run();
        }
    }

    /// Takes a last checkpoint, writes what was handed over, and closes all.
    void close() {
        begin();
        checkpoints.close();
        journal.lookForFiles();
        if (!checkpoints.abandoned()) {
            tryOnce();
        }
        // One that was given up may be in the middle of writing, and a database that is closed then does not survive
        // it.
        checkpoints.awaitEnd();
        saveWhatIsLost();
        journal.close();
        store.close();
        tellOfTheEnd();
    }

    /// A disk that is full gets a while, in which somebody may make room, and what can be given up.
    private void saveWhatIsLost() {
        long since = clock.nanos();
        String told = "";
        while (journal.lost() != null) {
            savingSince.set(clock.nanos());
            checkpoints.resume();
            tryOnce();
            checkpoints.awaitEnd();
            savingSince.set(clock.nanos());
            String lost = journal.lost();
            if (lost == null || !directory.wasHeld() || clock.nanos() - since > LONGEST_STANDSTILL_NANOS) {
                return;
            }
            makeRoom.run();
            told = tellOfFailure(lost, told);
            LockSupport.parkNanos(this, SAVING_PAUSE_NANOS);
        }
    }

    /// Tells of each failure once. Returns what was told last.
    private String tellOfFailure(String lost, String told) {
        String failure = checkpoints.failure();
        if (failure == null || failure.equals(told)) {
            return told;
        }
        Failures.LOG.log(
                Level.ERROR,
                lost + ". This cannot be made up for yet: " + failure
                        + ". It is tried for a minute; if the disk is full, make room");
        return failure;
    }

    private void tryOnce() {
        try {
            checkpoints.run();
        } catch (IOException _) {
            // Told of at the end.
        }
    }

    /// Whether all that was acknowledged is on the disk, where the next start finds it.
    boolean isAllOnDisk() {
        return journal.bytesAtRisk() == 0 && journal.lost() == null;
    }

    private void tellOfTheEnd() {
        long bytes = journal.bytesAtRisk();
        String lost = journal.lost();
        String failure = checkpoints.failure();
        if (lost != null) {
            Failures.LOG.log(
                    Level.ERROR,
                    lost + ". What the next start does not find is lost when this process ends, but for what other"
                            + " nodes have");
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

    /// Tells that the disk hung, and what that means.
    static void tellOfSilence(Duration patience, boolean filesAreLost) {
        if (filesAreLost) {
            Failures.LOG.log(
                    Level.ERROR,
                    "the disk has not answered and is left alone, while files are lost. What the next start does not"
                            + " find is lost when this process ends, but for what other nodes have");
        } else {
            Failures.LOG.log(
                    Level.ERROR,
                    "the disk has not answered for {0} s and is left alone. What was acknowledged is with the operating"
                            + " system; should the machine stop too before its disk answers, it may lose what was not"
                            + " synced",
                    patience.toSeconds());
        }
    }
}
