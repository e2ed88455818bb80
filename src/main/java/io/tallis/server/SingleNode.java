package io.tallis.server;

import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.NodeState;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Registry;
import io.tallis.cluster.records.Self;
import io.tallis.command.cluster.Cluster;
import io.tallis.command.cluster.Peers;
import io.tallis.command.cluster.PlainNode;
import io.tallis.command.dispatch.LoadState;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.UUID;

/// A node without a cluster: it knows no other nodes and sends nothing.
final class SingleNode implements Membership {
    private static final Logger LOG = System.getLogger(SingleNode.class.getName());

    @Override
    public void join(Persistence persistence, Self self, Records records, Runnable ready) {
        Standing standing = persistence.standing();
        if (standing.cluster() != null && !standing.complete()) {
            LOG.log(
                    Level.WARNING,
                    "Data is incomplete: the node began to join cluster " + standing.cluster()
                            + " and did not get all of its counters. Without cluster-name it serves what it has");
        }
        records.registry().state(NodeState.READY);
        records.registry().publish();
        ready.run();
    }

    @Override
    public Cluster cluster(Records records) {
        return new PlainNode(() -> describe(records.registry()));
    }

    private static Cluster.Node describe(Registry registry) {
        UUID own = registry.own();
        return registry.known().visible().stream()
                .filter(record -> record.uuid().equals(own))
                .findFirst()
                .map(record -> ClusterView.node(
                        record,
                        registry.known().nameOf(own),
                        record.newest().state().name().toLowerCase(Locale.ROOT),
                        1))
                .orElseThrow();
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
