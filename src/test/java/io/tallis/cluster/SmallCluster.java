package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Transport;
import io.tallis.cluster.join.JoiningSettings;
import io.tallis.cluster.peer.ClusterId;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Registry;
import io.tallis.cluster.records.Self;
import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.keyspace.StandInTurnLog;
import io.tallis.runtime.FatalException;
import io.tallis.wire.MalformedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Some replicators that exchange frames in order and without loss, except what a test drops, in a time that passes
/// when a test says so.
final class SmallCluster {
    /// One step of simulated time, in which each node runs once.
    static final Duration A_STEP = Duration.ofNanos(500_000);

    static final Duration A_MOMENT = Duration.ofMillis(5);
    static final Duration A_SECOND = Duration.ofSeconds(1);
    static final Duration A_WHILE = Duration.ofSeconds(2);
    static final Duration LONG_ENOUGH_TO_STAY_AWAY = Duration.ofSeconds(5);
    static final Duration LONG_ENOUGH_TO_PURGE = Duration.ofSeconds(15);

    static final JoiningSettings JOINING =
            new JoiningSettings(false, Duration.ofSeconds(3), Duration.ofSeconds(60), false, "", 1, "cluster-seeds");

    /// The cluster for which all nodes are complete, unless a test says otherwise.
    static final ClusterId CLUSTER = new ClusterId(1_000, 1);

    /// Longer than any test lasts.
    static final long FOLD_AFTER_NANOS = Duration.ofDays(1).toNanos();

    static final ReplicationSettings SETTINGS = settings(JOINING);

    private static final int LONGEST_DATAGRAM = 60_000;

    private static final Set<Kind> OF_THE_BACKGROUND = Set.of(Kind.BEAT, Kind.NODES, Kind.EVENTS);

    final List<Node> nodes = new ArrayList<>();

    /// The frames that are lost.
    Predicate<Traffic> drops = _ -> false;

    /// Whether multicasts go only to members of the sender's view, as over TCP.
    boolean multicastsToMembers;

    /// Is called with each frame before it arrives.
    Consumer<Traffic> watcher = _ -> {};

    /// The time of day by which counters expire.
    long epochMillis = 1_000_000;

    /// How far the clock of the machine of a session is ahead of that, and how far it is after it was corrected.
    final Map<Long, Long> clocks = new HashMap<>();

    final Map<Long, Long> corrections = new HashMap<>();

    /// What a session draws.
    LongUnaryOperator random = session -> session;

    private final List<Traffic> onTheWay = new ArrayList<>();
    private long now = 1;
    private int sessions;

    /// A frame in transit.
    static final class Traffic {
        final Node from;
        final Node to;
        final Kind kind;
        final byte[] frame;

        private Traffic(Node from, Node to, Kind kind, byte[] frame) {
            this.from = from;
            this.to = to;
            this.kind = kind;
            this.frame = frame;
        }

        void arrive() {
            to.replicator.onFrame(from.session(), frame);
        }
    }

    /// From now on nothing is drawn twice, as ids of purges must not be.
    void drawOften() {
        int[] draws = new int[1];
        // The last bit of these ids is always set.
        random = session -> (session << 32) + 2L * ++draws[0];
    }

    static ReplicationSettings settings(JoiningSettings joining) {
        return new ReplicationSettings(
                joining, 1 << 26, 0, Long.MAX_VALUE, Frame.OLDEST_VERSION, SmallCluster.FOLD_AFTER_NANOS);
    }

    /// The join state of a node that `cluster-hold` keeps from serving.
    static ReplicationSettings held() {
        return settings(new JoiningSettings(
                false, JOINING.aloneTimeout(), JOINING.joinTimeout(), true, "", 1, "cluster-seeds"));
    }

    Node start() {
        return start(SETTINGS);
    }

