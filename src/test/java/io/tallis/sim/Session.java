package io.tallis.sim;

import io.tallis.cluster.ReplicationSettings;
import io.tallis.cluster.Replicator;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Transport;
import io.tallis.cluster.join.JoiningSettings;
import io.tallis.cluster.peer.Beat;
import io.tallis.cluster.peer.FoldNews;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Purge;
import io.tallis.cluster.peer.PurgeNews;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Registry;
import io.tallis.cluster.records.Self;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.EntryRing;
import io.tallis.keyspace.Fold;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Sweeper;
import io.tallis.testing.Gen;
import io.tallis.wire.MalformedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// A process: the product's keyspace and replicator on a simulated disk, network and clock.
final class Session implements Network.Station {
    private static final long LONGEST_LOOK_NANOS = 100_000_000;
    private static final int LOOPS = 2;
    private static final long SYNC_NANOS = 1_000_000_000;
    private static final Duration LITTLE_PATIENCE = Duration.ofSeconds(1);

    /// A pull takes some sixty frames.
    private static final Duration LITTLE_PATIENCE_IN_BAD_WEATHER = Duration.ofSeconds(10);

    private static final long SWEEP_NANOS = 100_000_000;
    private static final long LOOK_NANOS = 100_000_000;

    /// Of the rotation where keys expire: nothing else brings back what one node has dropped and another has not.
    private static final long ROTATION_BYTES_PER_SECOND = 1 << 16;

    private static final long LATEST_CLOCK = 1L << 60;
    private static final long LONGEST_HOLD_NANOS = 5_000_000_000L;
    private static final long LONGEST_REACHABLE_NANOS = 2_000_000_000;
    private static final long LONGEST_DOWN_NANOS = 2_000_000_000;
    private static final long LEAVE_NANOS = 1_000_000_000;

    /// The thread that runs commands, and the change that it is about to make.
    record Loop(Counters counters, SimulatedTurns turns) {}

    private final World world;
    private final Machine machine;
    private final Gen gen;
    private final ReplicaId id;
    private final int number;
    private final Keyspace keyspace;
    private final Sweeper sweeper;
    private final Memory memory;
    private final Map<CellName, CellState> journalled = new HashMap<>();
    private final DiskQueue disk;
    private final Rows reader;
    private final List<Loop> loops = new ArrayList<>();
    private final Registry registry;
    private final Replicator replicator;
    private final ReplicatorTasks tasks;
    private final JoiningSettings joining;
    private CellState expected = CellState.NOTHING;
    private long clockOffset;

    /// How far the time of day was ahead of simulated time at the beginning, as the process has decided; 0 as long as
    /// it has not.
    private long aheadMillis;

    private boolean leaving;
    private boolean ended;
    private long endedAt;
    private boolean wasAlone;

    private long standingWrittenAt;

    private final Claims claims;
    private final UUID uuid;

    /// What its last beat said of folds.
    private FoldNews folds = FoldNews.NONE;

    private int foldsMade;

    private boolean takesNothingFromLaterPurges;

    /// The names of the nodes that it pulled from, among other words.
    private final Set<String> providers = new HashSet<>();

    /// What its last beat said of purges, and the last purge that it knows.
    private PurgeNews purges = PurgeNews.NONE;

    private Purge purge;

    /// What it had when the present pull began, or else the last.
    private Map<CellName, CellState> beforePull = Map.of();

    private Session(World world, Machine machine) {
        this.world = world;
        this.machine = machine;
        gen = new Gen(world.gen().between(0, Long.MAX_VALUE));
        id = new ReplicaId(gen.between(1, Long.MAX_VALUE), gen.between(1, Long.MAX_VALUE));
        number = world.sessions().begin(id);
        joining = new JoiningSettings(
                gen.chance(50),
                gen.chance(10) ? JoiningSettings.FOR_EVER : Duration.ofSeconds(gen.between(1, 3)),
                Duration.ofSeconds(gen.pick(1, 10, 30)),
                machine.takeHold(),
                machine.takeDonor(),
                gen.pick(0, 1, 1, 1, 2),
                "cluster-seeds");
        clockOffset = gen.pick(0L, gen.between(-LATEST_CLOCK, LATEST_CLOCK));
        Replicas replicas = new Replicas(id);
        reader = new Rows(replicas);
        keyspace = new Keyspace(replicas, this::random, this::epochMillis);
        keyspace.expiry().persistent(true);
        keyspace.expiry().graceMillis(world.expiring().graceMillis());
        sweeper = new Sweeper(keyspace);
        memory = new Memory(world, this, keyspace);
        disk = new DiskQueue(world.events(), gen, machine.disk(), this::written);
        machine.disk().load(keyspace);
        memory.load();
        if (world.retrying().happens()) {
            world.telling().started(keyspace, machine);
            world.repeating().started(keyspace, machine);
        }
        foldsMade = keyspace.folds().made().size();
        journalled.putAll(memory.cells());
        claims = new Claims(world, this, journalled, machine.disk().standing());
        purge = machine.disk().standing().purge();
        for (int i = 0; i < LOOPS; i++) {
            var turns = new SimulatedTurns(
                    replicas, disk, this::epochMillis, (cell, counter) -> memory.changed(cell, counter, expected));
            EntryRing entries = keyspace.ownChanges().newRing(1 << gen.between(6, 12));
            loops.add(new Loop(new Counters(keyspace, turns, entries), turns));
        }
        tasks = new ReplicatorTasks(world.events(), () -> lookAtClock(), () -> step(), () -> congested());
        uuid = machine.self().uuid();
        registry = new Registry(machine.self(), id, nodes());
        replicator = newReplicator(listening(world.network().connect(this)));
    }

