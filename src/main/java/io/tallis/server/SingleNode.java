package io.tallis.server;

import io.tallis.cluster.records.NodeState;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Self;
import io.tallis.command.LoadState;
import io.tallis.command.Peers;

/// A node by itself: it has no others, and sends nothing.
final class SingleNode implements Membership {
    @Override
    public void join(Persistence persistence, Self self, Records records, Runnable ready) {
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
        System.getLogger(SingleNode.class.getName()).log(System.Logger.Level.INFO, "The node " + what);
    }

    @Override
    public void changed() {}

    @Override
    public void leave() {}
}
