package io.tallis.journal;

import io.tallis.journal.backup.BackupFiles;
import io.tallis.journal.backup.JournalCopy;
import io.tallis.journal.checkpoint.CellStore;
import io.tallis.journal.checkpoint.Checkpointer;
import io.tallis.journal.checkpoint.Checkpoints;
import io.tallis.journal.checkpoint.GenerationFiles;
import io.tallis.journal.checkpoint.Generations;
import io.tallis.journal.checkpoint.Throttle;
import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.DataDirectory;
import io.tallis.journal.disk.Disk;
import io.tallis.journal.disk.Failures;
import io.tallis.journal.disk.NioDisk;
import io.tallis.journal.disk.Pause;
import io.tallis.journal.disk.Place;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.journal.log.Journal;
import io.tallis.journal.log.JournalSettings;
import io.tallis.journal.log.LoadingProgress;
import io.tallis.journal.log.LogWriter;
import io.tallis.journal.log.Segments;
import io.tallis.journal.log.TurnLogs;
import io.tallis.journal.recovery.Loading;
import io.tallis.journal.recovery.Recovery;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import io.tallis.runtime.Randomness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The persistence of a node: its data directory, loaded at the start, written to while the node runs, closed with a
/// checkpoint. It builds the journal, the checkpoints and the backups, and is what other packages see of them.
///
/// Opening locks the directory; [#load] fills the keyspace, which may take a while, and starts the journal. Turn logs
/// may be made before, but nothing may be recorded in them until the data is loaded.
public final class Storage implements AutoCloseable {
    /// The file in the data directory for what is known of other nodes, which is copied into backups. Replication keeps
    /// it.
    public static final String NODES_FILE = DataDirectory.NODES;

    /// The file in the data directory that says which cluster the node belongs to, and whether it is complete.
    /// Replication keeps it; a backup has a copy.
    public static final String CLUSTER_FILE = DataDirectory.CLUSTER;