    /// Starts a process on a machine that is down.
    static Session start(World world, Machine machine) {
        Session session = new Session(world, machine);
        machine.session(session);
        session.syncDiskFromTimeToTime();
        if (world.expiring().happens()) {
            session.sweepFromTimeToTime();
            session.ageFromTimeToTime();
        }
        if (world.purging().happens()) {
            session.lookAtPurgedFromTimeToTime();
        }
        session.tellToServe();
        session.claims.begin();
        world.network().views().begin(session, session::look);
        world.trace()
                .note(
                        session.toString(),
                        "starts on " + machine.name(),
                        session.memory.cells().size());
        return session;
    }

    private Registry.Store nodes() {
        if (!world.folding().happens() && !world.purging().happens()) {
            return Registry.Store.NONE;
        }
        if (world.folding().gen().chance(world.folding().lostPercent())) {
            machine.disk().loseNodes();
        }
        return machine.disk().nodes();
    }

    private Transport listening(Transport transport) {
        return new Transport() {
            @Override
            public void multicast(byte[] frame) {
                noteNews(frame);
                transport.multicast(frame);
            }

            @Override
            public void send(ReplicaId to, byte[] frame) {
                noteNews(frame);
                transport.send(to, frame);
            }

            @Override
            public void sendUnreliably(ReplicaId to, byte[] frame) {
                noteNews(frame);
                transport.sendUnreliably(to, frame);
            }
        };
    }

