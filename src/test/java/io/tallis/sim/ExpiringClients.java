package io.tallis.sim;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Step;
import io.tallis.keyspace.TurnLog;
import io.tallis.testing.Gen;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Clients that use keys with deadlines: windows of a rate limit, each under a name of its own, and keys that are used
/// again and again.
///
/// What each command does on one node is checked at once, as on one Redis.
final class ExpiringClients {
    private static final int MOST_ACTS_A_TURN = 4;
    private static final long MOST_AMOUNT = 1L << 40;
    private static final long HOUR_MILLIS = 3_600_000;

    private final World world;
    private final Gen gen;
    private final CrowdedNames names;
    private final Visits visits;

    ExpiringClients(World world) {
        this.world = world;
        gen = new Gen(world.second().between(0, Long.MAX_VALUE));
        names = new CrowdedNames(CrowdedNames.EXPIRING);
        visits = new Visits(world, gen, world.expiring().clientNanos(), this::turn);
    }

    void start() {
        if (world.expiring().happens()) {
            visits.start();
        }
    }

    void stop() {
        visits.stop();
    }

    private void turn(Session session) {
        Session.Loop loop = session.loop();
        int count = gen.between(1, MOST_ACTS_A_TURN);
        for (int i = 0; i < count; i++) {
            if (gen.chance(50)) {
                useWindow(session, loop);
            } else {
                useAgain(session, loop);
            }
        }
        commit(session, loop);
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

    /// What a rate limit does: counts, and sets the deadline of a window that has none.
    private void useWindow(Session session, Session.Loop loop) {
        long length = world.expiring().windowMillis();
        useWindow(session, loop, "window" + session.epochMillis() / length, length);
    }

    private void useWindow(Session session, Session.Loop loop, String name, long length) {
        CellName cell = names.of(session, CounterType.PNCOUNT, name);
        increment(session, loop, cell, Counters.KEEP);
        if (!loop.counters().cell().life().hasDeadline()) {
            expire(session, loop, cell, session.epochMillis() + length);
        }
    }

    /// Every session counts in some windows that were never used before. Returns their names.
    Set<CellName> useFreshWindows(int count) {
        Set<CellName> cells = new LinkedHashSet<>();
        List<Session> living = world.living().toList();
        for (int i = 0; i < count; i++) {
            String name = "fresh" + i;
            Session session = gen.pick(living);
            Session.Loop loop = session.loop();
            useWindow(session, loop, name, world.expiring().windowMillis());
            commit(session, loop);
            cells.add(names.of(session, CounterType.PNCOUNT, name));
        }
        return cells;
    }

    private void useAgain(Session session, Session.Loop loop) {
        int key = gen.between(1, world.expiring().reusedKeys());
        CounterType type = switch (key % 4) {
            case 3 -> CounterType.GCOUNT;
            case 1 -> CounterType.FIELD;
            default -> CounterType.PNCOUNT;
        };
        use(session, loop, names.of(session, type, "again" + key));
    }

    /// One session's client does anything to this key.
    void use(Session session, Session.Loop loop, CellName cell) {
        int choice = gen.between(0, 99);
        boolean assigns = cell.type() != CounterType.GCOUNT;
        if (choice < 35) {
            increment(session, loop, cell, Counters.KEEP);
        } else if (choice < 50) {
            increment(session, loop, cell, Counters.KEEP);
            expire(session, loop, cell, session.epochMillis() + anyTime());
        } else if (choice < 58 && cell.type() == CounterType.PNCOUNT) {
            increment(session, loop, cell, session.epochMillis() + anyTime());
        } else if (choice < 75) {
            expire(session, loop, cell, session.epochMillis() + (gen.chance(10) ? -gen.between(0, 1_000) : anyTime()));
        } else if (choice < 81) {
            persist(session, loop, cell);
        } else if (choice < 88) {
            delete(session, loop, cell);
        } else if (assigns) {
            boolean keeps = cell.type() == CounterType.FIELD;
            long deadline = gen.pick(Counters.KEEP, Life.NEVER, session.epochMillis() + anyTime());
            assign(session, loop, cell, keeps ? Counters.KEEP : deadline);
        }
    }

    private long anyTime() {
        return switch (gen.between(0, 9)) {
            case 0 -> HOUR_MILLIS;
            case 1, 2 -> gen.between(10_000, 60_000);
            default -> gen.between(1, 3_000);
        };
    }

    /// What the session shows of the cell, and its deadline; checks the value.
    private Set<Act> look(Session session, Session.Loop loop, CellName cell) {
        boolean exists = loop.counters().read(cell.type(), cell.toKey());
        Set<Act> visible = world.lives()
                .visible(cell, loop.counters().cell(), session.keyspace().replicas());
        long value = visible.stream().mapToLong(act -> act.amount).sum();
        if (exists != !visible.isEmpty() || value != loop.counters().value()) {
            throw new Violation("%s is worth %d to %s, which shows %s"
                    .formatted(cell, loop.counters().value(), session, visible));
        }
        return visible;
    }

    private static long deadline(Session.Loop loop) {
        return loop.counters().cell().life().deadline();
    }

    private void increment(Session session, Session.Loop loop, CellName cell, long deadline) {
        Set<Act> before = look(session, loop, cell);
        long kept = before.isEmpty() ? Life.NEVER : deadline(loop);
        boolean down = cell.type() != CounterType.GCOUNT && gen.chance(20);
        long amount = gen.between(1, MOST_AMOUNT) * (down ? -1 : 1);
        Act act = world.lives().begin(Act.Kind.INCREMENT, cell, session, amount, before);
        act.isFirstDeadline = deadline != Counters.KEEP && kept == Life.NEVER;
        if (deadline == Counters.KEEP
                ? !cell.add(loop.counters(), amount)
                : loop.counters().increment(cell.toKey(), step(amount, deadline)) != Counters.Increment.DONE) {
            throw new Violation("%s refuses %d".formatted(cell, amount));
        }
        Set<Act> after = new LinkedHashSet<>(before);
        after.add(act);
        done(session, loop, act, after, deadline == Counters.KEEP ? kept : deadline);
    }

    private static Step step(long amount, long deadline) {
        return new Step(amount, Long.MIN_VALUE, Long.MAX_VALUE, false, false, false, false, deadline);
    }

    private void assign(Session session, Session.Loop loop, CellName cell, long deadline) {
        Set<Act> before = look(session, loop, cell);
        long kept = before.isEmpty() ? Life.NEVER : deadline(loop);
        long amount = gen.between(1, MOST_AMOUNT);
        Act act = world.lives().begin(Act.Kind.ASSIGN, cell, session, amount, before);
        if (deadline == Counters.KEEP) {
            cell.assign(loop.counters(), amount);
        } else {
            loop.counters().assign(cell.toKey(), amount, deadline);
        }
        done(session, loop, act, Set.of(act), deadline == Counters.KEEP ? kept : deadline);
    }

    private void expire(Session session, Session.Loop loop, CellName cell, long deadline) {
        if (deadline <= session.epochMillis()) {
            delete(session, loop, cell);
            return;
        }
        Set<Act> before = look(session, loop, cell);
        Act act = world.lives().begin(Act.Kind.EXPIRE, cell, session, 0, before);
        act.isFirstDeadline = deadline(loop) == Life.NEVER;
        if (loop.counters().expireAt(cell.type(), cell.toKey(), deadline) == before.isEmpty()) {
            throw new Violation("EXPIRE of %s by %s, which shows %s".formatted(cell, session, before));
        }
        if (!before.isEmpty()) {
            done(session, loop, act, before, deadline);
        }
    }

    private void persist(Session session, Session.Loop loop, CellName cell) {
        Set<Act> before = look(session, loop, cell);
        if (!before.isEmpty() && deadline(loop) != Life.NEVER) {
            Act act = world.lives().begin(Act.Kind.PERSIST, cell, session, 0, before);
            loop.counters().expireAt(cell.type(), cell.toKey(), Life.NEVER);
            done(session, loop, act, before, Life.NEVER);
        }
    }

    private void delete(Session session, Session.Loop loop, CellName cell) {
        Set<Act> before = look(session, loop, cell);
        Act act = world.lives().begin(Act.Kind.DELETE, cell, session, 0, before);
        if (loop.counters().delete(cell.type(), cell.toKey()) == before.isEmpty()) {
            throw new Violation("DEL of %s by %s, which shows %s".formatted(cell, session, before));
        }
        if (!before.isEmpty()) {
            done(session, loop, act, Set.of(), deadline(loop));
        }
    }

    /// The act is done, and the session is to show `after`, until `deadline`.
    private void done(Session session, Session.Loop loop, Act act, Set<Act> after, long deadline) {
        // As it is stored, the numbers of the act are not hidden yet if its deadline has come already.
        Cell stored = new Cell();
        stored.copyFrom(loop.counters().cell());
        loop.turns().acknowledge(act);
        world.lives().done(act, session, stored);
        boolean isOver = deadline <= session.epochMillis();
        Set<Act> visible = look(session, loop, act.cell);
        if (!visible.equals(isOver ? Set.of() : after) || (!isOver && !after.isEmpty() && deadline(loop) != deadline)) {
            throw new Violation("after %s the session shows %s until %d, expected %s until %d"
                    .formatted(act, visible, deadline(loop), after, deadline));
        }
        world.lives().observe(session, act.cell, loop.counters().cell());
    }
}
