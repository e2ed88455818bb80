package io.tallis.keyspace;

import static io.tallis.keyspace.Keyspaces.key;
import static io.tallis.keyspace.Keyspaces.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CellGen;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import io.tallis.wire.ByteReader;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/// A table of cells that come, change and go, against a map.
final class CellTableLawsTest {
    private static final int STEPS = 300;

    private int shrunk;
    private int wrapped;

    @Test
    void table_afterAnyInsertsChangesAndRemovals_hasWhatAMapHas() {
        Property.forAll(gen -> {
            Tried tried = new Tried(gen, gen.pick(10, 60, 400));
            for (int step = 0; step < STEPS; step++) {
                tried.act();
                if (gen.chance(5)) {
                    tried.check();
                }
            }
            tried.check();
            tried.removeAll();
            tried.tidy();
            tried.check();
            shrunk += tried.shrunk;
            wrapped += tried.wrapped;

            assertThat(tried.table.slots()).isLessThanOrEqualTo(16);
            assertThat(tried.table.bytes()).isZero();
        });

        assertThat(shrunk).as("tables that became smaller").isPositive();
        assertThat(wrapped).as("cells around the end that moved").isPositive();
    }

    @Test
    void walk_whileCellsComeAndGo_showsThoseThatStayOnce() {
        Property.forAll(gen -> {
            Tried tried = new Tried(gen, gen.pick(60, 400));
            for (int step = 0; step < STEPS; step++) {
                tried.act();
            }
            Set<Name> staying = new HashSet<>(tried.map.keySet());
            List<Name> shown = new ArrayList<>();
            CellWalk walk = new CellWalk(
                    CellWalk.ANY_STAMP, (table, slot, key) -> shown.add(new Name(table.type(slot), text(key))));

            long from = 0;
            while (from < CellWalk.HASHES) {
                long to = CellWalk.rangeEnd(tried.partition, from, gen.between(1, 30));
                walk.visit(tried.partition, from, to);
                from = to;
                for (int step = gen.between(0, 20); step > 0; step--) {
                    tried.act();
                    staying.retainAll(tried.map.keySet());
                }
            }

            shown.retainAll(staying);
            assertThat(shown).containsExactlyInAnyOrderElementsOf(staying);
        });
    }

    /// A table of which cells were removed takes hardly more than one that never had them.
    @Test
    void memory_afterTidy_isThatOfTheCellsThatAreLeft() {
        Tried tried = new Tried(new Gen(1), 4_000);
        Tried never = new Tried(new Gen(1), 4_000);
        for (int i = 0; i < 4_000; i++) {
            Name name = new Name(CounterType.PNCOUNT, "key:" + i);
            Tried both = i % 2 == 0 ? tried : never;
            tried.add(name, i);
            if (both == never) {
                never.add(name, i);
            }
        }
        for (int i = 0; i < 4_000; i += 2) {
            tried.remove(new Name(CounterType.PNCOUNT, "key:" + i));
        }
        assertThat(tried.table.isUntidy()).isTrue();

        tried.tidy();

        assertThat(tried.table.isUntidy()).isFalse();
        assertThat(tried.bytesUsed.sum()).isLessThan(never.bytesUsed.sum() * 11 / 10);
        tried.check();
    }

    @Test
    void tidy_whileCellsMustNotMove_leavesTheSlots() {
        Tried tried = new Tried(new Gen(1), 400);
        for (int i = 0; i < 400; i++) {
            tried.insert(new Name(CounterType.PNCOUNT, "key:" + i));
        }
        int slots = tried.table.slots();
        long most = tried.bytesUsed.sum();
        tried.removeAll();

        tried.table.tidy(false);

        assertThat(tried.table.slots()).isEqualTo(slots);
        assertThat(tried.bytesUsed.sum()).isLessThan(most / 2);
        assertThat(tried.table.isUntidy()).isTrue();
    }

    /// A table that grows for cells that are announced is not made smaller before they come.
    @Test
    void tidy_ofATableThatExpectsCells_leavesItsSlots() {
        Tried tried = new Tried(new Gen(1), 400);
        tried.table.expect(400);
        tried.insert(new Name(CounterType.PNCOUNT, "first"));
        int slots = tried.table.slots();

        tried.tidy();

        assertThat(slots).isGreaterThan(400);
        assertThat(tried.table.slots()).isEqualTo(slots);
    }

