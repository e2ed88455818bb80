package io.tallis.keyspace;

import static io.tallis.keyspace.Keyspaces.key;
import static io.tallis.keyspace.Keyspaces.keyspace;
import static io.tallis.keyspace.Keyspaces.namesIn;
import static io.tallis.keyspace.Keyspaces.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.runtime.Invariant;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import io.tallis.wire.ByteReader;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class OwnChangesLawsTest {
    /// Few partitions, one of them the last, so that tables grow while they are walked through.
    private static final List<String> NAMES = names();

    private static List<String> names() {
        List<String> names = new ArrayList<>(namesIn(5, 400));
        names.addAll(namesIn(6, 10));
        names.addAll(namesIn(Keyspace.PARTITIONS - 1, 150));
        return names;
    }

    @Test
    void anyHistory_agreesWithANaiveModel() {
        Property.forAll(gen -> {
            Model model = new Model(gen);
            for (int step = gen.between(1, 40); step > 0; step--) {
                model.step();
            }

            model.drain(Integer.MAX_VALUE);
            assertThat(model.due).isEmpty();
            assertThat(model.own.any()).isFalse();
            model.checkSince();
            KeyspaceAudit.check(model.keyspace);
        });
    }

    @Test
    void drain_whileThreadsChangeTheSameCells_losesNothing() throws Exception {
        Keyspace keyspace = keyspace(1);
        OwnChanges own = keyspace.ownChanges();
        own.track();
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int seed = i;
            writers.add(Thread.ofPlatform().start(() -> write(keyspace, seed)));
        }

        Wire wire = new Wire(keyspace);
        boolean last;
        do {
            last = writers.stream().noneMatch(Thread::isAlive);
            own.drainEntries(wire);
            own.drain(1_000, (_, key, counter) -> wire.takes(text(key), counter.value()));
            own.sent(wire.frame);
        } while (!last || own.any());

        Counters counters = new Counters(keyspace, ChangeLog.NONE);
        assertThat(keyspace.cells()).isEqualTo(wire.values.size());
        wire.values.forEach((name, value) -> {
            counters.read(CounterType.PNCOUNT, key(name));
            assertThat(counters.value()).as(name).isEqualTo(value);
        });
        for (int i = 0; i < 50; i++) {
            long since = wire.frame * i / 50;
            Set<String> missed = new HashSet<>(wire.frames.keySet());
            missed.removeIf(name -> wire.frames.get(name) <= since);
            Keyspaces.since(own, since).forEach(missed::remove);
            assertThat(missed).as("sent after " + since + " and not found").isEmpty();
        }
        KeyspaceAudit.check(keyspace);
    }

    /// Remembers what was sent of counters that only grow, and in which frame each was sent last.
    private static final class Wire implements OwnChanges.EntrySender {
        private static final int CELLS_A_FRAME = 50;

        private final CellCodec codec;
        private final Cell counter = new Cell();
        private final Map<String, Long> values = new HashMap<>();
        private final Map<String, Long> frames = new HashMap<>();
        private long frame = 1;
        private int cells;

        Wire(Keyspace keyspace) {
            codec = new CellCodec(keyspace.replicas());
        }

        @Override
        public long send(byte[] array, int offset, int length) {
            ByteReader entry = new ByteReader().on(array, offset, length);
            try {
                CounterType type = codec.decodeKey(entry);
                String name = text(new Key().set(array, codec.keyOffset(), codec.keyLength()));
                codec.decode(entry, type, Replicas.OWN, counter);
                return takes(name, counter.value());
            } catch (MalformedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public boolean takesMore() {
            return true;
        }

        long takes(String name, long value) {
            frame += ++cells % CELLS_A_FRAME == 0 ? 1 : 0;
            values.merge(name, value, Math::max);
            frames.put(name, frame);
            return frame;
        }
    }

    /// One cell a partition, changed twice in a row: the second change meets the drain of the first, and nothing comes
    /// after it that would hide it if it were missed.
    @Test
    void drain_whileACellChangesForTheLastTime_seesThatChange() throws Exception {
        Keyspace keyspace = keyspace(1);
        OwnChanges own = keyspace.ownChanges();
        own.track();
        List<Key> keys = onePerPartition(keyspace);
        Wire wire = new Wire(keyspace);
        EntryRing entries = own.newRing();
        for (int round = 1; round <= 200; round++) {
            Counters counters = new Counters(keyspace, ChangeLog.NONE, round % 2 == 0 ? entries : null);
            Thread writer = Thread.ofPlatform().start(() -> changeTwice(counters, keys));
            boolean last;
            do {
                last = !writer.isAlive();
                own.drainEntries(wire);
                own.drain(1_000_000, (_, key, counter) -> wire.takes(text(key), counter.value()));
                own.sent(wire.frame);
            } while (!last);
            writer.join();

            assertThat(Set.copyOf(wire.values.values())).containsExactly(2L * round);
            assertThat(wire.values).hasSize(keys.size());
            assertThat(own.any()).isFalse();
        }
    }

    private static List<Key> onePerPartition(Keyspace keyspace) {
        Map<Integer, Key> keys = new HashMap<>();
        for (int i = 0; keys.size() < Keyspace.PARTITIONS; i++) {
            Key key = key("key:" + i);
            keys.putIfAbsent(keyspace.partitionOf(key), key);
        }
        return List.copyOf(keys.values());
    }

    private static void changeTwice(Counters counters, List<Key> keys) {
        for (Key key : keys) {
            counters.add(key, 1);
            counters.add(key, 1);
        }
    }

    private static void write(Keyspace keyspace, int seed) {
        EntryRing entries = keyspace.ownChanges().newRing(1 << 12);
        Counters counters = new Counters(keyspace, ChangeLog.NONE, entries);
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 60_000; i++) {
            counters.add(key("k" + random.nextInt(1 + i / 4)), 1);
        }
    }

    /// The cells that should be due, and the frame in which each was last sent.
    private static final class Model {
        private static final int RING = 1 << 11;

        private final Gen gen;
        private final boolean withEntries;
        private final Keyspace keyspace;
        private final Counters counters;
        private final OwnChanges own;
        private final int foreigner;
        private final Set<String> due = new HashSet<>();
        private final Map<String, Long> sent = new HashMap<>();
        private long frame = 1;

        Model(Gen gen) {
            this.gen = gen;
            keyspace = keyspace(gen.anyLong());
            own = keyspace.ownChanges();
            withEntries = gen.chance(70);
            counters = new Counters(keyspace, ChangeLog.NONE, withEntries ? own.newRing(RING) : null);
            foreigner = keyspace.replicas().numberOf(new ReplicaId(9, 9));
            own.track();
        }

        void step() {
            switch (gen.between(0, 9)) {
                case 0, 1, 2 -> drain(gen.between(0, 150));
                case 3 -> checkSince();
                case 4 -> checkRotation();
                default -> change(gen.between(1, 100));
            }
        }

        void change(int cells) {
            for (int i = 0; i < cells; i++) {
                change();
            }
        }

        private void change() {
            String name = gen.pick(NAMES);
            switch (gen.between(0, 7)) {
                case 0, 6, 7 -> {
                    counters.grow(key(name), 1);
                    due.add(name + " GCOUNT");
                }
                case 1 -> {
                    if (counters.delete(CounterType.PNCOUNT, key(name))) {
                        due.add(name + " PNCOUNT");
                    }
                }
                case 2 -> {
                    Cell other = new Cell();
                    other.add(foreigner, gen.between(1, 1L << 50));
                    new Merges(counters.keyspace(), counters.log()).merge(key(name), other);
                }
                case 3 -> {
                    counters.assign(key(name), gen.between(-1L << 40, 1L << 40), Counters.KEEP);
                    due.add(name + " PNCOUNT");
                }
                default -> {
                    if (counters.add(key(name), gen.between(1, 1L << 40))) {
                        due.add(name + " PNCOUNT");
                    }
                }
            }
        }

        void drain(int budget) {
            drainEntries(budget);
            int before = due.size();
            int shown = own.drain(budget, (type, key, _) -> {
                String cell = text(key) + " " + type;
                Invariant.check(due.remove(cell) || withEntries, cell + " not due");
                return goesOut(cell);
            });
            own.sent(frame);

            if (!withEntries) {
                assertThat(shown).isEqualTo(Math.min(budget, before));
                assertThat(own.any()).isEqualTo(!due.isEmpty());
            }
            assertThat(due.isEmpty() || own.any()).isTrue();
        }

        private long goesOut(String cell) {
            frame += gen.between(0, 3);
            sent.put(cell, frame);
            return frame;
        }

        private void drainEntries(int budget) {
            int[] left = {budget};
            own.drainEntries(new OwnChanges.EntrySender() {
                @Override
                public long send(byte[] array, int offset, int length) {
                    left[0]--;
                    return goesOut(cellOf(new ByteReader().on(array, offset, length)));
                }

                @Override
                public boolean takesMore() {
                    return left[0] > 0;
                }
            });
        }

        /// The cell of an entry, which is no longer due unless it has changed since.
        private String cellOf(ByteReader entry) {
            CellCodec codec = new CellCodec(keyspace.replicas());
            Cell sentCounter = new Cell();
            Key key = new Key();
            try {
                CounterType type = codec.decodeKey(entry);
                key.set(entry.array(), codec.keyOffset(), codec.keyLength());
                codec.decode(entry, type, Replicas.OWN, sentCounter);
            } catch (MalformedException e) {
                throw new AssertionError(e);
            }
            counters.read(sentCounter.type(), key);
            String cell = text(key) + " " + sentCounter.type();
            if (!counters.cell().counts().lags(sentCounter.counts(), Replicas.OWN)
                    && !sentCounter.counts().lags(counters.cell().counts(), Replicas.OWN)
                    && !counters.cell().counts().everReset()) {
                due.remove(cell);
            }
            return cell;
        }

        /// Walks through it in pieces, while cells change, appear and are sent in between.
        void checkSince() {
            long since = gen.chance(30) ? 0 : gen.between(0L, frame + 20);
            Map<String, Long> before = new HashMap<>(sent);
            Map<String, Integer> shown = new HashMap<>();
            long cursor = 0;
            int calls = 0;
            do {
                int[] room = {gen.between(1, 6)};
                cursor = own.visitSince(
                        since,
                        cursor,
                        () -> --room[0] > 0,
                        (type, key, _) -> shown.merge(text(key) + " " + type, 1, Integer::sum));
                if (calls++ < 20 && gen.chance(50)) {
                    change(gen.between(1, 30));
                    drain(gen.between(0, 30));
                }
            } while (cursor != 0);

            before.values().removeIf(last -> last <= since);
            before.keySet().removeAll(shown.keySet());
            assertThat(before).as("sent since " + since + " and not shown").isEmpty();
            shown.forEach((cell, times) -> Invariant.check(
                    times == 1 && (sent.getOrDefault(cell, 0L) > since - 15 || stampedAhead(cell, since)),
                    cell + " shown once, and rightly"));
        }

        /// Cells are stamped as entries before these are sent, with a frame to come.
        private boolean stampedAhead(String cell, long since) {
            return withEntries && (due.contains(cell) || sent.get(cell) > since - 48);
        }

        private void checkRotation() {
            Map<String, Boolean> shown = new HashMap<>();
            long cursor = 0;
            do {
                cursor = own.visitFrom(
                        cursor, gen.between(1, 100), (type, key, _, isOwn) -> shown.put(text(key) + " " + type, isOwn));
            } while (cursor != 0);

            assertThat(shown).hasSize(Math.toIntExact(keyspace.cells()));
            shown.values().removeIf(isOwn -> !isOwn);
            assertThat(shown.keySet()).containsAll(sent.keySet());
            shown.keySet().removeAll(sent.keySet());
            assertThat(shown.keySet().stream().filter(cell -> !stampedAhead(cell, 0)))
                    .isEmpty();
        }
    }
}
