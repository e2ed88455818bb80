package io.tallis.server;

import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.NodeState;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Self;
import io.tallis.command.cluster.Peers;
import io.tallis.command.dispatch.LoadState;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/// A node by itself: it has no others, and sends nothing.
final class SingleNode implements Membership {
    private static final Logger LOG = System.getLogger(SingleNode.class.getName());

    @Override
    public void join(Persistence persistence, Self self, Records records, Runnable ready) {
        Standing standing = persistence.standing();
        if (standing.cluster() != null && !standing.complete()) {
            LOG.log(
                    Level.WARNING,
                    "This node is incomplete: it began to join cluster " + standing.cluster()
                            + " and did not get all of"
                            + " its counters. Without a cluster-name it serves what it has");
        }
        records.registry().state(NodeState.READY);
        records.registry().publish();
        ready.run();
    }

    @Override
    public Neighbours neighbours(Records records) {
        return Neighbours.none(records.registry());
    }

    @Override
    public LoadState loadState() {
        return LoadState.DONE;
    }

    @Override
    public Peers peers() {
        return Peers.NONE;
    }

    @Override
    public void happened(String what) {
        LOG.log(Level.INFO, "The node " + what);
    }

    @Override
    public void changed() {}

    @Override
    public void leave() {}
}