    @Test
    void memory_ofRemovedCells_isUsedAgain() {
        Gen gen = new Gen(1);
        Tried tried = new Tried(gen, 4_000);
        for (int i = 0; i < 4_000; i++) {
            tried.insert(new Name(CounterType.PNCOUNT, "key:" + i));
        }
        long most = tried.bytesUsed.sum();

        for (int round = 0; round < 5; round++) {
            tried.removeAll();
            tried.tidy();
            assertThat(tried.bytesUsed.sum()).isLessThan(most / 20);
            for (int i = 0; i < 4_000; i++) {
                tried.insert(new Name(CounterType.PNCOUNT, "again:" + i));
            }
        }

        tried.check();
        assertThat(tried.bytesUsed.sum()).isLessThan(most + most / 2);
    }

    @Test
    void drop_notesTypeAndKeyForTheCheckpoint() throws MalformedException {
        Tried tried = new Tried(new Gen(1), 10);
        tried.insert(new Name(CounterType.GCOUNT, "a"));
        tried.insert(new Name(CounterType.PNCOUNT, "b"));

        tried.remove(new Name(CounterType.GCOUNT, "a"));
        tried.remove(new Name(CounterType.PNCOUNT, "b"));

        ByteReader in = ByteReader.of(tried.partition.dropped().toByteArray());
        List<Name> dropped = new ArrayList<>();
        while (in.remaining() > 0) {
            CounterType type = tried.codec.decodeKey(in);
            dropped.add(
                    new Name(type, text(new Key().set(in.array(), tried.codec.keyOffset(), tried.codec.keyLength()))));
        }
        assertThat(dropped).containsExactly(new Name(CounterType.GCOUNT, "a"), new Name(CounterType.PNCOUNT, "b"));
        assertThat(tried.partition.cells()).isZero();
    }

    private record Name(CounterType type, String key) {}

    /// What a cell is and what stands beside it.
    private static final class Expected {
        private Cell cell = new Cell();
        private int stamp;
        private boolean dirty;
        private boolean own;
        private boolean reset;
        private boolean young;
    }

    private static final class Tried {
        private final Gen gen;
        private final int keys;
        private final LongAdder bytesUsed = new LongAdder();
        private final KeyHash probes;
        private final Partition partition;
        private final CellTable table;
        private final CellCodec codec = new CellCodec(new Replicas(new ReplicaId(1, 1)));
        private final Map<Name, Expected> map = new HashMap<>();
        private int shrunk;
        private int wrapped;

        Tried(Gen gen, int keys) {
            this.gen = gen;
            this.keys = keys;
            probes = new KeyHash(gen.anyLong(), gen.anyLong() | 1, gen.anyLong() | 1, gen.anyLong() | 1);
            partition = new Partition(probes, new Slabs(1 << 28, bytesUsed), bytesUsed, new OrderMemory(1 << 28));
            table = partition.table();
        }

        void act() {
            CounterType type = gen.pick(CounterType.values());
            if (gen.chance(5)) {
                tidy();
            }
            String key = "k" + gen.between(1, keys);
            Name name = new Name(type, type.isKey() ? key : "\u0001" + key);
            if (!map.containsKey(name)) {
                insert(name);
            } else if (gen.chance(50)) {
                remove(name);
            } else {
                change(name);
            }
        }

        void tidy() {
            int before = table.slots();
            table.tidy(true);
            shrunk += table.slots() < before ? 1 : 0;
        }

        /// A counter of one shard, without marks.
        void add(Name name, int value) {
            Expected expected = new Expected();
            expected.cell.clear(name.type);
            expected.cell.add(Replicas.OWN, value);
            table.insert(name.type, placed(name), expected.cell);
            map.put(name, expected);
        }

        void insert(Name name) {
            Expected expected = new Expected();
            expected.cell = CellGen.cell(gen, name.type);
            Key key = placed(name);
            assertThat(table.find(name.type, key)).isEqualTo(CellTable.NONE);
            int slot = table.insert(name.type, key, expected.cell);
            mark(slot, expected);
            map.put(name, expected);
        }