    private final JournalSettings settings;
    private final Live<FsyncPolicy> policy;
    private final CellStore.Opener opener;
    private final Keyspace keyspace;
    private final Clock clock;
    private final Randomness randomness;
    private final UnaryOperator<Disk> disks;

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
            UnaryOperator<Disk> disks)
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

    /// Locks the directory for this process. Fails with [DataDirectoryException] if it cannot be used.
    public static Storage open(
            JournalSettings settings,
            Live<FsyncPolicy> policy,
            CellStore.Opener opener,
            Keyspace keyspace,
            Clock clock,
            Randomness randomness)
            throws IOException {
        return new Storage(settings, policy, opener, keyspace, clock, randomness, disk -> disk);
    }

    /// All parts once the data is loaded.
    private record Running(
            Segments segments,
            LogWriter log,
            Journal journal,
            Throttle throttle,
            Checkpoints checkpoints,
            BackupFiles backups,
            DirectoryWatch watch,
            StorageStop stop) {}

    /// The UUID of the node that the directory belongs to.
    public UUID node() {
        return directory.node();
    }

    /// The directory, for classes that keep other files in it.
    public Place place() {
        return directory::requireHeld;
    }

    /// Whether the next start would not find all that was acknowledged, as was seen last: a file is missing or damaged,
    /// and no checkpoint has made it needless yet. Cheap.
    public boolean hasLostFiles() {
        Running now = running;
        return now != null && now.watch.damage() != null;
    }

    /// A log for one thread, which commits at the end of each of its turns for as long as it lives: a checkpoint waits
    /// for the end of every turn that has recorded something.
    public TurnLog newTurnLog() {
        return logs.newLog();
    }

    /// Such a log for a thread that must never wait for the disk: other threads write its turns.
    public TurnLog newTurnLogWrittenByOthers() {
        return logs.newLogWrittenByOthers();
    }

    /// Unlocks the directory instead of loading it, and deletes it if it was not there before.
    public void discard() throws IOException {
        directory.discard();
    }

    /// Fills the keyspace with what the directory holds and starts the journal. Fails with [DamagedException] if
    /// something is or may be missing; no file was changed then.
    public void load() throws IOException {
        try {
            Disk disk = disks.apply(new NioDisk(directory.journal(), place()));
            Segments segments = new Segments(disk, settings);
            int threads = Runtime.getRuntime().availableProcessors();
            Generations.Files files = new GenerationFiles(directory, opener);
            Recovery recovery = new Recovery(files, segments, keyspace, loading, threads);
            requireData(recovery);
            keyspace.folds().loading(true);
            Recovery.Loaded loaded = recovery.run(randomness);
            keyspace.loaded();
            start(segments, loaded);
        } catch (IOException | RuntimeException e) {
            directory.discardEmptyJournal();
            throw e;
        }
    }

    /// A node of a cluster writes the file `cluster` after its first data. An emptied directory that kept the file
    /// would start as complete, and serve zeros.
    private void requireData(Recovery recovery) throws IOException {
        if (recovery.isNew() && Files.exists(directory.cluster())) {
            throw new DamagedException(directory.root() + " has neither a journal nor a database, but "
                    + directory.cluster() + " says that a node of a cluster had its counters here");
        }
    }

    private void start(Segments segments, Recovery.Loaded loaded) {
        LogWriter log = loaded.log();
        Generations database = loaded.generations();
        Journal journal = new Journal(log, segments, logs, settings, policy, clock, this::requestCheckpoint);
        Throttle throttle = new Throttle(journal::hasTime, database::throttle, clock);
        int batchBytes = Checkpointer.batchBytes(Runtime.getRuntime().maxMemory());
        Checkpoints checkpoints = new Checkpoints(
                new Checkpointer(keyspace, database, journal, place(), clock, batchBytes, throttle::pause), clock);
        DirectoryWatch watch = new DirectoryWatch(directory, segments, database, journal, checkpoints);
        Pause whileMade = throttle.pauses(() -> requireUrgentOver(checkpoints, watch));
        Pause whileKept = throttle.pauses(() -> requireRunning(checkpoints));
        JournalCopy rows = new JournalCopy(segments, journal::rotateForCopy, whileMade);
        BackupFiles backups = new BackupFiles(directory, database, rows, whileMade, whileKept, clock);
        backups.deleteUnfinished();
        StorageStop stop = new StorageStop(directory, database, journal, checkpoints, watch);
        running = new Running(segments, log, journal, throttle, checkpoints, backups, watch, stop);
        journal.start();
        checkpoints.start();
        watch.start();
    }

    /// A backup in the making holds up checkpoints, so it is given up for the last one and for a checkpoint that makes
    /// up for damage.
    private static void requireUrgentOver(Checkpoints checkpoints, DirectoryWatch watch) throws IOException {
        requireRunning(checkpoints);
        if (watch.damage() != null) {
            // The checkpoint that the backup began with may have made up for it.
            watch.look();
        }
        String damage = watch.damage();
        if (damage != null) {
            throw new IOException("given up for a checkpoint that makes up for damage: " + damage);
        }
    }

    private static void requireRunning(Checkpoints checkpoints) throws IOException {
        if (checkpoints.ending()) {
            throw new IOException("the node stops");
        }
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

    /// While other nodes fill this one the journal may grow longer before a checkpoint; ignored until the data is
    /// loaded.
    public void filling(boolean filling) {
        Running now = running;
        if (now != null) {
            now.journal.filling(filling);
        }
    }

    /// Slows checkpoints, backups and the database while `repairing` says that a repair between nodes moves much,
    /// unless the journal grows too long; ignored until the data is loaded.
    public void throttleWhile(BooleanSupplier repairing) {
        Running now = running;
        if (now != null) {
            now.throttle.throttleWhile(repairing);
        }
    }

    /// Throttles or frees the database's threads. To be called a few times a second during a repair, and once when it
    /// is over.
    public void updateThrottle() {
        Running now = running;
        if (now != null) {
            boolean _ = now.throttle.update();
        }
    }

    /// Returns when all that was handed over before is on the disk.
    public void makeDurable() throws IOException {
        loaded().journal.makeDurable();
    }

    /// Takes a checkpoint and returns when it is on the disk.
    public void checkpoint() throws IOException {
        loaded().checkpoints.run();
    }

    /// Takes a checkpoint and copies it under `backup/`, one at a time. Returns the copy, which is a data directory.
    public Path backup() throws IOException {
        Running now = loaded();
        if (!copying.tryLock()) {
            throw new IOException("another backup is being made");
        }
        try {
            Path made = now.checkpoints.runThen(done -> now.backups.make(done.replayFrom()));
            return now.backups.keep(made);
        } catch (IOException e) {
            throw new IOException("cannot make a backup in " + directory.backups() + ": " + Failures.reason(e), e);
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
                journal.syncs().durations(),
                logs.turnsWaiting(),
                journal.failures(),
                journal.lastFailure(),
                journal.lastFailureEpochMillis(),
                journal.refusal(),
                now.checkpoints.status());
    }

    /// Takes a last checkpoint, runs `refuse`, which has changes refused, and closes. Waits for the disk only so long
    /// in either step, since it may hang: what was acknowledged is with the operating system, and the next start
    /// replays what no checkpoint has. Only a checkpoint that makes up for damage is waited for as long as it runs.
    /// Returns whether all that was acknowledged is on the disk.
    public boolean end(Duration patience, Runnable refuse) {
        Running now = running;
        if (now != null) {
            now.throttle.end();
            now.stop.takeCheckpoint(patience);
        }
        refuse.run();
        running = null;
        return now == null || now.stop.close(patience);
    }

    /// The same without a limit of time.
    @Override
    public void close() throws IOException {
        Running now = running;
        running = null;
        if (now != null) {
            now.throttle.end();
            boolean _ = now.stop.close();
        }
        directory.close();
    }
}
