package io.tallis.server;

import io.tallis.cluster.ReplicationSettings;
import io.tallis.cluster.ReplicationStatus;
import io.tallis.cluster.Replicator;
import io.tallis.cluster.ReplicatorThread;
import io.tallis.cluster.jgroups.JGroupsSettings;
import io.tallis.cluster.jgroups.JGroupsTransport;
import io.tallis.cluster.jgroups.TransportException;
import io.tallis.cluster.join.Joining;
import io.tallis.cluster.join.StandingStore;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.peer.Vitals;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Registry;
import io.tallis.cluster.records.Self;
import io.tallis.command.cluster.Cluster;
import io.tallis.command.cluster.Peers;
import io.tallis.command.dispatch.LoadState;
import io.tallis.command.dispatch.WriteGate;
import io.tallis.config.Values;
import io.tallis.keyspace.Keyspace;
import io.tallis.metrics.DurationHistogram;
import io.tallis.runtime.Background;
import io.tallis.runtime.CommonClock;
import io.tallis.runtime.FatalException;
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
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// This node as a member of a cluster: builds the replicator and the transport to the other nodes, starts and stops
/// them, and passes on what clients and operators ask of them.
///
///     commands ──┐                                        ┌──▶ StandingFile, NodesFile
///     INFO, HTTP ├──▶ ClusterNode ──▶ ReplicatorThread ───┤
///     shutdown ──┘                    (one Replicator)    └──▶ JGroupsTransport ◀──▶ other nodes
///
/// The replicator belongs to one thread. So nothing here calls it: requests go into its inbox, and answers come from
/// the status that it publishes five times a second.
///
/// The replicator is made by [#join], when the counters are loaded, because from its construction on every change must
/// be tracked. Clients and operators connect before that. Until then their requests are answered as by a node that
/// reaches no other, and `SYSTEM READY` is kept for the replicator.
///
/// A node of a cluster loads twice: first its disk, then what other nodes have. Clients are answered `LOADING` until
/// both are done, the second as `cluster.join.Joining` decides.
///
/// Any thread may call.
final class ClusterNode implements Membership, LoadState, Peers {
    private static final Logger LOG = System.getLogger(ClusterNode.class.getName());
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(50);
    private static final Duration LAST_WAIT = Duration.ofSeconds(1);
    private static final Duration TRANSPORT_CLOSE_TIMEOUT = Duration.ofSeconds(5);

    /// `WAIT` with timeout 0 has none.
    private static final long NO_TIMEOUT = Long.MAX_VALUE;

    private final World world;
    private final JGroupsSettings network;
    private final ReplicationSettings replication;
    private final JGroupsTransport transport;
    private volatile @Nullable ReplicatorThread replicator;
    private volatile WriteGate disk = WriteGate.OPEN;

    private volatile @Nullable Persistence persistence;
    private volatile boolean serving;

    /// Set by `SYSTEM HOLD`.
    private volatile boolean held;

    /// What an operator said before the replicator started.
    private volatile Consumer<Replicator> said = _ -> {};

    /// The parts of the server that a cluster node works with.
    record World(Keyspace keyspace, CommonClock clock, Randomness randomness, Background background) {
        /// What peers are told for people. `commandsPerSecond` is how many run at present.
        Supplier<Vitals> vitals(LongSupplier commandsPerSecond) {
            long start = clock.nanos();
            return () -> new Vitals(
                    Version.TEXT, TimeUnit.NANOSECONDS.toSeconds(clock.nanos() - start), commandsPerSecond.getAsLong());
        }
    }

    private ClusterNode(World world, JGroupsSettings network, ReplicationSettings replication) {
        this.world = world;
        this.network = network;
        this.replication = replication;
        // Until its clock is compared with others.
        world.keyspace.expiry().waitsForTime(true);
        transport = new JGroupsTransport(world.keyspace.replicas().own(), network, this::needsAttention);
    }

    /// Connects to nothing yet. Throws [StartException] when the settings are not valid.
    static ClusterNode of(Values values, World world) {
        try {
            return new ClusterNode(world, PartSettings.network(values), PartSettings.replication(values));
        } catch (TransportException wrong) {
            throw new StartException(String.valueOf(wrong.getMessage()));
        }
    }

