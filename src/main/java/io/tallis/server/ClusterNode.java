package io.tallis.server;

import io.tallis.cluster.ReplicationSettings;
import io.tallis.cluster.ReplicationStatus;
import io.tallis.cluster.Replicator;
import io.tallis.cluster.ReplicatorThread;
import io.tallis.cluster.jgroups.JGroupsSettings;
import io.tallis.cluster.jgroups.JGroupsTransport;
import io.tallis.cluster.jgroups.TransportException;
import io.tallis.cluster.join.StandingStore;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Registry;
import io.tallis.cluster.records.Self;
import io.tallis.command.cluster.Peers;
import io.tallis.command.dispatch.LoadState;
import io.tallis.command.dispatch.WriteGate;
import io.tallis.config.Values;
import io.tallis.keyspace.Keyspace;
import io.tallis.runtime.Background;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Randomness;
import io.tallis.runtime.TimeLimit;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// A node of a cluster: a replicator, its thread, and a transport to the others.
final class ClusterNode implements Membership, LoadState, Peers {
    private static final Logger LOG = System.getLogger(ClusterNode.class.getName());
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration PATIENCE_WITH_PEERS = Duration.ofSeconds(1);
    private static final Duration PATIENCE_WITH_TRANSPORT = Duration.ofSeconds(5);
    private static final long FOR_EVER = Long.MAX_VALUE;

    private final World world;
    private final JGroupsSettings network;
    private final ReplicationSettings replication;
    private final JGroupsTransport transport;
    private volatile @Nullable ReplicatorThread replicator;
    private volatile @Nullable Registry registry;
    private volatile WriteGate disk = WriteGate.OPEN;

    /// What becomes of counts that no other node has, in words.
    private volatile String rest = "";

    /// Whether the next start finds what is here.
    private volatile boolean kept;
    private volatile boolean serving;

    /// An operator wants the node to serve, in step or not.
    private volatile boolean readyWanted;

    /// What the node works with.
    record World(Keyspace keyspace, Clock clock, Randomness randomness, Background background) {}

    private ClusterNode(World world, JGroupsSettings network, ReplicationSettings replication) {
        this.world = world;
        this.network = network;
        this.replication = replication;
        transport = new JGroupsTransport(world.keyspace.replicas().own(), network);
    }

    /// Opens nothing yet, but throws [StartException] when the settings cannot be as they are.
    static ClusterNode of(Values values, World world) {
        try {
            return new ClusterNode(world, PartSettings.network(values), PartSettings.replication(values));
        } catch (TransportException wrong) {
            throw new StartException(String.valueOf(wrong.getMessage()));
        }
    }

    @Override
    public void join(Persistence persistence, Self self, Records records, Runnable ready) {
        LOG.log(Level.INFO, "Joining the cluster " + network.cluster() + ", " + route());
        Standing standing = persistence.standing();
        LOG.log(Level.INFO, "This node " + described(standing, world.keyspace.cells()));
        registry = records.registry();
        kept = persistence.isKept();
        rest = kept ? "it is only in " + persistence.place() : "it is lost with this process";
        disk = persistence.writeGate();
        persistence.filling(true);
        ReplicatorThread started = ReplicatorThread.start(
                world.clock,
                mailbox -> new Replicator(
                        new Replicator.Ports(
                                world.keyspace,
                                persistence.newTurnLogOfReplication(),
                                transport,
                                onItsThread(persistence.standings(), mailbox),
                                world.randomness,
                                world.clock::epochMillis,
                                mailbox),
                        self,
                        replication,
                        records,
                        standing));
        replicator = started;
        persistence.throttleWhile(started::isRepairLoadHigh);
        started.onRepairLoad(persistence::updateThrottle);
        if (readyWanted) {
            started.ask(Replicator::ready);
        }
        transport.connect(started);
        world.background.every(LOOK, new RefusalNews(disk, this::happened)::look);
        world.background.every(LOOK, () -> {
            if (!serving && status().joining().state() == JoinState.READY) {
                serving = true;
                persistence.filling(false);
                ready.run();
            }
        });
    }

    private static String described(Standing standing, long cells) {
        if (standing.cluster() == null) {
            return "belongs to no cluster yet" + (cells == 0 ? " and is empty" : "");
        }
        return "is " + (standing.complete() ? "a complete" : "an incomplete") + " node of cluster "
                + standing.cluster();
    }

    private static StandingStore onItsThread(StandingStore store, Executor mailbox) {
        return (standing, done, failed) ->
                store.save(standing, () -> mailbox.execute(done), () -> mailbox.execute(failed));
    }

