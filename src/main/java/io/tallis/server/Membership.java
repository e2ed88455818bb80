package io.tallis.server;

import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Self;
import io.tallis.command.cluster.Peers;
import io.tallis.command.dispatch.LoadState;

/// Whether and how a node is one of several.
///
///     opened ──join──▶ joining, data commands answer LOADING ──▶ ready ──leave──▶ gone
interface Membership {
    /// Goes to the others with all counters of the own disk in memory, and none changed since. Returns at once;
    /// says so when the node is ready to serve data, if that ever comes, on any thread.
    void join(Persistence persistence, Self self, Records records, Runnable ready);

    /// What clients are told of nodes.
    Neighbours neighbours(Records records);

    /// Until this is done, data commands answer `LOADING`.
    LoadState loadState();

    Peers peers();

    /// Something happened that operators want to find in the log, of this node and of the others.
    void happened(String what);

    /// Something was changed, and is in the keyspace. Quick, on any thread.
    void changed();

    /// Gives the others a moment to get what they lack, and leaves them. When this returns nothing is merged any
    /// more, nor recorded in the journal.
    void leave();
}
