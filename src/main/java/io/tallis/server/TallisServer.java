package io.tallis.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.Event;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Registry;
import io.tallis.cluster.records.Self;
import io.tallis.config.Config;
import io.tallis.config.Settings;
import io.tallis.config.Values;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Keyspace;
import io.tallis.metrics.NetworkStats;
import io.tallis.resp.RespServer;
import io.tallis.resp.socket.RespSettings;
import io.tallis.runtime.Background;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Randomness;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/// One node: all parts, started in order and stopped in reverse.
///
///     open    lock the data directory
///     start   listen, answering LOADING; load; join the others, if there are to be any; ready
///     stop    a last checkpoint, still serving; refuse changes; leave the others; write the rest; let the directory
///             go; close connections
///
/// Every life of a process is a new session with a replica id of its own (I2).
public final class TallisServer {
    private static final Logger LOG = System.getLogger(TallisServer.class.getName());
    static final int TICKS_PER_SECOND = 10;

    private static final Duration TICK = Duration.ofMillis(1_000 / TICKS_PER_SECOND);

    private final Config config;
    private final Clock clock;
    private final NodeStatus status;
    private final Keyspace keyspace;
    private final Membership membership;
    private final Persistence persistence;
    private final Background background = new Background();
    private final NetworkStats network = new NetworkStats();
    private final DescriptorLimit descriptors = DescriptorLimit.ofProcess();
    private final Records records;
    private final Commands commands;
    private final CountDownLatch stopWanted = new CountDownLatch(1);
    private final Queue<Runnable> goodbyes = new ConcurrentLinkedQueue<>();
    private volatile boolean loaded;
    private volatile boolean stopping;

    @GuardedBy("this")
    private @Nullable RespServer resp;

    @GuardedBy("this")
    private @Nullable Boolean stoppedWell;

    private TallisServer(Config config, Clock clock, Randomness randomness) {
        this.config = config;
        this.clock = clock;
        Values values = config.values();
        PartSettings.requireSense(values);
        keyspace = new Keyspace(new Replicas(new ReplicaId(randomness.nextLong(), randomness.nextLong())), randomness);
        membership = values.get(Settings.CLUSTER_NAME).isEmpty()
                ? new SingleNode()
                : ClusterNode.of(values, new ClusterNode.World(keyspace, clock, randomness, background));
        persistence = values.get(Settings.PERSISTENCE)
                ? JournalPersistence.open(config, keyspace, clock, randomness)
                : new NoPersistence(NodeIdentity.freshUuid(randomness), keyspace, clock.epochMillis() / 1000);
        status = new NodeStatus(NodeIdentity.of(persistence.node(), values), clock);
        records = records();
        commands = new Commands(
                config,
                new Commands.World(
                        keyspace,
                        persistence,
                        clock,
                        randomness,
                        background,
                        network,
                        descriptors,
                        membership,
                        membership.neighbours(records)));
    }

    private Records records() {
        Self self = self(config.values().count(Settings.PORT));
        ReplicaId session = keyspace.replicas().own();
        return new Records(
                new Registry(self, session, persistence.nodes()),
                new Chronicle(self, session, clock::epochMillis, TallisServer::log));
    }

    private Self self(int port) {
        NodeIdentity identity = status.identity();
        return new Self(identity.uuid(), identity.name(), PartSettings.clientAddress(config.values(), port));
    }

    private static void log(Level level, Event event) {
        LOG.log(level, "Cluster: " + event.name() + " " + event.text());
    }

    /// A node that has its data directory for itself, and serves nobody yet. Throws [StartException].
    public static TallisServer open(Config config, Clock clock, Randomness randomness) {
        return new TallisServer(config, clock, randomness);
    }

    /// Serves clients, first with `LOADING`; returns when all counters of the disk are there, and a node of several
    /// has begun to join the others. Throws [StartException].
    public void start() {
        LOG.log(
                Level.INFO,
                "Tallis " + Version.TEXT + ", Java " + Runtime.version() + ", pid " + pid() + ", node " + name());
        LOG.log(Level.INFO, "Data directory " + persistence.place());
        descriptors.applyTo(config);
        MemoryBound.tellOf(config.values());
        background.every(TICK, commands::tick);
        listen();
        load();
        join();
    }

