package io.tallis.journal;

import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Directories;
import io.tallis.runtime.Live;
import io.tallis.runtime.Randomness;
import io.tallis.runtime.TimeLimit;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A node's data directory in use: loaded at the start, written to while the node runs, closed with a checkpoint.
///
/// Opening takes the directory; [#load] fills the keyspace, which may take a while, and starts the journal. Turn
/// logs may be had before, though nothing may be recorded in them until the data is loaded.
public final class Storage implements AutoCloseable {
    /// The file in the data directory for what is known of other nodes, which backups have too. Whoever replicates
    /// keeps it.
    public static final String NODES_FILE = DataDirectory.NODES;

    /// The file in the data directory that says that there may be only a part of what others had. Others keep it, and a
    /// backup of a part has one too.
    public static final String CLUSTER_FILE = DataDirectory.CLUSTER;

    private final JournalSettings settings;
    private final Live<FsyncPolicy> policy;
    private final CellStore.Opener opener;
    private final Keyspace keyspace;
    private final Clock clock;
    private final Randomness randomness;
    private final Function<Path, Disk> disks;

    private final DataDirectory directory;
    private final TurnLogs logs;
    private final Loading loading;
    private final ReentrantLock copying = new ReentrantLock();

    private volatile @Nullable Running running;

    Storage(
            JournalSettings settings,
            Live<FsyncPolicy> policy,
            CellStore.Opener opener,
            Keyspace keyspace,
            Clock clock,
            Randomness randomness,
            Function<Path, Disk> disks)
            throws IOException {
        this.settings = settings;
        this.policy = policy;
        this.opener = opener;
        this.keyspace = keyspace;
        this.clock = clock;
        this.randomness = randomness;
        this.disks = disks;
        directory = DataDirectory.open(settings.dir(), randomness);
        logs = new TurnLogs(keyspace.replicas());
        loading = new Loading(clock);
    }

    /// Takes the directory for this process. Fails with [DataDirectoryException] if it cannot be used.
    public static Storage open(
            JournalSettings settings,
            Live<FsyncPolicy> policy,
            CellStore.Opener opener,
            Keyspace keyspace,
            Clock clock,
            Randomness randomness)
            throws IOException {
        return new Storage(settings, policy, opener, keyspace, clock, randomness, NioDisk::new);
    }

    /// What is there once the data is loaded.
    private record Running(
            Segments segments,
            LogWriter log,
            Journal journal,
            Deference deference,
            Checkpoints checkpoints,
            Backups backups,
            Ending ending) {}

    /// The UUID of the node that the directory belongs to.
    public UUID node() {
        return directory.node();
    }

    /// The directory.
    public Place place() {
        return directory::requireHeld;
    }

    /// Whether the next start would not find all that was acknowledged, as was seen last: the directory is not this
    /// process's any more, or files in it are gone or damaged, and no checkpoint has made up for them yet. Cheap.
    public boolean hasLostFiles() {
        return hasLostFiles(running);
    }

    private boolean hasLostFiles(@Nullable Running now) {
        return !directory.wasHeld() || (now != null && now.journal.hasLostFiles());
    }

    /// A log for one thread, which commits at the end of each of its turns for as long as it lives: a checkpoint
    /// waits for the end of every turn that has recorded something.
    public TurnLog newTurnLog() {
        return logs.newLog();
    }

    /// Such a log for a thread that is not to wait for the disk even if that stands still all of a sudden.
    public TurnLog newTurnLogWrittenByOthers() {
        return logs.newLogWrittenByOthers();
    }

    /// Gives up the directory instead of loading it, and leaves none behind that was not there before.
    public void discard() throws IOException {
        directory.discard();
    }

    /// Fills the keyspace with what the directory holds and starts the journal. Fails with [DamagedException] if
    /// the data is not whole; nothing was changed then.
    public void load() throws IOException {
        // Those of the journal are when it is opened.
        Directories.syncFiles(directory.cells());
        CellStore store = opener.open(directory.cells(), place());
        try {
            Segments segments = new Segments(new HeldDisk(directory, disks.apply(directory.journal())), settings);
            int threads = Runtime.getRuntime().availableProcessors();
            LogWriter log = new Recovery(segments, store, keyspace, loading).run(threads, randomness);
            start(store, segments, log);
        } catch (IOException | RuntimeException e) {
            store.close();
            directory.discardEmptyJournal();
            throw e;
        }
    }

    private void start(CellStore store, Segments segments, LogWriter log) {
        Journal journal =
                new Journal(log, segments, store::lost, logs, settings, policy, clock, this::requestCheckpoint);
        Deference deference = new Deference(journal::hasTime, store::holdBack, clock);
        int batchBytes = Checkpointer.batchBytes(Runtime.getRuntime().maxMemory());
        Checkpoints checkpoints = new Checkpoints(
                new Checkpointer(keyspace, store, journal, place(), clock, batchBytes, deference.newCourtesy()::rest),
                clock,
                journal::lookForFiles,
                () -> journal.hasLostFiles() && !segments.isAway());
        // The last look may be from before the checkpoint that the backup began with.
        Courtesy courtesy = deference.newCourtesy();
        Pause whileNothingElse = Rests.insteadOf(checkpoints, journal::stillLost, courtesy, clock);
        JournalCopy rows = new JournalCopy(segments, journal::drawBorder, whileNothingElse);
        Pause whileAllGoesOn = Rests.beside(checkpoints, place(), courtesy, clock);
        Backups backups = new Backups(directory, store, rows, whileNothingElse, whileAllGoesOn, clock);
        backups.clear();
        Runnable makeRoom = () -> {
            segments.spares().giveUp();
            backups.clear();
        };
        Ending ending = new Ending(directory, store, makeRoom, journal, checkpoints, clock);
        running = new Running(segments, log, journal, deference, checkpoints, backups, ending);
        journal.start();
        checkpoints.start();
    }