    private void noteNews(byte[] frame) {
        boolean isOfUse = world.folding().happens() || world.purging().happens();
        if (isOfUse && FrameCount.isBeat(frame)) {
            try {
                Beat beat = Beat.read(Frame.read(frame, machine.newestVersion()).body());
                if (!beat.folds().equals(folds)) {
                    world.folds().goOn();
                }
                if (!beat.purges().equals(purges)) {
                    world.trace().note(toString(), beat.purges(), beat.purges().proposal());
                    world.purged().goOn();
                }
                folds = beat.folds();
                world.folds().told(this, folds);
                purges = beat.purges();
            } catch (Frame.BadFrameException | MalformedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /// Runs a task of the replicator, which may make a fold.
    private void addTask(Runnable task) {
        tasks.add(() -> {
            task.run();
            List<Fold> made = keyspace.folds().made();
            made.subList(foldsMade, made.size()).forEach(fold -> world.folds().made(this, fold));
            foldsMade = made.size();
        });
    }

    /// The product ends the process.
    private void endFor(String reason) {
        if (reason.contains("without this node")) {
            endBehind();
        } else {
            endFolded();
        }
    }

    /// The others have folded this session. It ends, and its node starts again.
    private void endFolded() {
        world.folds().requireFolded(this);
        endSoon(world.folding().gen(), () -> {});
    }

    /// The others have purged without this node. It ends, and an operator empties its disk.
    private void endBehind() {
        endAndStartEmpty(() -> world.purged().refused(this));
    }

    /// An operator empties its disk.
    void startEmpty() {
        endAndStartEmpty(() -> {});
    }

    private void endAndStartEmpty(Runnable whenDown) {
        Gen gen = world.purging().gen();
        endSoon(gen, () -> {
            whenDown.run();
            machine.wipe(gen);
            world.purged().onLoss();
        });
    }

    private void endSoon(Gen gen, Runnable whenDown) {
        world.events().in(0, () -> {
            if (!ended) {
                end();
                whenDown.run();
                world.events().in(gen.between(0, LONGEST_DOWN_NANOS), () -> {
                    if (machine.session() == null && !machine.retired()) {
                        world.start(machine);
                    }
                });
            }
        });
    }

    private void look(List<ReplicaId> members) {
        wasAlone |= members.size() == 1;
        tasks.add(() -> replicator.onView(members));
    }

    private Replicator newReplicator(Transport transport) {
        var turns = new SimulatedTurns(keyspace.replicas(), disk, this::epochMillis, memory::merged);
        var ports = new Replicator.Ports(
                keyspace,
                turns,
                transport,
                this::saveStanding,
                this::random,
                this::clock,
                () -> world.timeOfDay().offsetMillis(machine.number()) + nowMillis(),
                this::timeStarts,
                this::addTask,
                this::endFor);
        Self self = machine.self();
        ReplicaId id = keyspace.replicas().own();
        var records = new Records(registry, new Chronicle(self, id, () -> 0, (_, event) -> happened(event.text())));
        return new Replicator(ports, self, settings(), records, machine.disk().standing());
    }

    /// Checks an event. Long after all trouble is over no node may give up being in step, except those whose join
    /// timeout is so short that retransmissions exceed it.
    private void happened(String what) {
        world.trace().note(toString(), what, 0);
        if (what.startsWith("pulls from ")) {
            providers.addAll(List.of(what.split("[ ,]+")));
        }
        long patience = joining.joinTimeout().toNanos() + Simulation.SETTLE_NANOS;
        Duration little = world.scenario().weather().isBad() ? LITTLE_PATIENCE_IN_BAD_WEATHER : LITTLE_PATIENCE;
        if (joining.joinTimeout().compareTo(little) > 0
                && world.nanosSinceMended() > patience
                && what.contains("without being in step")) {
            throw new Violation("%s %s".formatted(this, what));
        }
        if (what.startsWith("takes no counters from nodes that have dropped")) {
            takesNothingFromLaterPurges = true;
        }
        if (what.startsWith("has the nodes fold")) {
            world.folds().decided(this);
        }
        if (what.startsWith("cannot take counters from nodes that have folded")) {
            world.folds().refused(this);
        }
        if (what.startsWith("serves: ")) {
            claims.serves(what);
        }
    }

    /// Whether it has said that others purged without it, and that they have to start with empty directories.
    boolean takesNothingFromLaterPurges() {
        return takesNothingFromLaterPurges;
    }

    /// Whether it began to pull from a node of this machine.
    boolean hasPulledFrom(Machine other) {
        return providers.contains(other.name());
    }

    /// Whether nothing but time keeps it from serving.
    boolean mayServeByItself() {
        return replicator.standing().complete()
                && !joining.hold()
                && !joining.aloneTimeout().equals(JoiningSettings.FOR_EVER);
    }

    /// Whether such a session is in its view.
    boolean sees(Predicate<Session> which) {
        return world.everybody()
                .anyMatch(other -> which.test(other)
                        && other != this
                        && world.network().views().sees(id, other.id));
    }

    /// Whether its journal has all of `state`.
    boolean isInJournal(Map<CellName, CellState> all) {
        return all.entrySet().stream()
                .allMatch(cell -> journalled(cell.getKey()).covers(cell.getValue()));
    }

    /// Its disk takes some time for it, and refuses it at times; later ones are written later.
    private void saveStanding(Standing standing, Runnable done, Runnable failed) {
        boolean isRefused = gen.chance(5);
        standingWrittenAt = Math.max(standingWrittenAt, world.events().now() + gen.between(0, LONGEST_LOOK_NANOS));
        world.events().in(standingWrittenAt - world.events().now(), () -> {
            if (ended) {
                return;
            }
            if (isRefused) {
                tasks.add(failed);
            } else if (standing.complete()) {
                disk.whenWritten(() -> {
                    machine.disk().sync();
                    write(standing, done);
                });
            } else {
                write(standing, done);
            }
        });
    }

    private void write(Standing standing, Runnable done) {
        if (standing.complete() && !machine.disk().standing().complete()) {
            machine.joined(world.machines().stream().filter(this::hasPulledFrom));
        }
        machine.disk().standing(standing);
        world.trace().note(toString(), standing, standing.readyFor());
        tasks.add(done);
        if (!standing.purge().equals(Purge.NONE) || standing.readyFor() != 0) {
            world.purged().goOn();
        }
    }

    /// The time of day as its machine's clock tells it, and the process corrects it.
    long epochMillis() {
        return aheadMillis == 0
                ? world.timeOfDay().millis(machine.number())
                : world.timeOfDay().elapsedMillis() + aheadMillis;
    }

    private void timeStarts(long millis) {
        long ahead = millis + TimeUnit.NANOSECONDS.toMillis(clock()) - nowMillis();
        boolean isStep = Math.abs(ahead - aheadMillis) > TimeOfDay.LITTLE_MILLIS / 2;
        if (isStep) {
            world.timeOfDay().look();
        }
        aheadMillis = ahead;
        if (isStep) {
            world.timeOfDay().look();
        }
    }

    private long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(world.events().now());
    }

    private ReplicationSettings settings() {
        return new ReplicationSettings(
                joining,
                world.scenario().bulkBytesPerSecond(),
                world.expiring().happens()
                        ? ROTATION_BYTES_PER_SECOND
                        : world.scenario().rotationBytesPerSecond(),
                Long.MAX_VALUE,
                machine.newestVersion(),
                world.folding().afterNanos());
    }

    private long random() {
        return gen.between(Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private void lookAtClock() {
        replicator.advanceTo(clock());
    }

    private long step() {
        boolean pulled = replicator.isPulling();
        JoinState before = replicator.state();
        long due = replicator.onTime(clock());
        if (before != JoinState.PULLING && replicator.state() == JoinState.PULLING) {
            claims.pullBegins();
        }
        claims.standing(replicator.standing());
        if (!replicator.standing().purge().equals(purge)) {
            purge = replicator.standing().purge();
            world.purged().noted(purge);
        }
        if (!pulled && replicator.isPulling()) {
            beforePull = Map.copyOf(memory.cells());
        }
        return due;
    }

    private long clock() {
        return clockOffset + world.events().now();
    }

    private boolean congested() {
        return replicator.congested();
    }

    private void written(List<Disk.Entry> entries) {
        for (Disk.Entry entry : entries) {
            if (entry instanceof Disk.Row row && row.cell().isInHistory()) {
                // It may be older than another thread's row that is there already.
                CellState state = memory.stateOf(row.cell(), reader.read(row), CellState.NOTHING);
                journalled.merge(row.cell(), state, CellState::join);
            }
        }
    }

    /// The operator who set `cluster-hold` may say `SYSTEM READY` before the node has all.
    private void tellToServe() {
        if (joining.hold()) {
            world.events().in(gen.between(0, LONGEST_HOLD_NANOS), this::serve);
        }
    }

    /// `SYSTEM READY`.
    void serve() {
        claims.isToldToServe();
        if (!replicator.standing().complete()) {
            machine.leaveOut();
            world.machines().stream()
                    .filter(other -> !registry.nodes().contains(other.self().uuid()))
                    .forEach(Machine::leaveOut);
        }
        tasks.add(replicator::ready);
    }

    private void syncDiskFromTimeToTime() {
        world.events().in(SYNC_NANOS, () -> {
            if (!ended) {
                machine.disk().sync();
                syncDiskFromTimeToTime();
            }
        });
    }

    private void sweepFromTimeToTime() {
        world.events().in(SWEEP_NANOS / world.expiring().rate(), () -> {
            if (!ended) {
                if (!tasks.frozen()) {
                    sweep();
                }
                look();
                sweepFromTimeToTime();
            }
        });
    }

    /// Ends and drops what is due, and folds some cells.
    void sweep() {
        sweeper.run();
        boolean _ = sweeper.fold();
    }

    /// Notes what it shows of keys that expire.
    void look() {
        Set<CellName> present = new HashSet<>();
        for (int i = 0; i < CrowdedNames.PARTITIONS; i++) {
            keyspace.visitAll(CrowdedNames.FIRST_PARTITION + i, (type, key, cell) -> {
                CellName name = CellName.of(type, key);
                if (name.isDropped()) {
                    present.add(name);
                    world.lives().observe(this, name, cell);
                }
            });
        }
        world.lives().observeOthersAreGone(this, present);
    }

    private void lookAtPurgedFromTimeToTime() {
        world.events().in(LOOK_NANOS, () -> {
            if (!ended) {
                world.purged().look(this);
                lookAtPurgedFromTimeToTime();
            }
        });
    }

    private void ageFromTimeToTime() {
        world.events().in(world.expiring().graceNanos(), () -> {
            if (!ended) {
                keyspace.age();
                ageFromTimeToTime();
            }
        });
    }

    // As others see it

    @Override
    public ReplicaId id() {
        return id;
    }

    @Override
    public int machine() {
        return machine.number();
    }

    @Override
    public boolean answers() {
        return !ended && !tasks.frozen();
    }

    @Override
    public void onFrame(ReplicaId from, byte[] frame, boolean mayDrop) {
        Runnable take = () -> replicator.onFrame(from, frame);
        tasks.addFrame(take, Replicator.bringsCells(frame), mayDrop);
    }

    // As the simulation sees it

    int number() {
        return number;
    }

    UUID uuid() {
        return uuid;
    }

    FoldNews folds() {
        return folds;
    }

    PurgeNews purges() {
        return purges;
    }

    Machine host() {
        return machine;
    }

    Keyspace keyspace() {
        return keyspace;
    }

    Memory memory() {
        return memory;
    }

    Claims claims() {
        return claims;
    }

    boolean ended() {
        return ended;
    }

    /// Whether it runs, or may still be reachable for others.
    boolean livedLately() {
        return !ended || world.events().now() - endedAt < LONGEST_REACHABLE_NANOS;
    }

    /// All that the journal has now.
    Map<CellName, CellState> journalled() {
        return Map.copyOf(journalled);
    }

    /// What the journal has of a counter.
    CellState journalled(CellName cell) {
        return journalled.getOrDefault(cell, CellState.NOTHING);
    }

    DiskQueue disk() {
        return disk;
    }

    Replicator replicator() {
        return replicator;
    }

    Registry registry() {
        return registry;
    }

    ReplicatorTasks tasks() {
        return tasks;
    }

    /// Whether clients are served.
    boolean serves() {
        return answers() && !leaving && ready() && !disk.congested();
    }

    boolean ready() {
        return replicator.state() == JoinState.READY;
    }

    /// Whether it was ever alone in its view.
    boolean wasAlone() {
        return wasAlone;
    }

    Loop loop() {
        return gen.pick(loops);
    }

    /// What the next change of a client will make of its cell.
    void expect(CellState state) {
        expected = state;
    }

    void jumpClock(long nanos) {
        // Where keys expire, the time of day goes on with monotonic time, which does not jump.
        clockOffset += world.expiring().happens() ? 0 : nanos;
        tasks.wake();
    }

    /// The process stops in good order: serves nobody, tells the others, and waits a little for one who has all that is
    /// here.
    void leave() {
        leaving = true;
        tasks.add(() -> {
            Map<CellName, CellState> all = Map.copyOf(memory.cells());
            Map<CellName, CellState> before = replicator.isPulling() ? beforePull : all;
            replicator.leaves();
            replicator.awaitOneWithAll(LEAVE_NANOS, count -> {
                if (count > 0) {
                    requireAmongOthers(all, replicator.isPulling() ? before : all);
                }
                world.events().in(0, this::stop);
            });
        });
    }

    boolean leaving() {
        return leaving;
    }

    /// Throws if this session has something that no session in its reach has, so that it would be lost. After it stood
    /// still some may be in its reach that have ended long ago. Own changes are sent while the journal writes them; if
    /// the session ends before, their clients got no reply. What a present pull brought was in the memory of another
    /// session, whose journal need not have it; what was here before the pull has to be in a journal.
    private void requireAmongOthers(Map<CellName, CellState> all, Map<CellName, CellState> before) {
        Set<ReplicaId> inReach = replicator.status().peers().stream()
                .map(peer -> peer.identity().session())
                .collect(Collectors.toSet());
        List<Session> others = world.everybody()
                .filter(other -> other != this && (other.livedLately() || inReach.contains(other.id)))
                .toList();
        all.forEach((cell, state) -> {
            CellState old = before.getOrDefault(cell, CellState.NOTHING);
            requireAmong(others, cell, memory.madeOf(cell).join(old), false);
            requireAmong(others, cell, state, true);
        });
    }

    private void requireAmong(List<Session> others, CellName cell, CellState state, boolean inMemory) {
        CellState known = others.stream()
                .map(other -> inMemory
                        ? other.memory.of(cell)
                        : other.journalled(cell).join(other.memory.madeOf(cell)))
                .reduce(CellState.NOTHING, CellState::join);
        if (!known.covers(state)) {
            throw new Violation("%s leaves and is told that others have all that it has; %s is %s, they have %s"
                    .formatted(this, cell, state, known));
        }
    }

    /// The process ends, and all that was handed to the disk is written.
    void stop() {
        if (!ended) {
            disk.writeAll();
            end();
            machine.disk().sync();
        }
    }

    /// The process is killed.
    void end() {
        ended = true;
        endedAt = world.events().now();
        tasks.end();
        disk.drop();
        machine.session(null);
        world.network().disconnect(id);
        world.network().views().end(id);
        world.trace().note(toString(), "is gone from " + machine.name(), 0);
    }

    @Override
    public String toString() {
        return "s" + number;
    }
}
