package io.tallis.transcript;

import io.tallis.acl.AccessControl;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.CommandSettings;
import io.tallis.command.KeyEvent;
import io.tallis.command.Reply;
import io.tallis.command.acl.AclCommands;
import io.tallis.command.acl.AclFileCommands;
import io.tallis.command.clients.ClientRegistry;
import io.tallis.command.clients.CoarseTime;
import io.tallis.command.clients.Monitors;
import io.tallis.command.clients.Pauses;
import io.tallis.command.clients.SlowLog;
import io.tallis.command.cluster.Peers;
import io.tallis.command.cluster.ReplicationSection;
import io.tallis.command.cluster.SystemCommands;
import io.tallis.command.cluster.WaitAof;
import io.tallis.command.connection.AbsentFeatures;
import io.tallis.command.connection.ClientCommands;
import io.tallis.command.connection.CommandCommands;
import io.tallis.command.connection.ConnectionCommands;
import io.tallis.command.counter.CounterCommands;
import io.tallis.command.dispatch.CommandRunner;
import io.tallis.command.dispatch.CommandTable;
import io.tallis.command.dispatch.Dispatcher;
import io.tallis.command.dispatch.LoadState;
import io.tallis.command.dispatch.LoopStates;
import io.tallis.command.dispatch.NestedCommands;
import io.tallis.command.facts.CommandFacts;
import io.tallis.command.facts.CommandSpec;
import io.tallis.command.hash.HashCommands;
import io.tallis.command.limit.LimitCommands;
import io.tallis.command.notifications.Notifications;
import io.tallis.command.pubsub.PubSub;
import io.tallis.command.pubsub.PubSubCommands;
import io.tallis.command.redis.RedisCommands;
import io.tallis.command.script.ScriptCommands;
import io.tallis.command.server.BackupCommands;
import io.tallis.command.server.ConfigCommands;
import io.tallis.command.server.DebugCommand;
import io.tallis.command.server.NodeCommands;
import io.tallis.command.server.SlowlogCommands;
import io.tallis.command.slots.SlotRefusals;
import io.tallis.command.tracking.Tracking;
import io.tallis.command.tracking.TrackingCommands;
import io.tallis.command.transaction.TransactionCommands;
import io.tallis.crdt.Cell;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Sweeper;
import io.tallis.metrics.CommandStats;
import io.tallis.metrics.LatencyEvents;
import io.tallis.runtime.Clock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A server without sockets, disk and peers: all commands on a real keyspace, with a clock that the test controls.
public final class FakeServer implements LoadState {
    private static final ReplicaId OWN = new ReplicaId(1, 1);
    private static final long BEGIN_NANOS = 1_000_000_000_000L;
    private static final Set<String> OF_SERVER_FAMILY = Set.of("flushall", "flushdb", "shutdown", "latency", "memory");

    private static final long SCRIPT_STEPS = 1_000_000;

    private final CommandFacts facts = CommandFacts.load();
    private final CommandStats stats = new CommandStats(facts.size());
    private final SlowLog slowLog = new SlowLog();
    private final LatencyEvents latency = new LatencyEvents();
    private final PubSub pubSub = new PubSub();
    private final List<String> journal = new ArrayList<>();
    private final FakeNode node = new FakeNode();
    private final FakeCluster cluster = new FakeCluster();
    private final Keyspace keyspace;
    private final CoarseTime time;
    private final Pauses pauses;
    private final Notifications notifications;
    private final Tracking tracking;
    private final WaitAof waitAof;
    private final ClientRegistry clients;
    private final AccessControl access;
    private final Dispatcher dispatcher;
    private final Dispatcher dispatcherOfOtherPort;
    private final Set<Client> atOtherPort = new HashSet<>();

    private CommandSettings settings = new CommandSettings(
            Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, 65_535, 65_536, 10_000, 128, 0, "no", "no");
    private int keyEvents;
    private long mostTracked = 1000;
    private boolean loading;
    private @Nullable String writeRefusal;
    private long nanos = BEGIN_NANOS;
    private long nanosACommand;
    private long nextId = 1;
    private int mostDenials = 128;

    /// A server without peers.
    public FakeServer() {
        this(Peers.NONE);
    }

    /// A server with these peers.
    public FakeServer(Peers peers) {
        this(peers, new FakeNode());
    }