    /// Starts three nodes and waits until they serve.
    List<Node> startThree() {
        for (int i = 0; i < 3; i++) {
            start();
        }
        connect();
        pass(A_SECOND);
        assertThat(nodes).allSatisfy(node -> assertThat(node.replicator.state()).isEqualTo(JoinState.READY));
        forgetSent();
        return List.copyOf(nodes);
    }

    /// Forgets what was sent so far.
    void forgetSent() {
        nodes.forEach(node -> node.sent.clear());
    }

    /// A serving node with five likes of a session that is gone.
    Node startOneThatKnowsOfOneWhoIsGone() {
        Node member = start();
        Node writer = start();
        connect();
        pass(A_WHILE);
        writer.add("likes", 5);
        pass(A_WHILE);
        kill(writer);
        pass(LONG_ENOUGH_TO_STAY_AWAY.plus(A_SECOND));
        return member;
    }

    /// A node that has both counters.
    Node startWhole() {
        Node whole = start(SETTINGS, former("likes", "shares"));
        connect();
        pass(A_WHILE);
        return whole;
    }

    Node start(ReplicationSettings settings) {
        return start(settings, keyspace());
    }

    /// A keyspace for a session that is about to start, to be filled as if loaded from disk.
    Keyspace keyspace() {
        return keyspace(Replicas.LIMIT);
    }

    /// A node that has run out of replica numbers.
    Keyspace keyspace(int mostReplicas) {
        long session = ++sessions;
        Queue<Long> random = new ArrayDeque<>(List.of(1L, 2L, 3L, 4L));
        return new Keyspace(
                new Replicas(new ReplicaId(session, session), mostReplicas),
                () -> {
                    random.add(random.element() * 31 + 7);
                    return random.remove();
                },
                () -> epochMillis + corrections.getOrDefault(session, clocks.getOrDefault(session, 0L)));
    }

    /// Adds the counts of an earlier session, as if loaded from disk.
    static void addFormer(Keyspace disk, String key, long amount) {
        Cell counter = new Cell().clear(CounterType.PNCOUNT);
        counter.add(disk.replicas().numberOf(new ReplicaId(99, key.hashCode())), amount);
        new Merges(disk, ChangeLog.NONE).restore(Key.of(key.getBytes(StandardCharsets.UTF_8)), counter);
    }

    /// A keyspace for a session that is about to start, with counters of earlier sessions that are worth five each.
    Keyspace former(String... keys) {
        Keyspace disk = keyspace();
        for (String key : keys) {
            addFormer(disk, key, 5);
        }
        return disk;
    }

    /// A node with so many cells whose keys begin with that.
    Keyspace formerOfMany(int counters, String name) {
        return former(IntStream.range(0, counters).mapToObj(i -> name + "-" + i).toArray(String[]::new));
    }

    /// A counter with shards of so many former replicas, of 1 each.
    static void addFormers(Keyspace disk, String key, int replicas) {
        Cell counter = new Cell().clear(CounterType.PNCOUNT);
        for (int i = 0; i < replicas; i++) {
            counter.counts()
                    .put(counter.counts().append(disk.replicas().numberOf(new ReplicaId(98, i))), Counter.P, 0, 1);
        }
        new Merges(disk, ChangeLog.NONE).restore(Key.of(key.getBytes(StandardCharsets.UTF_8)), counter);
    }

    /// Fills a keyspace with what a start would find on the disk of another session.
    static void copy(Keyspace from, Keyspace to) {
        assertThat(from.folds().notes()).satisfies(notes -> to.folds().takeAll(notes));
        Merges merges = new Merges(to, ChangeLog.NONE);
        for (int partition = 0; partition < Keyspace.PARTITIONS; partition++) {
            from.visitAll(partition, (_, key, cell) -> {
                Cell copy = new Cell().clear(cell.type());
                copy.life().copyFrom(cell.life());
                for (int i = 0; i < cell.counts().shards(); i++) {
                    ReplicaId id = from.replicas().id(cell.counts().replica(i));
                    int shard = copy.counts().insert(to.replicas().numberOf(id));
                    for (int total = 0; total < 8; total += 2) {
                        copy.counts()
                                .put(
                                        shard,
                                        total,
                                        cell.counts().high(i, total),
                                        cell.counts().low(i, total));
                    }
                }
                merges.restore(key, copy);
            });
        }
    }