    @Override
    public Neighbours neighbours(Records records) {
        var view = new ClusterView(this::status, records.registry(), records.chronicle(), new OnItsThread());
        return new Neighbours(view, id -> records.registry().known().nameOf(id));
    }

    private ReplicationStatus status() {
        ReplicatorThread thread = replicator;
        return thread == null
                ? ReplicationStatus.loading(world.keyspace.replicas().own())
                : thread.status();
    }

    /// Passes on what operators want; before the node joins there is nobody to do it.
    private final class OnItsThread implements ClusterView.Operator {
        @Override
        public boolean connected() {
            return transport.isConnected();
        }

        @Override
        public long framesNotSent() {
            return transport.framesNotSent();
        }

        @Override
        public long packetsRefused() {
            return transport.packetsRefused();
        }

        @Override
        public void forget(String who, Consumer<Registry.Forgetting> answer) {
            ReplicatorThread thread = replicator;
            if (thread == null) {
                answer.accept(Registry.Forgetting.UNKNOWN);
            } else {
                thread.ask(now -> answer.accept(now.forget(who)));
            }
        }

        @Override
        public void ready(Runnable done) {
            readyWanted = true;
            ReplicatorThread thread = replicator;
            if (thread == null) {
                done.run();
            } else {
                thread.ask(now -> {
                    now.ready();
                    done.run();
                });
            }
        }
    }

    /// How it meets the others, for people.
    private String route() {
        String secrecy = network.keyFile() == null ? "without a key" : "encrypted";
        return "by " + network.stack() + " on " + network.bind() + ", " + secrecy;
    }

    @Override
    public LoadState loadState() {
        return this;
    }

    @Override
    public boolean loading() {
        return !serving;
    }

    @Override
    public int percent() {
        return serving ? 100 : status().joining().percent();
    }

    @Override
    public String text() {
        ReplicationStatus.Joining now = status().joining();
        String refusal = disk.refusal();
        if (!now.reason().isEmpty()) {
            return now.reason() + (refusal == null ? "" : " " + refusal);
        }
        return "The node is loading what the others have, " + percent() + "% so far";
    }

    @Override
    public Peers peers() {
        return this;
    }

    @Override
    public void await(Wait wait, IntConsumer answer) {
        ReplicatorThread thread = replicator;
        if (thread == null) {
            answer.accept(0);
            return;
        }
        long nanos = wait.patience().isZero() ? FOR_EVER : nanos(wait.patience());
        thread.ask(now -> now.await(wait.wanted(), nanos, wait::listens, answer));
    }

    private static long nanos(Duration patience) {
        return TimeUnit.MILLISECONDS.toNanos(patience.toMillis());
    }

    @Override
    public void happened(String what) {
        ReplicatorThread thread = replicator;
        if (thread == null) {
            LOG.log(Level.INFO, "The node " + what);
        } else {
            thread.ask(now -> now.happened(what));
        }
    }

    @Override
    public void changed() {
        ReplicatorThread thread = replicator;
        if (thread != null) {
            thread.wake();
        }
    }

    @Override
    public void leave() {
        ReplicatorThread thread = replicator;
        if (thread != null && transport.hasOthers()) {
            thread.ask(Replicator::leaves);
            if (!oneOtherHasAll(thread)) {
                LOG.log(
                        Level.WARNING,
                        "No other node has confirmed that it has all that is here; as far as is known, " + rest);
            }
        } else if (knowsOthers()) {
            LOG.log(Level.WARNING, "No other node is there, and if anything was counted since one was, " + rest);
        } else if (thread != null && world.keyspace.cells() > 0) {
            LOG.log(Level.WARNING, "No other node was ever seen, and if anything was counted, " + rest);
        }
        if (kept && thread != null && !status().joining().standing().complete() && world.keyspace.cells() > 0) {
            LOG.log(
                    Level.WARNING,
                    "The node is incomplete: its next start waits for a complete node of its cluster, or for SYSTEM READY");
        }
        var _ = TimeLimit.isMetBy(transport::close, "cluster-leave", PATIENCE_WITH_TRANSPORT);
        if (thread != null) {
            thread.close();
        }
    }

    private boolean knowsOthers() {
        Registry known = registry;
        return known != null && known.known().visible().size() > 1;
    }

    /// Waits a little for it. What one of the others has, all will have.
    private static boolean oneOtherHasAll(ReplicatorThread thread) {
        CompletableFuture<Integer> others = new CompletableFuture<>();
        thread.ask(now -> now.awaitOneWithAll(nanos(PATIENCE_WITH_PEERS), others::complete));
        try {
            return others.get(2 * PATIENCE_WITH_PEERS.toMillis(), TimeUnit.MILLISECONDS) > 0;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException _) {
            return false;
        }
    }
}
