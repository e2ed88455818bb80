package io.tallis.sim;

import io.tallis.crdt.CounterType;
import io.tallis.keyspace.TurnLog;
import io.tallis.testing.Gen;
import java.util.List;

/// The clients of all nodes: they add, subtract, set, delete, read, and sometimes use `WAIT`.
///
/// What they read is checked against the specification.
final class Clients {
    private static final int MOST_CHANGES_A_TURN = 3;
    private static final int BURST = 150;
    private static final long LONGEST_WAIT_NANOS = 500_000_000;

    private final World world;
    private final Gen gen;
    private boolean stopped;
    private long acknowledged;

    Clients(World world) {
        this.world = world;
        gen = new Gen(world.gen().between(0, Long.MAX_VALUE));
    }

    long acknowledged() {
        return acknowledged;
    }

    void start() {
        world.events().in(gen.between(0, 2 * world.scenario().clientNanos()), () -> {
            if (!stopped) {
                act();
                start();
            }
        });
    }

    void stop() {
        stopped = true;
    }

    private void act() {
        List<Session> serving = world.living().filter(Session::serves).toList();
        if (!serving.isEmpty()) {
            turn(gen.pick(serving), gen.between(1, MOST_CHANGES_A_TURN));
        }
    }

    /// One session's clients make many new counters.
    void burst(Session session) {
        Session.Loop loop = session.loop();
        String prefix = "burst" + gen.between(1, 3) + "-".repeat(gen.pick(1, 300, 3_000));
        int count = gen.between(1, BURST);
        for (int i = 0; i < count; i++) {
            add(session, loop, new CellName(CounterType.PNCOUNT, prefix + i), gen.between(1, 9));
        }
        commit(session, loop);
    }

    private void turn(Session session, int changes) {
        Session.Loop loop = session.loop();
        for (int i = 0; i < changes; i++) {
            change(session, loop, anyCell());
        }
        commit(session, loop);
    }

    /// One session's client makes one change.
    void changeOne(Session session) {
        turn(session, 1);
    }

    /// One session's client adds 1.
    void addOne(Session session, CellName cell) {
        Session.Loop loop = session.loop();
        add(session, loop, cell, 1);
        commit(session, loop);
    }

    private CellName anyCell() {
        int number = gen.between(1, world.scenario().keys());
        CounterType type = gen.pick(CounterType.GCOUNT, CounterType.PNCOUNT, CounterType.FIELD);
        return type == CounterType.FIELD
                ? CellName.field("h" + number % 2, "k" + number)
                : new CellName(type, "k" + number);
    }

    private void change(Session session, Session.Loop loop, CellName cell) {
        switch (gen.between(0, 9)) {
            case 0 -> {
                // What is deleted may be purged, see PurgingClients.
                if (world.purging().happens()) {
                    read(session, loop, cell);
                } else {
                    delete(session, loop, cell);
                }
            }
            case 1 -> {
                if (cell.type() != CounterType.GCOUNT) {
                    set(session, loop, cell, gen.between(-9, 9));
                } else {
                    read(session, loop, cell);
                }
            }
            case 2 -> read(session, loop, cell);
            default ->
                add(
                        session,
                        loop,
                        cell,
                        cell.type() == CounterType.GCOUNT || gen.chance(60)
                                ? gen.between(1, 100)
                                : -gen.between(1, 100));
        }
    }

    private void add(Session session, Session.Loop loop, CellName cell, long delta) {
        note(session, loop, cell, false, Math.max(0, delta), Math.max(0, -delta));
        if (!cell.add(loop.counters(), delta)) {
            throw new Violation(cell + " takes no " + delta);
        }
    }

    private void set(Session session, Session.Loop loop, CellName cell, long value) {
        CellState before = session.memory().of(cell);
        Assigned next = before.assigned()
                .then(value, session.epochMillis(), session.id().low());
        note(session, loop, world.history().assign(session.number(), cell, before, next));
        cell.assign(loop.counters(), value);
    }

    private void delete(Session session, Session.Loop loop, CellName cell) {
        boolean exists = session.memory().of(cell).exists();
        if (exists) {
            note(session, loop, cell, true, 0, 0);
        } else {
            // It may be recorded again.
            session.expect(session.memory().of(cell));
        }
        if (loop.counters().delete(cell.type(), cell.toKey()) != exists) {
            throw new Violation("%s is deleted by %s, expected that it exists: %s".formatted(cell, session, exists));
        }
    }

    private void note(Session session, Session.Loop loop, CellName cell, boolean reset, long up, long down) {
        note(
                session,
                loop,
                world.history().change(session.number(), cell, session.memory().of(cell), reset, up, down));
    }

    private void note(Session session, Session.Loop loop, Change change) {
        session.expect(change.after());
        loop.turns().acknowledge(change);
        world.trace().note(session.toString(), change, change.delta());
    }

    private void read(Session session, Session.Loop loop, CellName cell) {
        CellState state = session.memory().of(cell);
        boolean exists = loop.counters().read(cell.type(), cell.toKey());
        long value = loop.counters().value();
        long specified = world.history().value(cell, state);
        if (value != specified || exists != state.exists()) {
            throw new Violation("%s is worth %d to %s, specified is %d".formatted(cell, value, session, specified));
        }
    }

    private void commit(Session session, Session.Loop loop) {
        boolean waits = gen.chance(20);
        List<Change> made = loop.turns().promises().stream()
                .filter(Change.class::isInstance)
                .map(Change.class::cast)
                .toList();
        loop.turns().commit(new TurnLog.Outcome() {
            @Override
            public void written() {
                acknowledged += made.size();
                if (waits) {
                    waitForOthers(session, made);
                }
            }

            @Override
            public void lost() {}
        });
        session.tasks().wake();
    }

    /// `WAIT`: so many others as it tells must have the changes in their journals, and all that the process began with,
    /// which is what clients were told in its node's former lives.
    private void waitForOthers(Session session, List<Change> made) {
        long wanted = gen.between(0, world.scenario().machines());
        long patience = gen.between(0, LONGEST_WAIT_NANOS);
        session.tasks()
                .add(() -> session.replicator()
                        .await(wanted, patience, session::answers, count -> requireKnown(session, made, count)));
    }

    private void requireKnown(Session session, List<Change> made, int count) {
        for (Change change : made) {
            long known = world.everybody()
                    .filter(other -> other != session)
                    .filter(other -> world.history().includes(other.journalled(change.cell()), change))
                    .limit(count)
                    .count();
            if (known < count) {
                throw new Violation("WAIT tells %s that %d others have its change, and %d do: %s"
                        .formatted(session, count, known, change));
            }
        }
        long known = world.everybody()
                .filter(other ->
                        other != session && other.isInJournal(session.claims().beganWith()))
                .limit(count)
                .count();
        if (known < count) {
            throw new Violation("WAIT tells %s that %d others have all that it began with, and %d do"
                    .formatted(session, count, known));
        }
    }
}
