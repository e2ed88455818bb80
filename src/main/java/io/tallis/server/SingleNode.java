package io.tallis.server;

import io.tallis.cluster.records.NodeState;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Self;
import io.tallis.command.cluster.Peers;
import io.tallis.command.dispatch.LoadState;
import io.tallis.keyspace.Keyspace;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/// A node by itself: it has no others, and sends nothing.
final class SingleNode implements Membership {
    private static final Logger LOG = System.getLogger(SingleNode.class.getName());

    private final Keyspace keyspace;

    SingleNode(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    @Override
    public void join(Persistence persistence, Self self, Records records, Runnable ready) {
        if (keyspace.cells() == 0) {
            persistence.firstJoin().ends(() -> {}, () -> {});
        } else if (persistence.firstJoin().isUnfinished()) {
            LOG.log(
                    Level.WARNING,
                    "The first join of this node to a cluster never came to its end, as the file joining in "
                            + persistence.place()
                            + " says: without a cluster-name it serves what it got, perhaps not all that others have");
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
