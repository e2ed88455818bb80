package io.tallis.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.Event;
import io.tallis.cluster.records.KnownNodes;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Registry;
import io.tallis.cluster.records.Self;
import io.tallis.command.CommandFamily;
import io.tallis.config.Config;
import io.tallis.config.Settings;
import io.tallis.config.Values;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Fold;
import io.tallis.keyspace.Keyspace;
import io.tallis.metrics.NetworkStats;
import io.tallis.resp.FrontEnd;
import io.tallis.resp.RespServer;
import io.tallis.resp.socket.RespSettings;
import io.tallis.resp.socket.Tls;
import io.tallis.runtime.Background;
import io.tallis.runtime.Clock;
import io.tallis.runtime.CommonClock;
import io.tallis.runtime.PeriodicThread;
import io.tallis.runtime.Randomness;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The server process, composed: builds all parts, starts them in order and stops them in reverse.
///
///     open    lock the data directory
///     start   listen, replying LOADING; load; join the cluster, if there is one; ready
///     stop    a last checkpoint, while serving; refuse changes; leave the cluster; write the rest of the journal;
///             unlock the directory; close connections
///
/// Every process is a new session with a replica id of its own (I2).
public final class TallisServer {
    private static final Logger LOG = System.getLogger(TallisServer.class.getName());
    static final int TICKS_PER_SECOND = 10;

    /// How often the files of TLS are read, in case they were replaced.
    private static final Duration FILES_INTERVAL = Duration.ofSeconds(5);

    private static final Duration TICK = Duration.ofMillis(1_000 / TICKS_PER_SECOND);

    private final Config config;
    private final CommonClock clock;
    private final NodeStatus status;
    private final Keyspace keyspace;
    private final Membership membership;
    private final Persistence persistence;
    private final Background background = new Background();
    private final ExpiryThread expiry;
    private final NetworkStats network = new NetworkStats();

    /// Null if no port is for TLS.
    private final @Nullable Tls tls;

    private final PeriodicThread secrets;
    private final DescriptorLimit descriptors = DescriptorLimit.ofProcess();
    private final Records records;
    private final Commands commands;
    private final CountDownLatch stopRequested = new CountDownLatch(1);
    private final Queue<Runnable> stopListeners = new ConcurrentLinkedQueue<>();
    private volatile ServiceManager manager = ServiceManager.of(Map.of());
    private volatile boolean loaded;
    private volatile boolean stopping;

    @GuardedBy("this")
    private @Nullable RespServer resp;

    @GuardedBy("this")
    private @Nullable Boolean allSaved;

