package io.tallis.server;

import io.tallis.cluster.join.StandingStore;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.Registry;
import io.tallis.command.dispatch.LoadState;
import io.tallis.command.dispatch.WriteGate;
import io.tallis.command.server.Backups;
import io.tallis.command.server.InfoFields;
import io.tallis.command.server.InfoSection;
import io.tallis.config.Config;
import io.tallis.config.Settings;
import io.tallis.journal.JournalStatus;
import io.tallis.journal.Storage;
import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.log.LoadingProgress;
import io.tallis.journal.rocksdb.RocksCellStore;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Randomness;
import io.tallis.runtime.Threads;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/// Persistence in a data directory: a journal, and a database with its checkpoints.
final class JournalPersistence implements Persistence, LoadState {
    private static final Logger LOG = System.getLogger(JournalPersistence.class.getName());

    /// The segment of this start, and that of the start before.
    private static final int SEGMENTS_OF_TWO_STARTS = 2;

    private final Config config;
    private final Storage storage;
    private final Keyspace keyspace;
    private final StorageBackups backups;
    private final NodesFile nodes;
    private final StandingFile standing;
    private Standing standingAtStart = Standing.NONE;
    private final long loadingSinceEpochSeconds;
    private volatile boolean loading = true;
    private volatile long keysLoaded;
    private volatile boolean closing;

    private JournalPersistence(Config config, Storage storage, Keyspace keyspace, Clock clock) {
        this.config = config;
        this.storage = storage;
        this.keyspace = keyspace;
        backups = new StorageBackups(storage, clock);
        nodes = new NodesFile(PartSettings.dir(config.values()), storage.place());
        standing = new StandingFile(PartSettings.dir(config.values()), storage.place(), () -> {
            nodes.flush();
            storage.makeDurable();
        });
        loadingSinceEpochSeconds = clock.epochMillis() / 1000;
    }

    /// Locks the data directory. Throws [StartException] when another process has it, or it cannot be used.
    static JournalPersistence open(Config config, Keyspace keyspace, Clock clock, Randomness randomness) {
        // Loading the library takes a while, and the rest of the start need not wait for it.
        Threads.start("rocksdb-library", RocksCellStore::loadLibrary);
        try {
            Storage storage = Storage.open(
                    PartSettings.journal(config.values()),
                    config.live(PartSettings::fsyncPolicy),
                    RocksCellStore::open,
                    keyspace,
                    clock,
                    randomness);
            keyspace.expiry().persistent(true);
            keyspace.expiry().checkpoint(storage::requestCheckpoint);
            return new JournalPersistence(config, storage, keyspace, clock);
        } catch (IOException unusable) {
            throw new StartException(text(unusable));
        }
    }

    private static String text(IOException failure) {
        return String.valueOf(failure.getMessage());
    }

    @Override
    public UUID node() {
        return storage.node();
    }

    @Override
    public String place() {
        return PartSettings.dir(config.values()).toString();
    }

    @Override
    public boolean isKept() {
        return true;
    }

    @Override
    public Registry.Store nodes() {
        return nodes;
    }

    @Override
    public Standing standing() {
        return standingAtStart;
    }

    @Override
    public StandingStore standings() {
        return standing;
    }

    @Override
    public void makeDurable() throws IOException {
        storage.makeDurable();
    }

    @Override
    public TurnLog newTurnLog() {
        return storage.newTurnLog();
    }

    @Override
    public TurnLog newTurnLogOfReplication() {
        return storage.newTurnLogWrittenByOthers();
    }

    @Override
    public void load() {
        standingAtStart = standing.read();
        try {
            storage.load();
        } catch (DamagedException damaged) {
            throw new StartException(text(damaged) + ". " + DamagedException.WHAT_TO_DO);
        } catch (IOException failed) {
            throw new StartException("cannot load the data directory " + PartSettings.dir(config.values()) + ": "
                    + text(failed) + ". Nothing is lost: start again when the disk can be used");
        }
        keysLoaded = keyspace.keys();
        loading = false;
        if (storage.loading().journalBytes() > 0 || storage.status().segments() > SEGMENTS_OF_TWO_STARTS) {
            // Otherwise a server that crashes at every start has more to replay, or one more segment, each time.
            storage.requestCheckpoint();
        }
    }

    @Override
    public void filling(boolean filling) {
        storage.filling(filling);
    }

