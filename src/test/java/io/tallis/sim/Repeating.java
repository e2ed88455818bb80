package io.tallis.sim;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.testing.Gen;
import io.tallis.wire.FieldKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Clients that repeat an increment with its token until they are answered: it counts once, and what they were told to
/// be counted is, whichever node told it.
///
/// They repeat it where the documentation says that this is exact: at the process that they asked first, and at every
/// node that has the token, such as the node of that process when it runs again. Others delete the counters.
final class Repeating {
    private static final int KEYS = 3;
    private static final int CLIENTS = 5;
    private static final int HEARD_PERCENT = 60;
    private static final int DELETE_PERCENT = 3;
    private static final long LEAST_PAUSE_NANOS = 3_000_000;
    private static final long MOST_PAUSE_NANOS = 30_000_000;
    private static final long STEP_NANOS = 20_000_000;

    /// The totals of a session in a counter after an increment.
    private record Made(Session session, long p, long n) {}

    /// What a client asks for.
    private static final class Request implements Promise {
        private final CellName cell;
        private final long amount;
        private final byte[] token;

        private @Nullable Made made;

        private boolean isHeard;

        Request(CellName cell, long amount, byte[] token) {
            this.cell = cell;
            this.amount = amount;
            this.token = token;
        }

        Key tokenKey() {
            byte[] name = cell.key().getBytes(StandardCharsets.ISO_8859_1);
            int prefix = FieldKey.prefixLength(name.length);
            byte[] key = new byte[prefix + token.length];
            FieldKey.writePrefix(name, 0, name.length, key);
            System.arraycopy(token, 0, key, prefix, token.length);
            return Key.of(CounterType.TOKEN, key);
        }

        @Override
        public String toString() {
            return "%s %+d by %s: %s".formatted(cell, amount, Arrays.toString(token), made);
        }
    }

    private final World world;
    private final Gen gen;
    private final Visits visits;
    private final @Nullable Request[] present = new Request[CLIENTS];
    private final Set<Request> asked = new HashSet<>();

    /// Of each node the last process that was asked for anything.
    private final Map<UUID, Session> latest = new HashMap<>();

    private long repeats;

    Repeating(World world) {
        this.world = world;
        gen = world.retrying().gen();
        visits = new Visits(world, gen, gen.between(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS), this::turn);
    }

    void start() {
        if (world.retrying().happens()) {
            visits.start();
        }
    }

    void stop() {
        visits.stop();
    }

    /// How often a node has told that it was done before.
    long repeats() {
        return repeats;
    }

    private void turn(Session session) {
        Session.Loop loop = session.loop();
        if (gen.chance(DELETE_PERCENT)) {
            loop.counters().delete(CounterType.PNCOUNT, anyCell().toKey());
        } else {
            ask(session, loop, gen.between(0, CLIENTS - 1));
        }
        loop.turns().commit(new TurnLog.Outcome() {
            @Override
            public void written() {}

            @Override
            public void lost() {}
        });
        session.tasks().wake();
    }

    private CellName anyCell() {
        return new CellName(CounterType.PNCOUNT, CellName.RETRIED + "once " + gen.between(1, KEYS));
    }

    private void ask(Session session, Session.Loop loop, int client) {
        Request request = present[client];
        if (request == null || request.isHeard || isLost(request)) {
            request = new Request(
                    anyCell(),
                    gen.pick(-1, 1) * gen.between(1L, 99L),
                    ByteBuffer.allocate(4).putInt(asked.size()).array());
            present[client] = request;
            asked.add(request);
        }
        boolean knows = loop.counters().read(CounterType.TOKEN, request.tokenKey());
        Made before = request.made;
        if (before == null || knows || before.session == session) {
            ask(session, loop, request, knows);
        }
    }

    /// The process that was asked is gone, and no node has the token: the client cannot know what became of it.
    private boolean isLost(Request request) {
        Made made = request.made;
        return made != null
                && made.session.ended()
                && world.living()
                        .noneMatch(session -> session.loop().counters().read(CounterType.TOKEN, request.tokenKey()));
    }

    private void ask(Session session, Session.Loop loop, Request request, boolean knows) {
        Counters counters = loop.counters();
        long before = session.keyspace().tokens().repeated();
        Counters.Increment done = counters.add(request.cell.toKey(), request.amount, request.token);
        boolean isRepeated = session.keyspace().tokens().repeated() > before;
        world.trace().note(session.toString(), request + " " + done + (isRepeated ? " repeated" : ""), repeats);
        if (done == Counters.Increment.NOT_HERE && knows) {
            return;
        }
        if (done != Counters.Increment.DONE || isRepeated != knows || counters.added() != request.amount) {
            throw new Violation("%s answers %s to %s, which it knows: %s".formatted(session, done, request, knows));
        }
        if (!isRepeated) {
            counters.read(CounterType.PNCOUNT, request.cell.toKey());
            int own = counters.cell().counts().find(Replicas.OWN);
            latest.put(session.uuid(), session);
            request.made = new Made(
                    session,
                    counters.cell().counts().low(own, Counter.P),
                    counters.cell().counts().low(own, Counter.N));
        } else {
            repeats++;
        }
        loop.turns().acknowledge(request);
        if (gen.chance(HEARD_PERCENT)) {
            Request heard = request;
            session.disk().whenWritten(() -> heard.isHeard = true);
        }
    }

    /// A process has loaded what its disk has: of what the process before it was asked, both the increment and its
    /// token, or neither, unless the disk is a copy of one to which they came by themselves.
    void started(Keyspace keyspace, Machine machine) {
        Counters counters = new Counters(keyspace, ChangeLog.NONE);
        UUID node = machine.self().uuid();
        Session before = latest.remove(node);
        for (Request request : asked) {
            Made made = request.made;
            if (made != null && made.session == before && !machine.disk().isCopied()) {
                boolean knows = counters.read(CounterType.TOKEN, request.tokenKey());
                if (knows != isCounted(keyspace, request)) {
                    throw new Violation("%s has half of %s: the token %s".formatted(machine.name(), request, knows));
                }
            }
        }
    }

    /// Trouble is over: what clients were told to be counted is.
    void end(long nanos) {
        long end = world.events().now() + nanos;
        while (!firstLost().isEmpty()) {
            if (world.events().now() > end) {
                throw new Violation("not counted: " + firstLost());
            }
            world.events().runFor(STEP_NANOS);
        }
    }

    private String firstLost() {
        List<Request> told = new ArrayList<>();
        world.machines().stream()
                .filter(machine -> !machine.retired())
                .forEach(machine -> told.addAll(machine.disk().acknowledged(Request.class)));
        for (Session session : world.living().toList()) {
            for (Request request : told) {
                if (!isCounted(session.keyspace(), request)) {
                    return "%s on %s".formatted(request, session);
                }
            }
        }
        return "";
    }

    private static boolean isCounted(Keyspace keyspace, Request request) {
        Made made = request.made;
        if (made == null) {
            return false;
        }
        Counters counters = new Counters(keyspace, ChangeLog.NONE);
        counters.read(CounterType.PNCOUNT, request.cell.toKey());
        int number = keyspace.replicas().numberOf(made.session.id());
        return !counters.cell().counts().lags(number, made.p, made.n);
    }
}