    public LoadingProgress loading() {
        return loading.progress();
    }

    /// Why no change may begin now, as the error that clients get; null when changes may. Cheap enough to be asked
    /// before every change.
    public @Nullable String refusal() {
        Running now = running;
        return now == null ? null : now.journal.refusal();
    }

    /// Has a checkpoint taken soon, in the background.
    public void requestCheckpoint() {
        Running now = running;
        if (now != null) {
            now.checkpoints.request();
        }
    }

    /// While the node is filled by others the journal may grow longer before a checkpoint; ignored until the data is
    /// loaded.
    public void filling(boolean filling) {
        Running now = running;
        if (now != null) {
            now.journal.filling(filling);
        }
    }

    /// Checkpoints and backups rest for a while where others do what they say is urgent, unless the journal grows too
    /// long; ignored until the data is loaded.
    public void yieldTo(BooleanSupplier others) {
        Running now = running;
        if (now != null) {
            now.deference.yieldTo(others);
        }
    }

    /// Holds the database's threads back as well, or lets them go, if others say something else than before. They call
    /// it a few times a second as long as what they do is urgent.
    public void lookAtOthers() {
        Running now = running;
        if (now != null) {
            now.deference.look();
        }
    }

    /// Returns when all that was handed over before is on the disk.
    public void settle() throws IOException {
        loaded().journal.settle();
    }

    /// Takes a checkpoint and returns when it is on the disk.
    public void checkpoint() throws IOException {
        loaded().checkpoints.run();
    }

    /// Takes a checkpoint and copies it under `backup/`, one at a time. Returns the copy, a whole data directory.
    public Path backup() throws IOException {
        Running now = loaded();
        if (!copying.tryLock()) {
            throw new IOException("a copy is being made");
        }
        try {
            Backups.Made made = now.checkpoints.runThen(done -> now.backups.make(done.replayFrom()));
            return now.backups.keep(made);
        } catch (IOException e) {
            throw new IOException("cannot make a copy in " + directory.backups() + ": " + Failures.reason(e), e);
        } finally {
            copying.unlock();
        }
    }

    private Running loaded() throws IOException {
        Running now = running;
        if (now == null) {
            throw new IOException("the data is not loaded");
        }
        return now;
    }

    public JournalStatus status() {
        Running now = running;
        if (now == null) {
            return JournalStatus.NOT_RUNNING;
        }
        LogWriter.Synced synced = now.log.synced();
        Journal journal = now.journal;
        return new JournalStatus(
                now.segments.numbers().size(),
                now.segments.bytes(),
                journal.growth().bytesNeeded(),
                logs.bytesWaiting(),
                journal.bytesAtRisk(),
                synced.segment(),
                synced.offset(),
                TimeUnit.NANOSECONDS.toMillis(clock.nanos() - journal.syncs().lastNanos()),
                journal.syncs().anyUnderWay(),
                journal.syncs().late(),
                logs.turnsWaiting(),
                journal.failures(),
                journal.lastFailure(),
                journal.lastFailureEpochMillis(),
                journal.refusal(),
                now.checkpoints.status());
    }

    /// Takes a last checkpoint, has changes refused, and closes. Waits for the disk only so long in either step, since
    /// it may hang: what was acknowledged is with the operating system, and the next start replays what no checkpoint
    /// has. Where files are lost it cannot, and a checkpoint that makes up for them is waited for as long as it gets
    /// on, or up to a minute where it does not. A disk that answers, but is full or fails, ends either step at once
    /// otherwise. Returns whether all that was acknowledged is on the disk.
    public boolean end(Duration patience, Runnable refuse) {
        Running now = running;
        if (now != null) {
            now.deference.end();
            now.ending.takeCheckpoint(patience);
        }
        refuse.run();
        BooleanSupplier isSaving = now == null ? () -> false : now.ending::isSaving;
        AtomicBoolean allWritten = new AtomicBoolean();
        if (!TimeLimit.isMetBy(() -> allWritten.set(tryClose()), "closing", patience, isSaving)) {
            Ending.tellOfSilence(patience, hasLostFiles(now));
        }
        return allWritten.get();
    }

    private boolean tryClose() {
        try {
            Running now = running;
            close();
            return now == null || now.ending.isAllOnDisk();
        } catch (IOException e) {
            Failures.LOG.log(Level.ERROR, "cannot close the data directory: " + Failures.reason(e));
            return false;
        }
    }

    /// Takes a last checkpoint, writes what was handed over, and gives up the directory. Whoever records must have
    /// ended; what is handed over from now on is lost.
    @Override
    public void close() throws IOException {
        Running now = running;
        if (now != null) {
            running = null;
            now.deference.end();
            now.ending.close();
        }
        directory.close();
    }
}