    /// The same with this disk.
    public FakeServer(Peers peers, WaitAof.Disk disk) {
        SplittableRandom random = new SplittableRandom(1);
        keyspace = new Keyspace(new Replicas(OWN), random::nextLong, () -> epochMicros() / 1000);
        Clock clock = clock();
        time = new CoarseTime(clock);
        pauses = new Pauses(clock);
        notifications = new Notifications(keyspace, pubSub, () -> keyEvents, clock);
        waitAof = new WaitAof(peers, disk, node, clock);
        Monitors monitors = new Monitors(clock);
        clients = new ClientRegistry(time, pubSub, monitors);
        tracking = new Tracking(keyspace, clients::find, () -> mostTracked, clock);
        access = new AccessControl(facts, clients, clock, () -> mostDenials);
        CommandRunner runner = new CommandRunner(access, () -> settings, clock, stats, slowLog, latency, monitors);
        NestedCommands nested = new NestedCommands(runner, access, () -> settings, () -> writeRefusal);
        List<CommandFamily> families = List.of(
                new CounterCommands(id -> id.equals(OWN) ? "here" : "former"),
                new RedisCommands(() -> settings, random::nextLong),
                new HashCommands(() -> settings, id -> id.equals(OWN) ? "here" : "former", random::nextLong),
                new LimitCommands(() -> settings, cluster),
                new ConnectionCommands(access, pubSub, monitors, tracking, "standalone"),
                new ClientCommands(clients, access, pauses),
                new AclCommands(access, random::nextLong),
                new TrackingCommands(tracking),
                new AclFileCommands(null, node),
                new CommandCommands(facts),
                new AbsentFeatures(),
                new SlotRefusals(),
                new TransactionCommands(runner),
                new ScriptCommands(nested, () -> SCRIPT_STEPS, clock),
                new PubSubCommands(pubSub),
                new NodeCommands(List.of(ReplicationSection.of(cluster)), clock, monitors),
                new SystemCommands(cluster, peers, keyspace, node),
                waitAof,
                new SlowlogCommands(slowLog),
                new ConfigCommands(node, stats::reset, node),
                new BackupCommands(node),
                new DebugCommand(keyspace, () -> settings, node),
                FakeServer::addElsewhere);
        CommandTable table = CommandTable.of(facts, families);
        nested.use(table);
        LoopStates loops = new LoopStates(runner, notifications, tracking);
        dispatcher = dispatcher(table, runner, loops);
        dispatcherOfOtherPort = dispatcher(table, runner, loops);
    }

    private Dispatcher dispatcher(CommandTable table, CommandRunner runner, LoopStates loops) {
        return new Dispatcher(table, runner, access, () -> settings, this, () -> writeRefusal, time, pauses, loops);
    }

    /// Stands in for commands that need parts that are missing here. `LATENCY` fails as a bug would make it fail.
    private static void addElsewhere(CommandSet commands) {
        for (CommandSpec spec : commands.facts().all()) {
            String container = spec.fullName().split("\\|", -1)[0];
            boolean explains = spec.fullName().endsWith("|help");
            if (OF_SERVER_FAMILY.contains(container) && spec.subcommands().isEmpty() && !explains) {
                boolean broken = container.equals("latency");
                commands.add(spec.fullName(), (_, _, _) -> {
                    throw broken
                            ? new IllegalStateException("broken")
                            : new CommandError("ERR not a part of this test");
                });
            }
        }
    }

    /// A clock that advances at each reading by the duration set for commands.
    private Clock clock() {
        return new Clock() {
            @Override
            public long nanos() {
                nanos += nanosACommand;
                return nanos;
            }

            @Override
            public long epochMillis() {
                return epochMicros() / 1000;
            }

            @Override
            public long epochMicros() {
                return FakeServer.this.epochMicros();
            }
        };
    }

    private long epochMicros() {
        return 1_700_000_000_123_456L + (nanos - BEGIN_NANOS) / 1000;
    }

    /// A client on an event loop of its own, whose changes go to the journal.
    public FakeClient connect() {
        return connect(new Counters(keyspace, changeLog()));
    }

    /// A client that reads and changes the keyspace by these.
    public FakeClient connect(Counters counters) {
        long id = nextId++;
        return new FakeClient(this, (int) id, counters);
    }

    /// A client at another port, on the event loop of one at the usual port.
    public FakeClient connectAtOtherPort(FakeClient neighbour) {
        FakeClient client = connect(neighbour.client().counters());
        atOtherPort.add(client.client());
        return client;
    }

