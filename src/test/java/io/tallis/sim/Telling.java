package io.tallis.sim;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.testing.Gen;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Clients that keep their own totals and tell them to any node, again and again, whether they were heard or not: in
/// the end each total counts once, whatever happened to the nodes that it was told to.
///
/// Others add to the same counters, and delete some of them.
final class Telling {
    private static final int KEYS = 3;
    private static final int SOURCES = 3;
    private static final int MOST_TELLS_A_TURN = 4;
    private static final long LEAST_PAUSE_NANOS = 3_000_000;
    private static final long MOST_PAUSE_NANOS = 30_000_000;
    private static final long STEP_NANOS = 20_000_000;

    private static final Totals NOTHING = new Totals(0, 0);

    /// One source's totals of one counter: what its client has counted, and has told at any time.
    private static final class Source {
        private final CellName cell;
        private final ReplicaId id;
        private final List<Totals> told = new ArrayList<>(List.of(new Totals(0, 0)));

        /// What deletes may have reset.
        private final Set<Totals> deleted = new HashSet<>(told);

        Source(CellName cell, ReplicaId id) {
            this.cell = cell;
            this.id = id;
        }

        Totals now() {
            return told.getLast();
        }

        @Override
        public String toString() {
            return "%s of %s, told %s".formatted(id, cell, now());
        }
    }

    private record Totals(long added, long subtracted) {
        Totals join(Totals other) {
            return new Totals(Math.max(added, other.added), Math.max(subtracted, other.subtracted));
        }

        boolean covers(Totals other) {
            return added >= other.added && subtracted >= other.subtracted;
        }
    }

    /// A client was answered.
    private record Told(Source source, Totals totals) implements Promise {}

    private record Deleted(Map<Source, Totals> totals) implements Promise {}

    private final World world;
    private final Gen gen;
    private final Visits visits;
    private final Map<CellName, List<Source>> sources = new HashMap<>();
    private final Map<Source, Totals> promised = new HashMap<>();
    private final Map<Source, Totals> promisedReset = new HashMap<>();
    private long tells;

    /// A counter that is never deleted: what was is sent and recorded whole.
    private final CellName never = new CellName(CounterType.PNCOUNT, CellName.RETRIED + "total 1");

    Telling(World world) {
        this.world = world;
        gen = world.retrying().gen();
        visits = new Visits(world, gen, gen.between(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS), this::turn);
        for (int key = 0; key < KEYS; key++) {
            CellName cell = new CellName(
                    key == 0 ? CounterType.GCOUNT : CounterType.PNCOUNT, CellName.RETRIED + "total " + key);
            List<Source> of = new ArrayList<>();
            for (int i = 1; i <= SOURCES; i++) {
                of.add(new Source(cell, ReplicaId.ofSource(i, 0)));
            }
            sources.put(cell, of);
        }
    }

    void start() {
        if (world.retrying().happens()) {
            visits.start();
        }
    }

    void stop() {
        visits.stop();
    }

    long tells() {
        return tells;
    }

    private Source anySource() {
        return gen.pick(sources.get(anyCell()));
    }

    private CellName anyCell() {
        return gen.pick(sources.keySet().stream()
                .sorted((left, right) -> left.key().compareTo(right.key()))
                .toList());
    }

    private void turn(Session session) {
        Session.Loop loop = session.loop();
        for (int i = gen.between(1, MOST_TELLS_A_TURN); i > 0; i--) {
            switch (gen.between(0, 9)) {
                case 0 -> {
                    CellName cell = anyCell();
                    if (!cell.equals(never)) {
                        delete(session, loop, cell);
                    }
                }
                case 1 -> add(loop, anyCell());
                // What lay in the network for long, or the second try of a client that has counted more since.
                case 2, 3 -> {
                    Source source = anySource();
                    tell(session, loop, source, gen.pick(source.told));
                }
                case 4, 5 -> {
                    Source source = anySource();
                    tell(session, loop, source, source.now());
                }
                default -> {
                    Source source = anySource();
                    long down = source.cell.type() == CounterType.GCOUNT ? 0 : gen.between(0, 20);
                    source.told.add(
                            new Totals(source.now().added + gen.between(0, 99), source.now().subtracted + down));
                    tell(session, loop, source, source.now());
                }
            }
        }
        commit(session, loop);
    }

    private static void add(Session.Loop loop, CellName cell) {
        if (cell.type() == CounterType.GCOUNT) {
            loop.counters().grow(cell.toKey(), 1);
        } else if (!loop.counters().add(cell.toKey(), 1)) {
            throw new Violation(cell + " takes no 1");
        }
    }

    private void tell(Session session, Session.Loop loop, Source source, Totals totals) {
        tells++;
        Counters counters = loop.counters();
        int number = session.keyspace().replicas().numberOfSource(source.id);
        Counters.Increment done =
                counters.takeTotals(source.cell.type(), source.cell.toKey(), number, totals.added, totals.subtracted);
        Totals known = new Totals(counters.sourceAdded(), counters.sourceSubtracted());
        if (done != Counters.Increment.DONE
                || !known.covers(totals)
                || !source.now().covers(known)) {
            throw new Violation("%s of %s are %s: %s answers %s".formatted(totals, source, done, session, known));
        }
        loop.turns().acknowledge(new Told(source, totals));
        world.trace().note(session.toString(), source + ": " + totals, tells);
    }