    @Override
    public void join(
            Persistence persistence, Self self, Records records, LongSupplier commandsPerSecond, Runnable ready) {
        this.persistence = persistence;
        LOG.log(Level.INFO, "Joining cluster " + network.cluster() + " " + route());
        Standing standing = persistence.standing();
        LOG.log(Level.INFO, "This node " + described(standing, world.keyspace.cells()));
        disk = persistence.writeGate();
        persistence.filling(true);
        Supplier<Vitals> vitals = world.vitals(commandsPerSecond);
        ReplicatorThread started = ReplicatorThread.start(
                world.clock,
                mailbox -> new Replicator(
                        new Replicator.Ports(
                                world.keyspace,
                                persistence.newTurnLogOfReplication(),
                                transport,
                                answeringOn(mailbox, persistence.standings()),
                                world.randomness,
                                world.clock::nanos,
                                world.clock::ownEpochMillis,
                                world.clock::startsAt,
                                mailbox,
                                reason -> {
                                    throw new FatalException(reason);
                                }),
                        self,
                        replication,
                        records,
                        standing));
        replicator = started;
        persistence.throttleWhile(started::isRepairLoadHigh);
        started.onRepairLoad(persistence::updateThrottle);
        started.ask(now -> now.tell(vitals));
        started.ask(said);
        transport.connect(started);
        world.background.every(CHECK_INTERVAL, new RefusalEvents(disk, this::happened)::check);
        world.background.every(CHECK_INTERVAL, () -> {
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

    /// The store, with its answers on the replicator's thread.
    private static StandingStore answeringOn(Executor mailbox, StandingStore store) {
        return (standing, done, failed) ->
                store.save(standing, () -> mailbox.execute(done), () -> mailbox.execute(failed));
    }

    @Override
    public Cluster cluster(Records records) {
        return new ClusterView(this::status, records.registry(), records.chronicle(), new ReplicatorRequests());
    }

    private ReplicationStatus status() {
        ReplicatorThread thread = replicator;
        return thread == null
                ? ReplicationStatus.loading(world.keyspace.replicas().own())
                : thread.status();
    }

    /// Passes requests of operators to the replicator, if it has started.
    private final class ReplicatorRequests implements ClusterView.Operator {
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
        public String lastRefused() {
            return transport.lastRefused();
        }

        @Override
        public void forget(String node, Consumer<Registry.Forgetting> answer) {
            ReplicatorThread thread = replicator;
            if (thread == null) {
                answer.accept(Registry.Forgetting.UNKNOWN);
            } else {
                thread.ask(now -> answer.accept(now.forget(node)));
            }
        }

        @Override
        public void fold() {
            ReplicatorThread thread = replicator;
            if (thread != null) {
                thread.ask(Replicator::foldAtOnce);
            }
        }

        @Override
        public void purge() {
            ReplicatorThread thread = replicator;
            if (thread != null) {
                thread.ask(Replicator::purgeAtOnce);
            }
        }

        @Override
        public void hold(Runnable done) {
            tell(
                    now -> {
                        now.hold();
                        held = true;
                    },
                    done);
        }

        @Override
        public void ready(Runnable done) {
            tell(
                    now -> {
                        now.ready();
                        held = false;
                    },
                    done);
        }

        private void tell(Consumer<Replicator> what, Runnable done) {
            ReplicatorThread thread = replicator;
            if (thread == null) {
                said = what;
                done.run();
            } else {
                thread.ask(now -> {
                    what.accept(now);
                    done.run();
                });
            }
        }
    }

    /// The way to the other nodes, for the log.
    private String route() {
        String secrecy = network.keyFile() == null ? "without a key" : "encrypted";
        return "by " + network.stack() + " on " + network.bind() + ", " + secrecy;
    }

    @Override
    public boolean isHeld() {
        return held && serving;
    }

    @Override
    public LoadState loadState() {
        return this;
    }

    @Override
    public boolean loading() {
        return !serving || held;
    }

    @Override
    public int percent() {
        return serving ? 100 : status().joining().percent();
    }

    @Override
    public String text() {
        if (isHeld()) {
            return Joining.HELD;
        }
        ReplicationStatus.Joining now = status().joining();
        if (!now.reason().isEmpty()) {
            String refused = transport.recentRefusal();
            String refusal = disk.refusal();
            return now.reason()
                    + (refused.isEmpty() ? "" : " The node " + refused + ".")
                    + (refusal == null ? "" : " " + refusal);
        }
        return now.state() == JoinState.READY
                ? "The node begins to serve"
                : "The node is fetching counters from other nodes, " + percent() + "% so far";
    }

    @Override
    public boolean isComplete() {
        return status().joining().standing().complete();
    }

    @Override
    public Replication replication() {
        ReplicatorThread thread = replicator;
        return new Replication(
                status(),
                thread == null ? new DurationHistogram() : thread.convergence(),
                transport.isConnected(),
                transport.framesNotSent(),
                transport.packetsRefused(),
                world.clock.epochMillis() - world.clock.ownEpochMillis());
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
        long nanos = wait.patience().isZero() ? NO_TIMEOUT : nanos(wait.patience());
        thread.ask(now -> now.await(wait.wanted(), nanos, wait::listens, answer));
    }

    private static long nanos(Duration patience) {
        return TimeUnit.MILLISECONDS.toNanos(patience.toMillis());
    }

    @Override
    public void happened(String what) {
        happened(Level.INFO, what);
    }

    private void needsAttention(String what) {
        happened(Level.WARNING, what);
    }

    private void happened(Level level, String what) {
        ReplicatorThread thread = replicator;
        if (thread == null) {
            LOG.log(level, "The node " + what);
        } else {
            thread.ask(now -> now.happened(level, what));
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
                warnOfLoss("No other node has confirmed that it has all changes of this one: the last of them may be");
            }
        } else if (thread != null && world.keyspace.cells() > 0) {
            warnOfLoss("No other node is reachable: changes that no other node has are");
        }
        if (isKept() && thread != null && !status().joining().standing().complete() && world.keyspace.cells() > 0) {
            LOG.log(
                    Level.WARNING,
                    "The node is incomplete: its next start waits for a complete node of its cluster, or for SYSTEM READY");
        }
        var _ = TimeLimit.isMetBy(transport::close, "cluster-leave", TRANSPORT_CLOSE_TIMEOUT);
        if (thread != null) {
            thread.close();
        }
    }

    private void warnOfLoss(String which) {
        Persistence own = persistence;
        String fate = own != null && own.isKept()
                ? " only in " + own.place()
                        + ". Before you delete that, start this node again where it reaches the others"
                : " lost with this process";
        LOG.log(Level.WARNING, which + fate);
    }

    private boolean isKept() {
        Persistence own = persistence;
        return own != null && own.isKept();
    }

    /// Whether one other node confirms in time that it has all changes. What one has, all will have.
    private static boolean oneOtherHasAll(ReplicatorThread thread) {
        CompletableFuture<Integer> others = new CompletableFuture<>();
        thread.ask(now -> now.awaitOneWithAll(nanos(LAST_WAIT), others::complete));
        try {
            return others.get(2 * LAST_WAIT.toMillis(), TimeUnit.MILLISECONDS) > 0;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException _) {
            return false;
        }
    }
}
