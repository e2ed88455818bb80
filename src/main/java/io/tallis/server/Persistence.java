package io.tallis.server;

import io.tallis.cluster.join.StandingStore;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.Registry;
import io.tallis.command.dispatch.LoadState;
import io.tallis.command.dispatch.WriteGate;
import io.tallis.command.server.Backups;
import io.tallis.command.server.InfoSection;
import io.tallis.keyspace.TurnLog;
import java.io.IOException;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/// The part of a server that keeps counters after the process has ended: [JournalPersistence] in a data directory,
/// [NoPersistence] not at all.
interface Persistence {
    /// The UUID of the node that the data belongs to.
    UUID node();

    /// The place of the data, for people.
    String place();

    /// Whether the data outlives the process.
    boolean isKept();

    /// The store of the registry of nodes.
    Registry.Store nodes();

    /// The cluster that the node belonged to when it stopped. Throws [StartException] when that cannot be read.
    Standing standing();

    /// The store of the standing, for the next start.
    StandingStore standings();

    /// A new change log, for one thread.
    TurnLog newTurnLog();

    /// The change log of the replicator. Other nodes wait for that thread, so writing to this log does not wait for the
    /// disk.
    default TurnLog newTurnLogOfReplication() {
        return newTurnLog();
    }

    /// Loads all counters into memory. Throws [StartException] when the data is damaged or cannot be read.
    void load();

    /// Tells, after [#load], whether the node is being filled with the counters of other nodes.
    void filling(boolean filling);

    /// Throttles checkpoints, backups and the database while `repairing` is true: while a repair between nodes moves
    /// much data. To be called after [#load].
    void throttleWhile(BooleanSupplier repairing);

    /// To be called a few times a second during such a repair, and once after it.
    void updateThrottle();

    /// An addition to the log line about [#load]: that no data was found, or that much was replayed.
    String howLoaded();

    /// Closes all files instead of loading them, and deletes the files that a failed start has made.
    void discard();

    LoadState loadState();

    WriteGate writeGate();

    /// Whether files were deleted or replaced by others, so that the data is lost when the process ends.
    boolean hasLostFiles();

    /// Returns when all that was recorded before is on the disk. Blocks.
    void makeDurable() throws IOException;

    Backups backups();

    /// The bytes of changes that are not written yet.
    long bytesWaiting();

    /// The state of the journal, checkpoints and backups. `server` is the progress of the whole server, which also
    /// joins a cluster.
    PersistenceSection now(LoadState server);

    /// The `INFO` section `persistence`. `server` is as in [#now].
    InfoSection section(LoadState server);

    /// Makes a last checkpoint while changes are still accepted; then refuses them, calls `changesEnded`, writes the
    /// rest and closes the files. Returns whether all changes are on disk. A change that could not be written is not
    /// acknowledged.
    boolean close(Runnable changesEnded);
}