    /// What a node has, for a further session of it.
    Keyspace copyOf(Node node) {
        Keyspace copy = keyspace();
        copy(node.keyspace, copy);
        return copy;
    }

    /// Adds 1, 10, 100 and so on, each on another node.
    void countOnEach(String key) {
        long amount = 1;
        for (Node node : nodes) {
            node.add(key, amount);
            amount *= 10;
        }
        pass(A_SECOND);
    }

    /// Asks a node for a purge, and gives all nodes the time for it.
    void purge(Node by) {
        pass(A_SECOND);
        by.replicator.purgeAtOnce();
        pass(LONG_ENOUGH_TO_PURGE);
    }

    /// The same until something holds.
    void purgeUntil(Node by, BooleanSupplier holds) {
        pass(A_SECOND);
        by.replicator.purgeAtOnce();
        passUntil(holds);
    }

    void passUntil(BooleanSupplier holds) {
        for (int i = 0; i < 40_000 && !holds.getAsBoolean(); i++) {
            pass(A_STEP);
        }
        assertThat(holds.getAsBoolean()).isTrue();
    }

    /// A node without counters that starts beside serving nodes has an empty data directory; all others are complete.
    Node start(ReplicationSettings settings, Keyspace keyspace) {
        boolean joins =
                keyspace.cells() == 0 && nodes.stream().anyMatch(node -> node.replicator.state() == JoinState.READY);
        return start(settings, keyspace, joins ? Standing.NONE : Standing.complete(CLUSTER));
    }

    Node start(ReplicationSettings settings, Keyspace keyspace, Standing standing) {
        long id = keyspace.replicas().own().high();
        Self self = new Self(new UUID(id, id), "node-" + id, "127.0.0.1:" + id);
        return add(new Node(keyspace, settings, self, standing, new NodesInMemory()));
    }

    /// A node whose data directory is empty.
    Node startEmpty() {
        return start(SETTINGS, keyspace(), Standing.NONE);
    }

    /// A further session of a node.
    Node startAgain(Node former) {
        return add(new Node(keyspace(), SETTINGS, former.self, Standing.complete(CLUSTER), Registry.Store.NONE));
    }

    /// A further session of a node, with what its disk has.
    Node startAgain(Node former, Keyspace disk, ReplicationSettings settings) {
        NodesInMemory nodes = new NodesInMemory();
        nodes.saved = ((NodesInMemory) former.nodesOnDisk).saved;
        return add(new Node(disk, settings, former.self, former.standingOnDisk, nodes));
    }

    /// A node with the UUID of another, as if it was started from a copy of its directory.
    Node startCopy(Node other) {
        return add(new Node(
                keyspace(),
                SETTINGS,
                new Self(other.self.uuid(), other.self.name(), "127.0.0.1:1"),
                Standing.complete(CLUSTER),
                Registry.Store.NONE));
    }

    /// A complete node whose registry cannot be read.
    Node startWithDamagedNodes(String key) {
        Registry.Store damaged = new Registry.Store() {
            @Override
            public byte[] load() throws IOException {
                throw new MalformedException("damaged");
            }

            @Override
            public void save(byte[] bytes) {}
        };
        Self self = new Self(new UUID(1, 1), "damaged", "127.0.0.1:1");
        return add(new Node(former(key), SETTINGS, self, Standing.complete(CLUSTER), damaged));
    }

    private Node add(Node node) {
        node.replicator.advanceTo(now);
        nodes.add(node);
        return node;
    }

    /// All nodes reach each other.
    void connect() {
        connect(nodes);
    }

