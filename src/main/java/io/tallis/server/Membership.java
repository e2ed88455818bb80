package io.tallis.server;

import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Self;
import io.tallis.command.cluster.Cluster;
import io.tallis.command.cluster.Peers;
import io.tallis.command.dispatch.LoadState;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The part of a server that knows other nodes: [ClusterNode] in a cluster, [SingleNode] without one.
///
///     opened ──join──▶ joining: data commands reply LOADING ──▶ ready ──leave──▶ left
interface Membership {
    /// Begins to join the cluster. To be called when all counters of the disk are in memory, and before any is changed.
    /// Returns at once; `ready` runs on some thread when the node is ready to serve data. Peers are told how many
    /// commands run here in a second.
    void join(Persistence persistence, Self self, Records records, LongSupplier commandsPerSecond, Runnable ready);

    /// The cluster as clients see it.
    Cluster cluster(Records records);

    /// The progress of joining. Data commands reply `LOADING` until it is done.
    LoadState loadState();

    /// Whether an operator keeps the node, which could serve, from serving.
    boolean isHeld();

    /// Whether the node once had all that its cluster had. While it joins that may change.
    boolean isComplete();

    /// What replication does at present; null without a cluster.
    @Nullable
    Replication replication();

    Peers peers();

    /// Records an event of this node for operators, in its own log and in those of the other nodes.
    void happened(String what);

    /// A client changed a counter in the keyspace. Quick; any thread may call.
    void changed();

    /// Waits a little for the other nodes to get the last changes, and leaves the cluster. Nothing is merged or
    /// journaled for other nodes after this has returned.
    void leave();
}