    private synchronized void listen() {
        Values values = config.values();
        try {
            resp = new RespServer(
                    PartSettings.resp(values),
                    config.live(PartSettings::limits),
                    commands.respPorts(status, this::stopSoon));
        } catch (IOException refused) {
            persistence.discard();
            throw new StartException(String.valueOf(refused.getMessage()));
        }
        int tlsPort = values.count(Settings.TLS_PORT);
        status.listening(resp.transport(), resp.eventLoops(), resp.port() > 0 ? resp.port() : tlsPort);
        if (!resp.addresses().isEmpty()) {
            LOG.log(Level.INFO, "Listening on " + String.join(", ", resp.addresses()) + " (" + resp.transport() + ")");
        }
        if (!resp.tlsAddresses().isEmpty()) {
            LOG.log(Level.INFO, "Listening on " + String.join(", ", resp.tlsAddresses()) + " for TLS");
        }
        tellWhoMayConnect(values);
    }

    private static void tellWhoMayConnect(Values values) {
        if (!PartSettings.isOpen(values) || !values.get(Settings.REQUIREPASS).isEmpty()) {
            return;
        }
        boolean needsCertificate =
                PartSettings.resp(values).port() == RespSettings.NO_PORT && values.get(Settings.TLS_AUTH_CLIENTS);
        if (values.get(Settings.PROTECTED_MODE)) {
            LOG.log(Level.INFO, "Clients of other machines are turned away until requirepass is set (protected-mode)");
        } else if (!needsCertificate) {
            LOG.log(Level.WARNING, "Whoever reaches this address may change all counters: no requirepass is set");
        }
    }

    private void load() {
        long start = clock.nanos();
        persistence.load();
        loaded = true;
        long millis = (clock.nanos() - start) / 1_000_000;
        LOG.log(
                Level.INFO,
                "Loaded " + keyspace.keys() + " keys in " + millis / 1000.0 + " seconds" + persistence.howLoaded());
    }

    private void join() {
        int port = port() == 0 ? config.values().count(Settings.TLS_PORT) : port();
        Self self = self(port);
        records.registry().clientAddress(self.clientAddress());
        records.registry().publish();
        membership.join(persistence, self, records, this::ready);
    }

    /// One that stops while it joins may come to the end of that, and accepts nothing.
    private void ready() {
        if (!stopping) {
            LOG.log(Level.INFO, "Ready to accept connections");
        }
    }

    /// The port that clients connect to.
    public synchronized int port() {
        return resp == null ? 0 : resp.port();
    }

    private void stopSoon(Runnable atTheEnd) {
        goodbyes.add(atTheEnd);
        stopWanted.countDown();
    }

    /// Waits until a client wants the node to stop.
    public void awaitStop() {
        try {
            stopWanted.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Stops; whoever calls second waits for the first. Returns whether all that was counted is on disk.
    public synchronized boolean stop() {
        if (stoppedWell == null) {
            stopping = true;
            tell(stopWanted.getCount() == 0 ? "Stopping" : "Stopping, as a signal wants it");
            // While loading nothing was counted, and the loading thread is still at work: the end of the process is
            // what ends it.
            stoppedWell = !loaded || persistence.close(membership::leave);
            if (resp != null) {
                // Before the client that wanted the stop hears of it: its next connection must not be served.
                resp.stopListening();
            }
            goodbyes.forEach(Runnable::run);
            if (resp != null) {
                resp.close();
            }
            background.close();
            tell("Stopped");
            stopWanted.countDown();
        }
        return stoppedWell;
    }

    /// After a failed start the reason for it is the last line.
    private void tell(String event) {
        if (loaded) {
            LOG.log(Level.INFO, event);
        }
    }

    private String name() {
        return status.identity().name();
    }

    private static String pid() {
        return Long.toString(ProcessHandle.current().pid());
    }
}