    /// Gives these nodes a view of their own.
    void connect(List<Node> group) {
        for (Node node : group) {
            node.reach = new HashSet<>(group);
            showOnly(node, group);
        }
    }

    /// Frames get through again, and no view changes.
    void reachAll() {
        nodes.forEach(node -> node.reach = new HashSet<>(nodes));
    }

    /// Sets the view of one node; its frames still get through in both directions.
    void showOnly(Node node, List<Node> view) {
        node.view = view.stream().map(Node::session).toList();
        node.replicator.onView(node.view);
    }

    /// Lets this much time pass. A step in which no frame arrives and no node has something to do is left out, but not
    /// the last one, after which all clocks are right.
    void pass(Duration time) {
        long end = now + time.toNanos();
        long due = now;
        for (; now < end; now += A_STEP.toNanos()) {
            if (now >= due || !onTheWay.isEmpty() || now + A_STEP.toNanos() >= end) {
                due = step();
            }
        }
    }

    /// Returns when the next step is due, if no frame arrives before.
    private long step() {
        running().forEach(node -> node.replicator.advanceTo(now));
        List<Traffic> arriving = List.copyOf(onTheWay);
        onTheWay.clear();
        for (Traffic traffic : arriving) {
            if (traffic.to.standsStill) {
                onTheWay.add(traffic);
            } else {
                watcher.accept(traffic);
                traffic.arrive();
            }
        }
        return running().mapToLong(Node::turn).min().orElse(Long.MAX_VALUE);
    }

    private Stream<Node> running() {
        return nodes.stream().filter(node -> !node.standsStill);
    }

    /// A node crashes, and the others notice.
    void kill(Node node) {
        nodes.remove(node);
        onTheWay.removeIf(traffic -> traffic.to.equals(node));
        connect();
    }

    void assertThatAllAgree() {
        Keyspace first = nodes.getFirst().keyspace;
        assertThat(nodes).allSatisfy(node -> {
            for (int partition = 0; partition < Keyspace.PARTITIONS; partition++) {
                assertThat(node.keyspace.digest(partition)).isEqualTo(first.digest(partition));
            }
        });
    }

    /// What a data directory remembers of nodes.
    private static final class NodesInMemory implements Registry.Store {
        private byte @Nullable [] saved;

        @Override
        public byte @Nullable [] load() {
            return saved;
        }

        @Override
        public void save(byte[] bytes) {
            saved = bytes;
        }
    }

    /// What a node knows to be in its journal.
    static final class Disk extends StandInTurnLog {
        private final Queue<Outcome> waiting = new ArrayDeque<>();

        /// As when it is full.
        boolean takesNothing;

        @Override
        protected void committed(Outcome outcome) {
            waiting.add(outcome);
            goOn();
        }

        void goOn() {
            while (!takesNothing && !waiting.isEmpty()) {
                waiting.remove().written();
            }
        }
    }

    /// A node of the cluster.
    final class Node implements Transport {
        final Keyspace keyspace;
        final Counters clients;
        final Records records;
        final Replicator replicator;
        final Self self;
        private final Registry.Store nodesOnDisk;

        /// As by SIGSTOP.
        boolean standsStill;

        /// What its data directory remembers, and whether it takes anything new.
        Standing standingOnDisk;

        boolean standingIsWritten = true;

        /// While it hangs, writes of the standing neither succeed nor fail.
        boolean standingHangs;

        private final Queue<Runnable> standingWrites = new ArrayDeque<>();

        final Disk disk = new Disk();
        private final Queue<Runnable> mailbox = new ArrayDeque<>();
        Set<Node> reach = Set.of(this);
        private List<ReplicaId> view = List.of();
        private final List<Kind> sent = new ArrayList<>();
        private long bytesSent;

