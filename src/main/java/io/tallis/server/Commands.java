package io.tallis.server;

import io.tallis.acl.AccessControl;
import io.tallis.command.Client;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSettings;
import io.tallis.command.MemoryLevel;
import io.tallis.command.acl.AclCommands;
import io.tallis.command.acl.AclFileCommands;
import io.tallis.command.clients.ClientRegistry;
import io.tallis.command.clients.CoarseTime;
import io.tallis.command.clients.Monitors;
import io.tallis.command.clients.Pauses;
import io.tallis.command.clients.SlowLog;
import io.tallis.command.cluster.Cluster;
import io.tallis.command.cluster.ReplicationSection;
import io.tallis.command.cluster.SystemCommands;
import io.tallis.command.cluster.WaitAof;
import io.tallis.command.connection.AbsentFeatures;
import io.tallis.command.connection.ClientCommands;
import io.tallis.command.connection.CommandCommands;
import io.tallis.command.connection.ConnectionCommands;
import io.tallis.command.counter.CounterCommands;
import io.tallis.command.counter.CounterCommands.ReplicaNames;
import io.tallis.command.dispatch.CommandRunner;
import io.tallis.command.dispatch.CommandTable;
import io.tallis.command.dispatch.Dispatcher;
import io.tallis.command.dispatch.LoadState;
import io.tallis.command.dispatch.LoopStates;
import io.tallis.command.dispatch.NestedCommands;
import io.tallis.command.dispatch.RequestHandler;
import io.tallis.command.facts.CommandFacts;
import io.tallis.command.hash.HashCommands;
import io.tallis.command.limit.LimitCommands;
import io.tallis.command.notifications.Notifications;
import io.tallis.command.pubsub.PubSub;
import io.tallis.command.pubsub.PubSubCommands;
import io.tallis.command.redis.RedisCommands;
import io.tallis.command.script.ScriptCommands;
import io.tallis.command.server.BackupCommands;
import io.tallis.command.server.CommandStatsSections;
import io.tallis.command.server.ConfigCommands;
import io.tallis.command.server.DebugCommand;
import io.tallis.command.server.Flush;
import io.tallis.command.server.FlushCommands;
import io.tallis.command.server.InfoSection;
import io.tallis.command.server.LatencyCommands;
import io.tallis.command.server.Later;
import io.tallis.command.server.MemoryCommands;
import io.tallis.command.server.NodeCommands;
import io.tallis.command.server.ShutdownCommand;
import io.tallis.command.server.ShutdownCommand.Lifecycle;
import io.tallis.command.server.SlowlogCommands;
import io.tallis.command.slots.SlotCommands;
import io.tallis.command.slots.SlotRefusals;
import io.tallis.command.slots.Slots;
import io.tallis.command.tracking.Tracking;
import io.tallis.command.tracking.TrackingCommands;
import io.tallis.command.transaction.TransactionCommands;
import io.tallis.config.Config;
import io.tallis.config.Settings;
import io.tallis.http.EventFormat;
import io.tallis.http.HttpFrontEnd;
import io.tallis.keyspace.Keyspace;
import io.tallis.metrics.CommandStats;
import io.tallis.metrics.DurationHistogram;
import io.tallis.metrics.LatencyEvents;
import io.tallis.metrics.NetworkStats;
import io.tallis.resp.FrontEnd;
import io.tallis.resp.RespLimits;
import io.tallis.resp.RespPorts;
import io.tallis.resp.socket.Tls;
import io.tallis.runtime.Background;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import io.tallis.runtime.LongTasks;
import io.tallis.runtime.Randomness;
import io.tallis.watch.Watching;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Builds the commands and what they share: client registry, statistics, checks.
final class Commands implements RespPorts.ClientObserver {
    private static final String STANDALONE_MODE = "standalone";
    private static final String CLUSTER_MODE = "cluster";