    @Override
    public void throttleWhile(BooleanSupplier repairing) {
        storage.throttleWhile(repairing);
    }

    @Override
    public void updateThrottle() {
        storage.updateThrottle();
    }

    @Override
    public String howLoaded() {
        LoadingProgress loaded = storage.loading();
        if (loaded.journalBytes() > 0) {
            return "; replayed " + loaded.journalBytes() + " bytes of the journal, written since the last checkpoint";
        }
        // An operator who expects counters may have named the wrong directory. Whether it was empty does not tell: a
        // mount has `lost+found`, and a start that was refused may have left its own files.
        return loaded.cells() > 0 || loaded.cut() ? "" : "; no counters were found in " + place();
    }

    @Override
    public void discard() {
        try {
            storage.discard();
        } catch (IOException left) {
            LOG.log(Level.DEBUG, "Cannot close the data directory: " + text(left));
        }
    }

    @Override
    public boolean hasLostFiles() {
        return storage.hasLostFiles();
    }

    @Override
    public LoadState loadState() {
        return this;
    }

    @Override
    public boolean loading() {
        return loading;
    }

    @Override
    public int percent() {
        return (int) storage.loading().percent();
    }

    @Override
    public WriteGate writeGate() {
        return () -> closing ? WriteGate.STOPPING : storage.refusal();
    }

    @Override
    public Backups backups() {
        return backups;
    }

    @Override
    public long bytesWaiting() {
        return storage.status().bytesWaiting();
    }

    @Override
    public InfoSection section(LoadState server) {
        return InfoSection.of("persistence", fields -> tell(server, fields));
    }

    @Override
    public PersistenceSection now(LoadState server) {
        long changes = keyspace.marked(Keyspace.Consumer.CHECKPOINT);
        return new PersistenceSection(server.loading(), true, changes, keysLoaded, backups.status(), storage.status());
    }

    private void tell(LoadState server, InfoFields fields) {
        PersistenceSection now = now(server);
        boolean incomplete = now.loading();
        now.tell(fields);
        fields.field("appendfsync", config.values().text(Settings.APPENDFSYNC));
        tellJournal(fields, now.journal());
        long database = now.journal().checkpoint().databaseBytes();
        fields.field("database_deleted_cells_bytes", (long) (keyspace.deletedPart() * database));
        fields.field(
                "database_ended_sessions_bytes", (long) (keyspace.endedShards().partOfRows() * database));
        if (loading) {
            tellLoading(fields, storage.loading());
        } else if (incomplete) {
            PersistenceSection.tellLoading(fields, loadingSinceEpochSeconds, server.percent());
        }
    }

    private static void tellJournal(InfoFields fields, JournalStatus status) {
        fields.field("journal_segments", status.segments())
                .field("journal_bytes", status.journalBytes())
                .field("journal_bytes_not_synced", status.bytesAtRisk())
                .field("journal_segment", status.segment())
                .field("journal_synced_offset", status.syncedOffset())
                .field("journal_last_sync_ms_ago", status.lastSyncMillisAgo())
                .field("journal_turns_waiting", status.turnsWaiting())
                .field("journal_failures", status.failures())
                .field("checkpoint_last_epoch_ms", status.checkpoint().lastEpochMillis())
                .field("checkpoint_last_ms", status.checkpoint().lastMillis())
                .field("checkpoint_last_cells", status.checkpoint().lastCells());
        String failure = status.failure();
        if (failure != null) {
            fields.field("journal_last_failure", failure)
                    .field("journal_last_failure_epoch_ms", status.failureEpochMillis());
        }
        String checkpointFailure = status.checkpoint().failure();
        if (checkpointFailure != null) {
            fields.field("checkpoint_failure", checkpointFailure);
        }
    }

    private void tellLoading(InfoFields fields, LoadingProgress progress) {
        PersistenceSection.tellLoading(fields, loadingSinceEpochSeconds, progress.percent());
        fields.field("loading_eta_seconds", progress.secondsLeft())
                .field("loading_loaded_cells", progress.cells())
                .field("loading_loaded_bytes", progress.journalBytes())
                .field("loading_total_bytes", progress.journalBytesExpected());
    }

    @Override
    public boolean close(Runnable changesEnded) {
        return storage.end(PartSettings.shutdownTimeout(config.values()), () -> {
            closing = true;
            changesEnded.run();
            nodes.close();
        });
    }
}