        Node(Keyspace keyspace, ReplicationSettings settings, Self self, Standing standing, Registry.Store nodes) {
            this.keyspace = keyspace;
            standingOnDisk = standing;
            nodesOnDisk = nodes;
            this.self = self;
            clients =
                    new Counters(keyspace, ChangeLog.NONE, keyspace.ownChanges().newRing());
            records = new Records(
                    new Registry(self, session(), nodes), new Chronicle(self, session(), () -> 0, (_, _) -> {}));
            replicator = new Replicator(
                    new Replicator.Ports(
                            keyspace,
                            disk,
                            this,
                            this::save,
                            () -> random.applyAsLong(keyspace.replicas().own().high()),
                            () -> now,
                            () -> 1_000_000
                                    + now / 1_000_000
                                    + clocks.getOrDefault(session().high(), 0L),
                            millis -> corrections.put(session().high(), millis - 1_000_000),
                            mailbox::add,
                            reason -> {
                                throw new FatalException(reason);
                            }),
                    self,
                    settings,
                    records,
                    standing);
        }

        private void save(Standing standing, Runnable done, Runnable failed) {
            standingWrites.add(() -> {
                if (standingIsWritten) {
                    standingOnDisk = standing;
                    mailbox.add(done);
                } else {
                    mailbox.add(failed);
                }
            });
            writeStandings();
        }

        private void writeStandings() {
            while (!standingHangs && !standingWrites.isEmpty()) {
                standingWrites.remove().run();
            }
        }

        ReplicaId session() {
            return keyspace.replicas().own();
        }

        /// The kinds of frames that were sent, in their order, but for beats and what people are told.
        List<Kind> sent() {
            return sent.stream()
                    .filter(kind -> !OF_THE_BACKGROUND.contains(kind))
                    .toList();
        }

        long bytesSent() {
            return bytesSent;
        }

        void add(String key, long amount) {
            clients.add(key(key), amount);
        }

        void expireAt(String key, long epochMillis) {
            clients.expireAt(CounterType.PNCOUNT, key(key), epochMillis);
        }

        void delete(String key) {
            clients.delete(key(key));
        }

        long value(String key) {
            clients.read(CounterType.PNCOUNT, key(key));
            return clients.value();
        }

        private static Key key(String name) {
            return Key.of(name.getBytes(StandardCharsets.UTF_8));
        }

        /// Returns when the next turn is due, if no frame arrives before.
        private long turn() {
            writeStandings();
            for (Runnable task = mailbox.poll(); task != null; task = mailbox.poll()) {
                task.run();
            }
            long pause = 0;
            for (int i = 0; i < 100 && pause == 0; i++) {
                pause = replicator.onTime(now);
            }
            return mailbox.isEmpty() ? now + pause : now;
        }

        @Override
        public void multicast(byte[] frame) {
            sent.add(kind(frame));
            bytesSent += frame.length;
            nodes.stream()
                    .filter(node -> !node.equals(this))
                    .filter(node -> !multicastsToMembers || view.contains(node.session()))
                    .forEach(node -> post(node, frame));
        }

        @Override
        public void send(ReplicaId to, byte[] frame) {
            if (view.contains(to)) {
                postTo(to, frame);
            } else {
                sendUnreliably(to, frame);
            }
        }

        @Override
        public void sendUnreliably(ReplicaId to, byte[] frame) {
            if (frame.length <= LONGEST_DATAGRAM) {
                postTo(to, frame);
            }
        }

        private void postTo(ReplicaId to, byte[] frame) {
            sent.add(kind(frame));
            bytesSent += frame.length;
            nodes.stream().filter(node -> node.session().equals(to)).forEach(node -> post(node, frame));
        }

        private void post(Node to, byte[] frame) {
            Traffic traffic = new Traffic(this, to, kind(frame), frame);
            if (reach.contains(to) && !drops.test(traffic)) {
                onTheWay.add(traffic);
            }
        }
    }

    private static Kind kind(byte[] frame) {
        Kind kind = Kind.ofCode(frame[3]);
        if (kind == null) {
            throw new AssertionError("a frame of no kind");
        }
        return kind;
    }
}