    private final Config config;
    private final World world;
    private final Live<CommandSettings> settings;
    private final CommandFacts facts = CommandFacts.load();
    private final CommandStats stats = new CommandStats(facts.size());
    private final SlowLog slowLog = new SlowLog();
    private final LatencyEvents latency = new LatencyEvents();
    private final PubSub pubSub = new PubSub();
    private final Monitors monitors;
    private final Pauses pauses;
    private final Notifications notifications;
    private final Tracking tracking;
    private final CoarseTime time;

    /// Set when the commands are built.
    private volatile @Nullable WaitAof waitAof;

    private final ClientRegistry clients;
    private final AccessControl access;
    private final UserSettings users;
    private final Live<Boolean> certificatesNameUsers;
    private final CommandRunner runner;
    private final Later later;
    private final NestedCommands nested;
    private final LoopStates loops;
    private final MemoryStatus memory;
    private final Traffic traffic;
    private final DurationHistogram eventLoopDelays = new DurationHistogram();
    private final GarbageCollectors collectors = new GarbageCollectors();

    /// Set when there is a listener for HTTP.
    private volatile @Nullable Watching watching;

    /// The parts of the node that commands act on.
    record World(
            Keyspace keyspace,
            Persistence persistence,
            Clock clock,
            Randomness randomness,
            Background background,
            NetworkStats network,
            @Nullable Tls tls,
            DescriptorLimit descriptors,
            Membership membership,
            Cluster cluster,
            ReplicaNames names) {}

    Commands(Config config, World world) {
        this.config = config;
        this.world = world;
        settings = config.live(PartSettings::commands);
        monitors = new Monitors(world.clock);
        pauses = new Pauses(world.clock);
        time = new CoarseTime(world.clock);
        clients = new ClientRegistry(time, pubSub, monitors);
        notifications = new Notifications(world.keyspace, pubSub, config.live(PartSettings::keyEvents), world.clock);
        tracking = new Tracking(
                world.keyspace,
                clients::find,
                config.live(all -> all.get(Settings.TRACKING_TABLE_MAX_KEYS)),
                world.clock);
        access = new AccessControl(
                facts, clients, world.clock, config.live(values -> values.count(Settings.ACLLOG_MAX_LEN)));
        users = new UserSettings(config, access);
        certificatesNameUsers =
                config.live(values -> values.get(Settings.TLS_AUTH_CLIENTS_USER).equals("cn"));
        runner = new CommandRunner(access, settings, world.clock, stats, slowLog, latency, monitors);
        later = new BackgroundTasks(world.background, new LongTasks());
        loops = new LoopStates(runner, notifications, tracking);
        nested = new NestedCommands(runner, access, settings, world.persistence.writeGate());
        memory = new MemoryStatus(config, world.keyspace, clients, world.persistence);
        traffic = new Traffic(stats, world.network, world.clock);
    }

    /// What the RESP server needs. `families` are those of [#families].
    RespPorts respPorts(List<CommandFamily> families, NodeStatus status) {
        return new RespPorts(
                handler(families, status, STANDALONE_MODE, new SlotRefusals()),
                world.persistence::newTurnLog,
                world.keyspace,
                this,
                world.clock,
                world.network,
                eventLoopDelays,
                world.membership::changed);
    }

    /// What a listener for clients of Redis Cluster needs. `families` are those of [#families].
    RequestHandler slotsHandler(List<CommandFamily> families, NodeStatus status) {
        Slots slots = new Slots(world.cluster);
        boolean withinTls = config.values().get(Settings.REDIS_CLUSTER_TLS);
        return handler(families, status, CLUSTER_MODE, new SlotCommands(slots, withinTls, world.keyspace, later));
    }

    /// What a listener for HTTP needs.
    FrontEnd http(NodeStatus status) {
        NodeHealth health = health();
        Metrics metrics = metrics(status, health);
        // The first page takes a tenth of a second, for which an event loop should not stop.
        world.background.after(Duration.ZERO, metrics::prepare);
        var begun = new Watching(world.keyspace, world.names::nameOf, new EventFormat(), world.clock);
        begun.start();
        watching = begun;
        var topology = new ClusterTopology(world.cluster);
        return new HttpFrontEnd(
                facts,
                new HttpFrontEnd.Node(health::now, topology::now, metrics::page, begun),
                config.live(values -> PartSettings.http(values, new HttpLogins(access))));
    }

