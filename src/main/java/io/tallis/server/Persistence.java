package io.tallis.server;

import io.tallis.cluster.join.StandingStore;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.Registry;
import io.tallis.command.dispatch.LoadState;
import io.tallis.command.dispatch.WriteGate;
import io.tallis.command.server.Backups;
import io.tallis.command.server.InfoSection;
import io.tallis.keyspace.TurnLog;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/// Whether and how counters outlive the process.
interface Persistence {
    /// Whom the data belongs to.
    UUID node();

    /// Where it is, for people.
    String place();

    /// Whether it outlives the process.
    boolean isKept();

    /// What keeps the registry of nodes.
    Registry.Store nodes();

    /// Which cluster the node belongs to, as its last life left it. Throws [StartException] when that cannot be known.
    Standing standing();

    /// Keeps that for the next life.
    StandingStore standings();

    /// A change log for one more thread.
    TurnLog newTurnLog();

    /// The one that replication merges into; others wait for that thread, so it waits for no disk.
    default TurnLog newTurnLogOfReplication() {
        return newTurnLog();
    }

    /// Brings the counters back to memory; clients are answered `LOADING` meanwhile. Throws [StartException] when
    /// what is kept cannot be trusted.
    void load();

    /// Says, once all is loaded, whether others fill this node with what they have.
    void filling(boolean filling);

    /// Slows checkpoints, backups and the database while `repairing` says that a repair between nodes moves much. To be
    /// called once all is loaded.
    void throttleWhile(BooleanSupplier repairing);

    /// To be called a few times a second during such a repair, and once when it is over.
    void updateThrottle();

    /// What is to be said of [#load] besides how long it took: that nothing was there, or much to replay.
    String howLoaded();

    /// Lets go of everything instead of loading, and leaves no trace of a start that failed.
    void discard();

    LoadState loadState();

    WriteGate writeGate();

    /// Whether all is lost when the process ends.
    boolean hasLostFiles();

    Backups backups();

    /// How many bytes of changes wait to be written.
    long bytesWaiting();

    /// The section `persistence` of a server of which all is loaded when `whole` is.
    InfoSection section(LoadState whole);

    /// Makes a last checkpoint while changes are still taken, then refuses them and says so by `changesEnded`, writes
    /// what is not written yet, and closes the files. Returns whether all is well. Who makes a change meanwhile all
    /// the same hears that it is lost.
    boolean close(Runnable changesEnded);
}