    private ChangeLog changeLog() {
        return new ChangeLog() {
            @Override
            public void record(Key key, Cell counter, boolean whole) {
                journal.add(counter.type() + " " + new String(key.toByteArray(), StandardCharsets.UTF_8));
            }

            @Override
            public void beginGroup() {
                journal.add("begin");
            }

            @Override
            public void endGroup() {
                journal.add("end");
            }
        };
    }

    void handle(Arguments arguments, Client client, Reply reply) {
        dispatcher.begins(client);
        handleNext(arguments, client, reply);
    }

    /// Handles a request that arrived together with the previous one.
    void handleNext(Arguments arguments, Client client, Reply reply) {
        (atOtherPort.contains(client) ? dispatcherOfOtherPort : dispatcher).handle(arguments, client, reply);
    }

    /// Handles a request of words without blanks, with `reply`.
    public void handle(String request, Client client, Reply reply) {
        byte[] bytes = request.getBytes(StandardCharsets.UTF_8);
        Arguments arguments = new Arguments();
        arguments.begin(bytes);
        int start = 0;
        for (int end = 0; end <= bytes.length; end++) {
            if (end == bytes.length || bytes[end] == ' ') {
                arguments.add(start, end - start);
                start = end + 1;
            }
        }
        handle(arguments, client, reply);
    }

    public Keyspace keyspace() {
        return keyspace;
    }

    public ClientRegistry clients() {
        return clients;
    }

    public AccessControl access() {
        return access;
    }

    /// The setting `acllog-max-len`.
    public void mostDenials(int most) {
        mostDenials = most;
    }

    public CommandFacts facts() {
        return facts;
    }

    public CommandStats stats() {
        return stats;
    }

    public SlowLog slowLog() {
        return slowLog;
    }

    public LatencyEvents latency() {
        return latency;
    }

    /// The journal in order: types and keys of changes, begins and ends of groups.
    public List<String> journal() {
        return journal;
    }

    public void settings(CommandSettings settings) {
        this.settings = settings;
    }

    public CommandSettings settings() {
        return settings;
    }

    public void password(String password) {
        access.defaultPassword(password);
    }

    /// 0 means no limit.
    public void maxMemory(long bytes) {
        settings = with(bytes == 0 ? Long.MAX_VALUE : bytes, settings.slowlogLogSlowerThanMicros(), 0);
    }

    public void slowerThan(long slowLogMicros, long latencyMillis) {
        settings = with(settings.maxMemoryBytes(), slowLogMicros, latencyMillis);
    }

    /// The setting `enable-debug-command`: `yes`, `no` or `local`.
    public void debug(String allowed) {
        settings = new CommandSettings(
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                settings.maxKeyBytes(),
                settings.maxValueBytes(),
                10_000,
                128,
                0,
                allowed,
                "no");
    }

    private CommandSettings with(long maxMemory, long slowLogMicros, long latencyMillis) {
        return new CommandSettings(
                maxMemory,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                settings.maxKeyBytes(),
                settings.maxValueBytes(),
                slowLogMicros,
                128,
                latencyMillis,
                "no",
                "no");
    }

    /// The setting `notify-keyspace-events`.
    public void notify(String letters) {
        keyEvents = KeyEvent.flags(letters);
        notifications.round();
    }

    /// Tells what peers have changed.
    public void tellMerges() {
        notifications.round();
    }

    /// The tracking of what clients cache.
    public Tracking tracking() {
        return tracking;
    }

    /// The setting `tracking-table-max-keys`.
    public void tracksAtMost(long keys) {
        mostTracked = keys;
    }

    /// Adds two other nodes.
    public void cluster() {
        cluster.hasOthers();
    }

    public void loading(boolean loading) {
        this.loading = loading;
    }

    public void refuseWrites(@Nullable String refusal) {
        writeRefusal = refusal;
    }

    /// Sets the duration of each command.
    public void commandsTake(long nanos) {
        nanosACommand = nanos;
    }

    public void pass(long seconds) {
        passMillis(1000 * seconds);
    }

    public void passMillis(long millis) {
        nanos += millis * 1_000_000;
        time.tick();
        pauses.tick();
        waitAof.tick();
    }

    /// Ends and drops what is over.
    public void sweep() {
        new Sweeper(keyspace).run();
    }

    @Override
    public boolean loading() {
        return loading;
    }

    @Override
    public int percent() {
        return loading ? 50 : 100;
    }
}