    private void delete(Session session, Session.Loop loop, CellName cell) {
        loop.counters().read(cell.type(), cell.toKey());
        Map<Source, Totals> seen = new HashMap<>();
        sources.get(cell).forEach(source -> {
            Totals totals = totals(source, loop.counters().cell(), session, Counter.P, Counter.N);
            seen.put(source, totals);
            source.deleted.add(totals);
        });
        loop.counters().delete(cell.type(), cell.toKey());
        loop.turns().acknowledge(new Deleted(seen));
        world.trace().note(session.toString(), "deletes " + cell, seen.size());
    }

    private static Totals totals(Source source, Cell cell, Session session, int up, int down) {
        return totals(source, cell, session.keyspace(), up, down);
    }

    private static Totals totals(Source source, Cell cell, Keyspace keyspace, int up, int down) {
        Replicas replicas = keyspace.replicas();
        int shard = cell.counts().find(replicas.numberOf(source.id));
        return shard < 0
                ? new Totals(0, 0)
                : new Totals(cell.counts().low(shard, up), cell.counts().low(shard, down));
    }

    private static void commit(Session session, Session.Loop loop) {
        loop.turns().commit(new TurnLog.Outcome() {
            @Override
            public void written() {}

            @Override
            public void lost() {}
        });
        session.tasks().wake();
    }

    /// No node knows more of a source than its client has told.
    void observe(Session session, CellName name, Cell cell) {
        for (Source source : sources.getOrDefault(name, List.of())) {
            Totals known = totals(source, cell, session, Counter.P, Counter.N);
            Totals reset = totals(source, cell, session, Counter.RP, Counter.RN);
            if (!source.now().covers(known) || !known.covers(reset)) {
                throw new Violation("%s, %s knows %s, of which %s are reset".formatted(source, session, known, reset));
            }
        }
    }

    /// A process has loaded what its disk has: that is all that clients were told by the processes before it (I7).
    void started(Keyspace keyspace, Machine machine) {
        Counters counters = new Counters(keyspace, ChangeLog.NONE);
        for (Told told : machine.disk().acknowledged(Told.class)) {
            counters.read(told.source.cell.type(), told.source.cell.toKey());
            Totals known = totals(told.source, counters.cell(), keyspace, Counter.P, Counter.N);
            if (!known.covers(told.totals)) {
                throw new Violation("%s has %s of %s, of which a client was told %s"
                        .formatted(machine.name(), known, told.source, told.totals));
            }
        }
    }

    /// Trouble is over: what clients were told is there (I7), and what each tells once more counts once.
    void end(long nanos) {
        gatherPromises();
        untilAllAre(nanos, "what clients were told", this::hasPromises);
        for (List<Source> of : sources.values()) {
            for (Source source : of) {
                Session session = gen.pick(world.living().toList());
                Session.Loop loop = session.loop();
                tell(session, loop, source, source.now());
                commit(session, loop);
            }
        }
        untilAllAre(nanos, "the totals of their clients", this::hasTotals);
        sources.keySet().forEach(this::requireEqual);
    }

    /// What clients were told by nodes whose disks are still there.
    private void gatherPromises() {
        for (List<Source> of : sources.values()) {
            for (Source source : of) {
                promised.put(source, NOTHING);
                promisedReset.put(source, NOTHING);
            }
        }
        for (Machine machine : world.machines()) {
            if (!machine.retired()) {
                machine.disk()
                        .acknowledged(Told.class)
                        .forEach(told -> promised.merge(told.source, told.totals, Totals::join));
                machine.disk()
                        .acknowledged(Deleted.class)
                        .forEach(deleted -> deleted.totals.forEach(
                                (source, totals) -> promisedReset.merge(source, totals, Totals::join)));
            }
        }
    }

    private interface Check {
        boolean holds(Session session, Source source, Totals known, Totals reset);
    }

    private void untilAllAre(long nanos, String what, Check check) {
        long end = world.events().now() + nanos;
        while (!firstUnlike(check).isEmpty()) {
            if (world.events().now() > end) {
                throw new Violation("not %s: %s".formatted(what, firstUnlike(check)));
            }
            world.events().runFor(STEP_NANOS);
        }
    }

    private String firstUnlike(Check check) {
        for (Session session : world.living().toList()) {
            for (List<Source> of : sources.values()) {
                for (Source source : of) {
                    Counters counters = session.loop().counters();
                    counters.read(source.cell.type(), source.cell.toKey());
                    Totals known = totals(source, counters.cell(), session, Counter.P, Counter.N);
                    Totals reset = totals(source, counters.cell(), session, Counter.RP, Counter.RN);
                    if (!check.holds(session, source, known, reset)) {
                        return "%s, %s knows %s, of which %s are reset".formatted(source, session, known, reset);
                    }
                }
            }
        }
        return "";
    }

    private boolean hasPromises(Session session, Source source, Totals known, Totals reset) {
        return known.covers(promised.get(source)) && reset.covers(promisedReset.get(source));
    }

    private boolean hasTotals(Session session, Source source, Totals known, Totals reset) {
        return known.equals(source.now()) && source.deleted.contains(reset);
    }

    private void requireEqual(CellName cell) {
        Set<String> values = new HashSet<>();
        world.living().forEach(session -> {
            Counters counters = session.loop().counters();
            boolean exists = counters.read(cell.type(), cell.toKey());
            values.add(exists + " " + counters.value());
        });
        if (values.size() > 1) {
            throw new Violation("%s is worth %s".formatted(cell, values));
        }
    }
}