        private void change(Name name) {
            Expected expected = map.get(name);
            int slot = table.find(name.type, placed(name));
            table.read(slot, new Cell());
            expected.cell = CellGen.cell(gen, name.type);
            table.update(slot, expected.cell);
            mark(slot, expected);
        }

        private void mark(int slot, Expected expected) {
            Marks marks = table.marks();
            if (gen.chance(30)) {
                marks.changed(slot);
                expected.dirty = true;
            }
            if (gen.chance(30)) {
                marks.ownChange(slot);
                expected.own = true;
            }
            if (gen.chance(30)) {
                marks.reset(slot);
                expected.reset = true;
            }
            if (gen.chance(30)) {
                marks.young(slot);
                expected.young = true;
            }
            if (gen.chance(30)) {
                expected.stamp = gen.between(1, 1_000);
                table.stamp(slot, expected.stamp);
            }
        }

        void remove(Name name) {
            Key key = placed(name);
            int slot = table.find(name.type, key);
            int before = table.slots();
            boolean isFirstTaken = !table.isEmpty(0);
            partition.drop(slot, key, codec);
            map.remove(name);
            wrapped += slot == before - 1 && table.slots() == before && isFirstTaken && !table.isEmpty(slot) ? 1 : 0;
        }

        void removeAll() {
            new ArrayList<>(map.keySet()).forEach(this::remove);
        }

        private Key placed(Name name) {
            Key key = Key.of(name.type, name.key.getBytes(StandardCharsets.ISO_8859_1));
            key.place(Keyspace.PLACES, probes);
            return key;
        }

        void check() {
            assertThat(table.cells()).isEqualTo(map.size());
            int occupied = 0;
            for (int slot = 0; slot < table.slots(); slot++) {
                occupied += table.isEmpty(slot) ? 0 : 1;
                assertThat(table.isEmpty(slot) && hasAnything(slot)).isFalse();
            }
            assertThat(occupied).isEqualTo(map.size());
            long bytes = 0;
            for (Map.Entry<Name, Expected> entry : map.entrySet()) {
                bytes += check(entry.getKey(), entry.getValue());
            }
            assertThat(table.bytes()).isEqualTo(bytes);
            assertThat(table.marks().count(Keyspace.Consumer.CHECKPOINT)).isEqualTo((int)
                    map.values().stream().filter(expected -> expected.dirty).count());
            assertThat(table.marks().count(Keyspace.Consumer.REPLICATOR)).isEqualTo((int)
                    map.values().stream().filter(expected -> expected.own).count());
        }

        private boolean hasAnything(int slot) {
            Marks marks = table.marks();
            return marks.isMarked(Keyspace.Consumer.CHECKPOINT, slot)
                    || marks.isMarked(Keyspace.Consumer.REPLICATOR, slot)
                    || marks.resetRecently(slot)
                    || marks.isYoung(slot)
                    || table.stamp(slot) != OwnChanges.NEVER;
        }

        /// Returns how many bytes the cell's record takes.
        private long check(Name name, Expected expected) {
            int slot = table.find(name.type, placed(name));
            assertThat(slot).isNotEqualTo(CellTable.NONE);
            Key key = new Key();
            Cell cell = new Cell();
            table.open(slot, key, cell);
            assertThat(text(key)).isEqualTo(name.key);
            assertThat(cell.sameAs(expected.cell)).isTrue();
            assertThat(table.type(slot)).isEqualTo(name.type);
            assertThat(table.hasParts(slot)).isEqualTo(!cell.isPlain());
            Marks marks = table.marks();
            assertThat(marks.isMarked(Keyspace.Consumer.CHECKPOINT, slot)).isEqualTo(expected.dirty);
            assertThat(marks.isMarked(Keyspace.Consumer.REPLICATOR, slot)).isEqualTo(expected.own);
            assertThat(marks.resetRecently(slot)).isEqualTo(expected.reset);
            assertThat(marks.isYoung(slot)).isEqualTo(expected.young);
            assertThat(table.stamp(slot)).isEqualTo(expected.stamp);
            return Arena.roundUp(1 + name.key.length() + PackedCell.size(cell));
        }
    }
}