    private Metrics metrics(NodeStatus status, NodeHealth health) {
        return new Metrics(
                config,
                new Metrics.Sources(
                        status,
                        health,
                        loadState(),
                        world.keyspace,
                        memory,
                        world.persistence,
                        world.membership,
                        world.cluster,
                        clients,
                        pubSub,
                        slowLog,
                        world.network,
                        eventLoopDelays,
                        facts,
                        stats,
                        collectors));
    }

    NodeHealth health() {
        return new NodeHealth(world.persistence.loadState(), world.membership, world.persistence.writeGate());
    }

    /// Answers requests to ports of one kind: how clients connect, in Redis's terms, and the commands about slots.
    private RequestHandler handler(
            List<CommandFamily> families, NodeStatus status, String mode, CommandFamily aboutSlots) {
        List<CommandFamily> all = new ArrayList<>(families);
        all.add(new ConnectionCommands(access, pubSub, monitors, tracking, mode));
        all.add(new NodeCommands(sections(status, mode), world.clock, monitors));
        all.add(aboutSlots);
        CommandTable table = CommandTable.of(facts, all);
        nested.use(table);
        return new Dispatcher(
                table, runner, access, settings, loadState(), world.persistence.writeGate(), time, pauses, loops);
    }

    private LoadState loadState() {
        return new DiskThenCluster(world.persistence.loadState(), world.membership.loadState());
    }

    /// The commands that are the same at all ports.
    List<CommandFamily> families(Lifecycle lifecycle) {
        List<CommandFamily> families = new ArrayList<>(clientFamilies());
        families.add(new ConfigCommands(
                new LiveConfiguration(config, users, world.descriptors.mostClients(), world.tls),
                this::resetStatistics,
                later));
        families.add(new AclFileCommands(users.file(), later));
        families.add(new SlowlogCommands(slowLog));
        families.add(new LatencyCommands(latency, stats, facts, settings));
        families.add(new MemoryCommands(memory, later));
        families.add(new BackupCommands(world.persistence.backups()));
        var flush = new Flush(
                world.keyspace,
                world.persistence.newTurnLog(),
                this::refusalToFlush,
                world.membership::changed,
                tracking::flushed);
        families.add(new FlushCommands(flush, settings, later, world.membership::happened));
        families.add(new DebugCommand(world.keyspace, settings, later));
        families.add(new ShutdownCommand(lifecycle, world.persistence::hasLostFiles, world.membership::happened));
        families.add(new SystemCommands(world.cluster, world.membership.peers(), world.keyspace, later));
        var wait = new WaitAof(world.membership.peers(), disk(), later, world.clock);
        waitAof = wait;
        families.add(wait);
        return families;
    }

    private WaitAof.Disk disk() {
        return new WaitAof.Disk() {
            @Override
            public boolean isKept() {
                return world.persistence.isKept();
            }

            @Override
            public void makeDurable() throws IOException {
                world.persistence.makeDurable();
            }
        };
    }

    private void resetStatistics() {
        stats.reset();
        world.network.reset();
    }

    /// A deletion takes memory, since the totals that were reset have to be kept.
    private @Nullable String refusalToFlush() {
        if (MemoryLevel.of(world.keyspace, settings.now()) != MemoryLevel.SPENT) {
            return world.persistence.writeGate().refusal();
        }
        boolean isSet = config.values().get(Settings.MAXMEMORY) > 0;
        return CommandRunner.OUT_OF_MEMORY
                + (isSet
                        ? " Deleting takes memory too: set maxmemory to 0 with CONFIG SET, flush, then restore it."
                        : "");
    }

