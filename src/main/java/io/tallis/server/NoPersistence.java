package io.tallis.server;

import io.tallis.cluster.join.StandingStore;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.Registry;
import io.tallis.command.dispatch.LoadState;
import io.tallis.command.dispatch.WriteGate;
import io.tallis.command.server.Backups;
import io.tallis.command.server.InfoFields;
import io.tallis.command.server.InfoSection;
import io.tallis.journal.JournalStatus;
import io.tallis.journal.UnjournaledTurns;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The [Persistence] of a node that keeps nothing on disk (`persistence no`): counters are lost with the process,
/// unless other nodes have them.
final class NoPersistence implements Persistence {
    private static final String NOTHING_ON_DISK = "nothing is saved to disk: the server runs with persistence no";

    private final UUID node;
    private final Keyspace keyspace;
    private final long startedEpochSeconds;
    private volatile boolean closing;

    NoPersistence(UUID node, Keyspace keyspace, long startedEpochSeconds) {
        this.node = node;
        this.keyspace = keyspace;
        this.startedEpochSeconds = startedEpochSeconds;
    }

    @Override
    public UUID node() {
        return node;
    }

    @Override
    public String place() {
        return "none (persistence no)";
    }

    @Override
    public boolean isKept() {
        return false;
    }

    @Override
    public Registry.Store nodes() {
        return Registry.Store.NONE;
    }

    @Override
    public Standing standing() {
        return Standing.NONE;
    }

    @Override
    public StandingStore standings() {
        return (_, done, _) -> done.run();
    }

    @Override
    public TurnLog newTurnLog() {
        return new UnjournaledTurns();
    }

    @Override
    public void load() {}

    @Override
    public void makeDurable() {}

    @Override
    public void filling(boolean filling) {}

    @Override
    public void throttleWhile(BooleanSupplier repairing) {}

    @Override
    public void updateThrottle() {}

    @Override
    public String howLoaded() {
        return "";
    }

    @Override
    public void discard() {}

    @Override
    public LoadState loadState() {
        return LoadState.DONE;
    }

    /// There are no files.
    @Override
    public boolean hasLostFiles() {
        return false;
    }

    @Override
    public WriteGate writeGate() {
        return () -> closing ? WriteGate.STOPPING : null;
    }

    @Override
    public InfoSection section(LoadState server) {
        return InfoSection.of("persistence", fields -> tell(server, fields));
    }

    /// All changes since the start count as not saved.
    @Override
    public PersistenceSection now(LoadState server) {
        long changes = keyspace.marked(Keyspace.Consumer.CHECKPOINT);
        BackupStatus backups = BackupStatus.none(startedEpochSeconds);
        return new PersistenceSection(server.loading(), false, changes, 0, backups, JournalStatus.NOT_RUNNING);
    }

    private void tell(LoadState server, InfoFields fields) {
        now(server).tell(fields);
        if (server.loading()) {
            PersistenceSection.tellLoading(fields, startedEpochSeconds, server.percent());
        }
    }

    @Override
    public long bytesWaiting() {
        return 0;
    }

    @Override
    public boolean close(Runnable changesEnded) {
        closing = true;
        changesEnded.run();
        return true;
    }

    @Override
    public Backups backups() {
        return new Backups() {
            @Override
            public String begin(Consumer<@Nullable String> done) {
                return NOTHING_ON_DISK;
            }

            @Override
            public String beginCheckpoint() {
                return NOTHING_ON_DISK;
            }

            @Override
            public long lastEpochSeconds() {
                return startedEpochSeconds;
            }
        };
    }
}
