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
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Fold;
import io.tallis.keyspace.FoldScan;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Threads;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// A node without a cluster: it knows no other nodes and sends nothing.
final class SingleNode implements Membership {
    private static final Logger LOG = System.getLogger(SingleNode.class.getName());

    private final Keyspace keyspace;
    private volatile boolean isComplete = true;

    SingleNode(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    @Override
    public void join(
            Persistence persistence, Self self, Records records, LongSupplier commandsPerSecond, Runnable ready) {
        Standing standing = persistence.standing();
        isComplete = standing.cluster() == null || standing.complete();
        if (!isComplete) {
            LOG.log(
                    Level.WARNING,
                    "Data is incomplete: the node began to join cluster " + standing.cluster()
                            + " and did not get all of its counters. Without cluster-name it serves what it has");
        }
        boolean isAlone =
                standing.cluster() == null && records.registry().nodes().equals(Set.of(self.uuid()));
        keyspace.expiry().alone(isAlone);
        records.registry().state(NodeState.READY);
        records.registry().publish();
        ready.run();
        if (isAlone) {
            Threads.start("fold", () -> fold(records.registry(), persistence));
        }
    }

    /// Folds the earlier sessions of this node, which has never met another: no other has to agree.
    private void fold(Registry registry, Persistence persistence) {
        Replicas replicas = keyspace.replicas();
        UUID own = registry.own();
        List<ReplicaId> ended = new ArrayList<>();
        for (int number = 1; number < replicas.count() && ended.size() < Fold.MOST_MEMBERS; number++) {
            ReplicaId id = replicas.id(number);
            UUID node =
                    id.isFold() ? keyspace.folds().nodeOf(id) : registry.known().owner(id);
            if (own.equals(node) && replicas.foldOf(number) == Replicas.OWN) {
                ended.add(id);
            }
        }
        if (ended.size() < 2) {
            return;
        }
        Fold proposal = Fold.proposal(own, ended);
        keyspace.folds().close(proposal);
        FoldScan scan = new FoldScan(keyspace);
        while (!scan.isDone()) {
            scan.step();
            LockSupport.parkNanos(this, FoldScan.REST_NANOS);
        }
        keyspace.folds().open();
        Fold fold = proposal.made(scan.fingerprint());
        TurnLog log = persistence.newTurnLog();
        log.recordNote(fold.note());
        log.commit(new TurnLog.Outcome() {
            @Override
            public void written() {
                keyspace.folds().take(fold);
            }

            @Override
            public void lost() {
                // The next start folds them.
            }
        });
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
                        1,
                        0))
                .orElseThrow();
    }

    @Override
    public boolean isHeld() {
        return false;
    }

    @Override
    public LoadState loadState() {
        return LoadState.DONE;
    }

    @Override
    public boolean isComplete() {
        return isComplete;
    }

    @Override
    public @Nullable Replication replication() {
        return null;
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