    private List<CommandFamily> clientFamilies() {
        return List.of(
                new CounterCommands(world.names),
                new RedisCommands(settings, world.randomness),
                new HashCommands(settings, world.names, world.randomness),
                new LimitCommands(settings, world.cluster),
                new ClientCommands(clients, access, pauses),
                new AclCommands(access, world.randomness),
                new TrackingCommands(tracking),
                new CommandCommands(facts),
                new AbsentFeatures(),
                new TransactionCommands(runner),
                new ScriptCommands(nested, config.live(PartSettings::mostScriptSteps), world.clock),
                new PubSubCommands(pubSub));
    }

    /// The sections in Redis's order, with our own at the end.
    private List<InfoSection> sections(NodeStatus status, String mode) {
        var node =
                new NodeSections(config, status, new NodeSections.Parts(world.keyspace, clients, monitors, tracking));
        List<InfoSection> sections = new ArrayList<>();
        sections.add(InfoSection.of("server", fields -> node.server(mode, fields)));
        sections.add(InfoSection.of("clients", node::clients));
        sections.add(InfoSection.of("memory", new MemorySection(memory)::addTo));
        sections.add(world.persistence.section(loadState()));
        sections.add(InfoSection.of(
                "stats",
                new StatsSection(stats, world.network, world.keyspace.expiry(), traffic, pubSub, tracking)::addTo));
        sections.add(ReplicationSection.of(world.cluster));
        sections.add(InfoSection.of("cpu", node::cpu));
        sections.add(InfoSection.of("modules", _ -> {}));
        sections.addAll(new CommandStatsSections(facts, stats).sections());
        sections.add(InfoSection.of("cluster", fields -> fields.flag("cluster_enabled", mode.equals(CLUSTER_MODE))));
        sections.add(InfoSection.of("keyspace", node::keyspace));
        sections.add(InfoSection.of("tallis", node::tallis));
        return sections;
    }

    /// From now on clients are told of deadlines and of changes of other nodes. To be called when the disk is loaded.
    void loaded() {
        notifications.start();
        tracking.start();
    }

    /// Ends the threads of listeners.
    void close() {
        notifications.close();
        tracking.close();
        Watching begun = watching;
        if (begun != null) {
            begun.close();
        }
    }

    /// How many commands run in a second at present.
    long operationsPerSecond() {
        return Math.round(traffic.commandsPerSecond());
    }

    /// Looks whether the file of users has changed. May block.
    void refreshUsers() {
        users.refresh();
    }

    /// Called ten times a second.
    void tick() {
        time.tick();
        traffic.sample();
        memory.sample();
        pauses.tick();
        notifications.tick();
        WaitAof waits = waitAof;
        if (waits != null) {
            waits.tick();
        }
    }

    /// The limits of connections.
    Live<RespLimits> respLimits() {
        return config.live(values -> PartSettings.limits(values, access.needsPassword()));
    }

    @Override
    public void opened(Client client) {
        access.admit(client);
        clients.opened(client);
    }

    @Override
    public void certified(Client client, String commonName) {
        if (certificatesNameUsers.now()) {
            access.certified(commonName, client);
        }
    }

    @Override
    public void closed(Client client) {
        clients.closed(client);
        pauses.forget(client);
        tracking.end(client);
    }

    /// Loading the disk, then joining the cluster.
    private record DiskThenCluster(LoadState disk, LoadState cluster) implements LoadState {
        @Override
        public boolean loading() {
            return disk.loading() || cluster.loading();
        }

        @Override
        public int percent() {
            return current().percent();
        }

        @Override
        public String text() {
            return current().text();
        }

        private LoadState current() {
            return disk.loading() ? disk : cluster;
        }
    }

    /// Work of commands that must not block an event loop.
    private record BackgroundTasks(Background background, LongTasks longTasks) implements Later {
        @Override
        public void after(Duration delay, Runnable task) {
            background.after(delay, task);
        }

        @Override
        public boolean onItsOwn(String thread, Runnable task) {
            return longTasks.add(thread, task);
        }
    }
}