    private TallisServer(Config config, Clock machine, Randomness randomness) {
        this.config = config;
        clock = new CommonClock(machine);
        Values values = config.values();
        PartSettings.requireConsistent(values);
        tls = PartSettings.usesTls(values) ? openTls() : null;
        secrets = new PeriodicThread("secrets", FILES_INTERVAL::toNanos, this::refreshSecrets);
        keyspace = new Keyspace(
                new Replicas(new ReplicaId(randomness.nextLong(), randomness.nextLong())),
                randomness,
                clock::epochMillis);
        keyspace.replicas().mostSources(values.get(Settings.MAX_SOURCES).intValue());
        keyspace.tokens()
                .limit(
                        TimeUnit.SECONDS.toMillis(values.get(Settings.IDEMPOTENCY_WINDOW)),
                        values.get(Settings.IDEMPOTENCY_MAX_TOKENS).intValue());
        expiry = new ExpiryThread(keyspace, clock, config.live(all -> all.get(Settings.EXPIRY_GRACE)));
        membership = values.get(Settings.CLUSTER_NAME).isEmpty()
                ? new SingleNode(keyspace)
                : ClusterNode.of(values, new ClusterNode.World(keyspace, clock, randomness, background));
        persistence = values.get(Settings.PERSISTENCE)
                ? JournalPersistence.open(config, keyspace, clock, randomness)
                : new NoPersistence(
                        NodeIdentity.withoutDirectory(values, randomness), keyspace, clock.epochMillis() / 1000);
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
                        tls,
                        descriptors,
                        membership,
                        membership.cluster(records),
                        this::nodeName));
    }

    private Tls openTls() {
        try {
            return Tls.open(config.live(PartSettings::tls));
        } catch (IOException unusable) {
            throw new StartException(String.valueOf(unusable.getMessage()));
        }
    }

    /// The name of the node that a session belonged to, or all sessions of a fold.
    private String nodeName(ReplicaId id) {
        KnownNodes known = records.registry().known();
        UUID node = keyspace.folds().nodeOf(id);
        if (node == null) {
            return known.nameOf(id);
        }
        return node.equals(Fold.FORGOTTEN) ? "(forgotten)" : known.nameOf(node);
    }

    private Records records() {
        Self self = self(config.values().count(Settings.PORT));
        ReplicaId session = keyspace.replicas().own();
        return new Records(
                new Registry(self, session, persistence.nodes()),
                new Chronicle(self, session, clock::epochMillis, TallisServer::logEvent));
    }

    private Self self(int port) {
        NodeIdentity identity = status.identity();
        return new Self(identity.uuid(), identity.name(), PartSettings.addresses(config.values(), port));
    }

    private static void logEvent(Level level, Event event) {
        LOG.log(level, "Cluster: " + event.name() + " " + event.text());
    }

    /// Locks the data directory and builds all parts. Nothing is served yet. Throws [StartException].
    public static TallisServer open(Config config, Clock clock, Randomness randomness) {
        return new TallisServer(config, clock, randomness);
    }

    /// From its start on, the server tells this service manager how it is.
    public void report(ServiceManager to) {
        manager = to;
    }

    /// Listens, replying `LOADING` to data commands, loads the disk and begins to join the cluster. Returns when all
    /// counters of the disk are in memory. Throws [StartException].
    public void start() {
        LOG.log(
                Level.INFO,
                "Tallis " + Version.TEXT + ", Java " + Runtime.version() + ", pid " + pid() + ", node " + name());
        LOG.log(Level.INFO, "Data directory " + persistence.place());
        descriptors.applyTo(config);
        MemoryBound.warnAbout(config.values());
        background.every(TICK, commands::tick);
        listen();
        load();
        commands.loaded();
        expiry.start();
        join();
    }

    private synchronized void listen() {
        Values values = config.values();
        int tlsPort = values.count(Settings.TLS_PORT);
        List<CommandFamily> families = commands.families(this::requestStop);
        try {
            resp = new RespServer(
                    PartSettings.resp(values), commands.respLimits(), commands.respPorts(families, status));
            if (!resp.addresses().isEmpty()) {
                logListening(resp.addresses(), " (" + resp.transport() + ")");
            }
            if (tls != null) {
                listen(resp, tlsPort, FrontEnd.NONE.within(tls), " for TLS");
            }
            secrets.start();
            listenForRedisCluster(resp, families, values);
            listenForHttp(resp, values);
        } catch (IOException refused) {
            if (resp != null) {
                resp.close();
            }
            persistence.discard();
            throw new StartException(String.valueOf(refused.getMessage()));
        }
        RespServer listening = resp;
        manager.observe(background, commands.health()::now, listening::whenAllLoopsAnswer);
        status.listening(resp.transport(), resp.eventLoops(), resp.port() > 0 ? resp.port() : tlsPort);
        logAccess(values);
    }

    private void listenForRedisCluster(RespServer server, List<CommandFamily> families, Values values)
            throws IOException {
        int port = values.count(Settings.REDIS_CLUSTER_PORT);
        if (port != 0) {
            FrontEnd frontEnd =
                    tls != null && values.get(Settings.REDIS_CLUSTER_TLS) ? FrontEnd.NONE.within(tls) : FrontEnd.NONE;
            logListening(
                    server.listenFor(frontEnd, commands.slotsHandler(families, status), port), " for Redis Cluster");
        }
    }

    private void listenForHttp(RespServer server, Values values) throws IOException {
        int port = values.count(Settings.HTTP_PORT);
        int tlsPort = values.count(Settings.HTTP_TLS_PORT);
        if (port != 0 || tlsPort != 0) {
            FrontEnd http = commands.http(status);
            listen(server, port, http, " for HTTP");
            if (tls != null) {
                listen(server, tlsPort, http.within(tls), " for HTTPS");
            }
        }
    }

    private static void listen(RespServer server, int port, FrontEnd frontEnd, String purpose) throws IOException {
        if (port != 0) {
            logListening(server.listenFor(frontEnd, port), purpose);
        }
    }

    private static void logListening(List<String> addresses, String purpose) {
        LOG.log(Level.INFO, "Listening on " + String.join(", ", addresses) + purpose);
    }

    private static void logAccess(Values values) {
        if (!PartSettings.isOpen(values) || !values.get(Settings.REQUIREPASS).isEmpty()) {
            return;
        }
        boolean needsCertificate =
                PartSettings.resp(values).port() == RespSettings.NO_PORT && values.get(Settings.TLS_AUTH_CLIENTS);
        if (values.get(Settings.PROTECTED_MODE)) {
            LOG.log(Level.INFO, "requirepass is not set: protected-mode refuses clients of other machines");
        } else if (!needsCertificate) {
            LOG.log(
                    Level.WARNING,
                    "requirepass is not set: every client that reaches this address can change all counters");
        }
    }

    private void load() {
        long start = clock.nanos();
        persistence.load();
        loaded = true;
        long millis = (clock.nanos() - start) / 1_000_000;
        long keys = keyspace.keys();
        LOG.log(
                Level.INFO,
                "Loaded " + keys + (keys == 1 ? " key in " : " keys in ") + millis / 1000.0 + " seconds"
                        + persistence.howLoaded());
    }

    private void join() {
        int port = port() == 0 ? config.values().count(Settings.TLS_PORT) : port();
        Self self = self(port);
        records.registry().addresses(self.addresses());
        records.registry().publish();
        membership.join(persistence, self, records, commands::operationsPerSecond, this::ready);
    }

    private void refreshSecrets() {
        if (tls != null) {
            tls.refresh();
        }
        commands.refreshUsers();
    }

    /// A node that stops may still complete its joining; it accepts no clients then.
    private void ready() {
        if (!stopping) {
            LOG.log(Level.INFO, "Ready to accept connections");
            manager.ready();
        }
    }

    /// The port that clients connect to.
    public synchronized int port() {
        return resp == null ? 0 : resp.port();
    }

    private void requestStop(Runnable whenStopped) {
        stopListeners.add(whenStopped);
        stopRequested.countDown();
    }

    /// Waits until a client asks the server to stop.
    public void awaitStop() {
        try {
            stopRequested.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Stops the server; a second call waits for the first. Returns whether all changes are on disk.
    public synchronized boolean stop() {
        if (allSaved == null) {
            stopping = true;
            manager.stopping();
            log(stopRequested.getCount() == 0 ? "Stopping" : "Stopping on a signal");
            expiry.close();
            // While the node loads, no changes are accepted and there is nothing to save; the loading thread ends with
            // the process.
            allSaved = !loaded || persistence.close(membership::leave);
            if (resp != null) {
                // Before the client that wanted the stop is answered: its next connection must not be served.
                resp.stopListening();
            }
            stopListeners.forEach(Runnable::run);
            commands.close();
            if (resp != null) {
                resp.close();
            }
            background.close();
            secrets.close();
            log("Stopped");
            stopRequested.countDown();
        }
        return allSaved;
    }

    /// Not before the disk is loaded: the last line of a failed start is its reason.
    private void log(String event) {
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
