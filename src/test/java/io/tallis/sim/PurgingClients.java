package io.tallis.sim;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.TurnLog;
import io.tallis.testing.Gen;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Clients that count, delete, and count again under the same names, as long as these have powers left, see [Purged].
final class PurgingClients {
    private static final long A_DAY_MILLIS = TimeUnit.DAYS.toMillis(1);

    private final World world;
    private final Gen gen;
    private final CrowdedNames names = new CrowdedNames(CrowdedNames.PURGED);
    private final int[] generations;
    private final Visits visits;

    PurgingClients(World world) {
        this.world = world;
        gen = world.purging().gen();
        generations = new int[world.purging().keys()];
        visits = new Visits(world, gen, world.purging().clientNanos(), this::turn);
    }

    void start() {
        if (world.purging().happens()) {
            visits.start();
        }
    }

    void stop() {
        visits.stop();
    }

    private void turn(Session session) {
        Session.Loop loop = session.loop();
        int count = world.purging().acts();
        for (int i = 0; i < count; i++) {
            PurgedKey key = anyKey(session);
            long value = read(session, loop, key);
            if (gen.chance(world.purging().deletePercent())) {
                delete(session, loop, key, value);
            } else {
                increment(session, loop, key, value);
            }
        }
        commit(session, loop);
    }

    private PurgedKey anyKey(Session session) {
        int number = world.purging().anyKey(world.events().now());
        PurgedKey key = key(session, number);
        if (key.isFull()) {
            generations[number]++;
        }
        return key(session, number);
    }

    private PurgedKey key(Session session, int number) {
        CounterType type = switch (number % 4) {
            case 3 -> CounterType.GCOUNT;
            case 1 -> CounterType.FIELD;
            default -> CounterType.PNCOUNT;
        };
        return world.purged().key(names.of(session, type, number + "." + generations[number]));
    }

    /// Clients delete about half of the keys.
    void deleteSome() {
        List<Session> living = world.living().toList();
        for (int number = 0; number < generations.length; number++) {
            if (gen.chance(50)) {
                Session session = gen.pick(living);
                Session.Loop loop = session.loop();
                PurgedKey key = key(session, number);
                delete(session, loop, key, read(session, loop, key));
                commit(session, loop);
            }
        }
    }

    private static long read(Session session, Session.Loop loop, PurgedKey key) {
        boolean exists = loop.counters().read(key.cell().type(), key.cell().toKey());
        long value = loop.counters().value();
        key.requirePossible(value, session);
        if (exists != (value != 0)) {
            throw new Violation("%s is %x to %s, though it exists: %s".formatted(key.cell(), value, session, exists));
        }
        return value;
    }

    private void increment(Session session, Session.Loop loop, PurgedKey key, long before) {
        PurgedKey.Increment increment = key.increment(session.number());
        loop.turns().acknowledge(increment);
        if (!key.cell().add(loop.counters(), increment.amount())) {
            throw new Violation("%s takes no %x".formatted(key.cell(), increment.amount()));
        }
        requireValue(session, loop, key, before | increment.amount());
        Cell cell = loop.counters().cell();
        increment.made(cell.counts().low(cell.counts().find(Replicas.OWN), Counter.P));
        world.trace().note(session.toString(), increment, increment.amount());
    }

    private void delete(Session session, Session.Loop loop, PurgedKey key, long before) {
        if (before != 0 && world.purging().expires(key.cell().type())) {
            loop.counters().expireAt(key.cell().type(), key.cell().toKey(), session.epochMillis() + A_DAY_MILLIS);
        }
        if (before != 0) {
            PurgedKey.Delete delete = key.delete(before);
            loop.turns().acknowledge(delete);
            world.trace().note(session.toString(), delete, before);
        }
        if (loop.counters().delete(key.cell().type(), key.cell().toKey()) != (before != 0)) {
            throw new Violation("%s is deleted by %s, and was %x".formatted(key.cell(), session, before));
        }
        requireValue(session, loop, key, 0);
    }

    private static void requireValue(Session session, Session.Loop loop, PurgedKey key, long expected) {
        long value = read(session, loop, key);
        if (value != expected) {
            throw new Violation("%s is %x to %s, expected %x: %s".formatted(key.cell(), value, session, expected, key));
        }
    }

    private static void commit(Session session, Session.Loop loop) {
        List<Promise> made = loop.turns().promises();
        loop.turns().commit(new TurnLog.Outcome() {
            @Override
            public void written() {
                made.forEach(PurgingClients::acknowledge);
            }

            @Override
            public void lost() {}
        });
        session.tasks().wake();
    }

    private static void acknowledge(Promise promise) {
        switch (promise) {
            case PurgedKey.Increment increment -> increment.acknowledge();
            case PurgedKey.Delete delete -> delete.acknowledge();
            default -> throw new IllegalArgumentException(promise.toString());
        }
    }
}
