package io.tallis.keyspace;

import static io.tallis.keyspace.Keyspaces.key;
import static io.tallis.keyspace.Keyspaces.keyspace;
import static io.tallis.keyspace.Keyspaces.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CellGen;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterGen;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class KeyspaceTest {
    private final Keyspace keyspace = keyspace(1);
    private final Counters counters = new Counters(keyspace, ChangeLog.NONE);

    @Test
    void anyHistory_agreesWithANaiveModel() {
        Property.forAll(gen -> {
            Keyspace keyspace = keyspace(gen.anyLong());
            Counters counters = new Counters(keyspace, ChangeLog.NONE);
            Map<String, Long> model = new HashMap<>();
            for (int step = 0; step < 200; step++) {
                act(gen, counters, model);
            }

            model.forEach((name, value) -> assertValue(counters, name, value));
            assertThat(keyspace.keys()).isEqualTo(model.size());
            KeyspaceAudit.check(keyspace);
        });
    }

    private static void act(Gen gen, Counters counters, Map<String, Long> model) {
        String name = "key:" + gen.between(0, 50);
        long amount = gen.between(-1L << 40, 1L << 40);
        switch (gen.between(0, 4)) {
            case 0 -> assertThat(counters.delete(key(name))).isEqualTo(model.remove(name) != null);
            case 1 -> {
                counters.assign(key(name), amount, Counters.KEEP);
                model.put(name, amount);
            }
            default -> {
                assertThat(counters.add(key(name), amount)).isTrue();
                if (amount != 0) {
                    model.merge(name, amount, Long::sum);
                    assertThat(counters.value()).isEqualTo(model.get(name));
                }
            }
        }
    }

    private static void assertValue(Counters counters, String name, long value) {
        assertThat(counters.read(CounterType.PNCOUNT, key(name))).isTrue();
        assertThat(counters.value()).isEqualTo(value);
    }

    @Test
    void manyKeys_areAllFoundWhileTablesGrow() {
        for (int i = 0; i < 200_000; i++) {
            counters.add(key("key:" + i), i + 1);
        }

        for (int i = 0; i < 200_000; i++) {
            assertValue(counters, "key:" + i, i + 1);
        }
        assertThat(counters.exists(key("key:200000"))).isFalse();
        assertThat(keyspace.keys()).isEqualTo(200_000);
        KeyspaceAudit.check(keyspace);
    }

    @Test
    void keysOfAnyLength_areDistinct() {
        byte[] bytes = new byte[65_535];
        new SplittableRandom(7).nextBytes(bytes);
        List<Integer> lengths = new ArrayList<>(List.of(100, 127, 128, 8191, 8192, 65_535));
        for (int length = 1; length <= 40; length++) {
            lengths.add(length);
        }

        lengths.forEach(length -> counters.add(new Key().set(bytes, 0, length), length));

        lengths.forEach(length -> {
            assertThat(counters.read(CounterType.PNCOUNT, new Key().set(bytes, 0, length)))
                    .isTrue();
            assertThat(counters.value()).isEqualTo(length.longValue());
        });
        KeyspaceAudit.check(keyspace);
    }

    @Test
    void oneKey_holdsBothTypesAndCountsAsOne() {
        counters.add(key("a"), 3);
        counters.grow(key("a"), 4);

        assertThat(keyspace.keys()).isEqualTo(1);
        assertThat(keyspace.cells()).isEqualTo(2);
        assertThat(counters.delete(CounterType.PNCOUNT, key("a"))).isTrue();
        assertThat(keyspace.keys()).isEqualTo(1);
        assertThat(counters.read(CounterType.GCOUNT, key("a"))).isTrue();
        assertThat(counters.delete(key("a"))).isTrue();
        assertThat(keyspace.keys()).isZero();
        assertThat(keyspace.cells()).isEqualTo(2);
    }

    @Test
    void deletedCells_areThoseNoReaderSees() {
        counters.add(key("a"), 3);
        counters.grow(key("a"), 4);
        counters.add(key("b"), 5);
        assertThat(keyspace.deletedCells()).isZero();

        counters.delete(CounterType.GCOUNT, key("a"));
        assertThat(keyspace.deletedCells()).isEqualTo(1);

        counters.delete(key("a"));
        assertThat(keyspace.deletedCells()).isEqualTo(2);

        counters.grow(key("a"), 1);
        assertThat(keyspace.deletedCells()).isEqualTo(1);
    }

    @Test
    void deletedCells_thatAreRestored_areCounted() {
        counters.add(key("alive"), 3);
        counters.add(key("dead"), 3);
        counters.grow(key("alive"), 3);
        counters.delete(key("dead"));
        Keyspace copy = keyspace(2);
        Counters restored = new Counters(copy, ChangeLog.NONE);

        for (int i = 0; i < Keyspace.PARTITIONS; i++) {
            keyspace.visitAll(
                    i,
                    (_, key, counter) -> new Merges(restored.keyspace(), restored.log())
                            .restore(Key.of(key.toByteArray()), counter));
        }

        assertThat(copy.cells()).isEqualTo(3);
        assertThat(copy.deletedCells()).isEqualTo(1);
        KeyspaceAudit.check(copy);
    }

    @Test
    void counterThatOutgrowsItsRecord_leavesItsNeighboursIntact() {
        for (int i = 0; i < 20_000; i++) {
            counters.add(key("k" + i), 1);
        }

        for (int i = 0; i < 20_000; i++) {
            counters.add(key("k" + i), 1L << 40);
            counters.add(key("k" + i), -5);
        }

        for (int i = 0; i < 20_000; i++) {
            assertValue(counters, "k" + i, (1L << 40) - 4);
        }
        KeyspaceAudit.check(keyspace);
    }

    @Test
    void scan_whileTheKeyspaceGrows_showsEveryOldKeyOnce() {
        Property.forAll(gen -> {
            Keyspace keyspace = keyspace(gen.anyLong());
            Counters counters = new Counters(keyspace, ChangeLog.NONE);
            int old = gen.between(0, 300);
            for (int i = 0; i < old; i++) {
                counters.add(key("old" + i), 1);
            }

            Map<String, Integer> shown = new HashMap<>();
            long cursor = 0;
            int added = 0;
            do {
                cursor = keyspace.scan(
                        cursor, gen.between(1, 20), (_, key, _) -> shown.merge(text(key), 1, Integer::sum));
                for (int i = gen.between(0, 30); i > 0; i--) {
                    counters.add(key("new" + added++), 1);
                }
            } while (cursor != 0 && added < 5_000);
            while (cursor != 0) {
                cursor = keyspace.scan(cursor, 100, (_, key, _) -> shown.merge(text(key), 1, Integer::sum));
            }

            for (int i = 0; i < old; i++) {
                assertThat(shown.get("old" + i)).as("old" + i).isEqualTo(1);
            }
        });
    }

    @Test
    void scan_withAnyCursor_ends() {
        counters.add(key("a"), 1);
        Property.forAll(gen -> {
            long cursor = gen.anyLong();
            for (int calls = 0; cursor != 0; calls++) {
                assertThat(calls).isLessThan(10);
                cursor = keyspace.scan(cursor, 10, (_, _, _) -> {});
            }
        });
    }

    @Test
    void drain_showsWhatChangedSinceTheLastDrain() {
        for (int i = 0; i < 1_000; i++) {
            counters.add(key("k" + i), 1);
        }
        assertThat(drain()).hasSize(1_000);

        counters.add(key("k7"), 1);
        counters.add(key("k7"), 1);
        counters.delete(key("k8"));

        assertThat(keyspace.marked(Keyspace.Consumer.CHECKPOINT)).isEqualTo(2);
        assertThat(drain()).containsExactlyInAnyOrder("k7", "k8");
        assertThat(drain()).isEmpty();
    }

    @Test
    void drain_afterTablesGrew_stillKnowsWhatChanged() {
        counters.add(key("first"), 1);
        drain();
        counters.add(key("first"), 1);
        for (int i = 0; i < 100_000; i++) {
            counters.add(key("k" + i), 1);
        }

        assertThat(drain()).hasSize(100_001).contains("first");
    }

    @Test
    void markAll_marksEveryCell() {
        counters.add(key("a"), 1);
        counters.grow(key("b"), 1);
        drain();

        keyspace.markAll();

        assertThat(drain()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void change_afterAReset_recordsTheWholeCellUntilTwoRotationsLater() {
        List<Boolean> wholes = new ArrayList<>();
        Counters recorded = new Counters(keyspace, new RecordingLog(wholes));
        recorded.add(key("a"), 1);
        recorded.delete(key("a"));
        recorded.add(key("a"), 1);
        keyspace.journalRotated();
        recorded.add(key("a"), 1);
        keyspace.journalRotated();
        recorded.add(key("a"), 1);

        assertThat(wholes).containsExactly(false, true, true, true, false);
    }

    /// A client may retry a delete whose reply was lost. It is told 0 when the journal has the reset.
    @Test
    void delete_ofARecentlyDeletedCounter_isRecordedAgain() {
        List<Boolean> wholes = new ArrayList<>();
        Counters recorded = new Counters(keyspace, new RecordingLog(wholes));
        counters.add(key("a"), 1);
        counters.delete(key("a"));
        long before = recorded.changes();

        assertThat(recorded.delete(key("a"))).isFalse();
        assertThat(recorded.changes()).isGreaterThan(before);
        keyspace.journalRotated();
        keyspace.journalRotated();
        assertThat(recorded.delete(key("a"))).isFalse();

        assertThat(wholes).containsExactly(true);
    }

    @Test
    void merge_marksAndRecordsOnlyWhatIsNew() {
        List<Boolean> wholes = new ArrayList<>();
        Counters recorded = new Counters(keyspace, new RecordingLog(wholes));
        Cell other = new Cell();
        other.add(keyspace.replicas().numberOf(new ReplicaId(9, 9)), 4);

        assertThat(new Merges(recorded.keyspace(), recorded.log()).merge(key("a"), other))
                .isEqualTo(Counter.Merged.GREW);
        assertThat(new Merges(recorded.keyspace(), recorded.log()).merge(key("a"), other))
                .isEqualTo(Counter.Merged.NOTHING_NEW);

        assertThat(wholes).containsExactly(true);
        assertThat(drain()).containsExactly("a");
        assertThat(keyspace.keys()).isEqualTo(1);
    }

    @Test
    void merge_ofNothingNewIntoARecentlyResetCell_recordsTheWholeCell() {
        List<Boolean> wholes = new ArrayList<>();
        Counters recorded = new Counters(keyspace, new RecordingLog(wholes));
        counters.add(key("a"), 1);
        counters.delete(key("a"));
        counters.read(CounterType.PNCOUNT, key("a"));
        Cell same = new Cell();
        same.copyFrom(counters.cell());
        drain();

        assertThat(new Merges(recorded.keyspace(), recorded.log()).merge(key("a"), same))
                .isEqualTo(Counter.Merged.NOTHING_NEW);
        keyspace.journalRotated();
        keyspace.journalRotated();
        assertThat(new Merges(recorded.keyspace(), recorded.log()).merge(key("a"), same))
                .isEqualTo(Counter.Merged.NOTHING_NEW);

        assertThat(wholes).containsExactly(true);
        assertThat(drain()).isEmpty();
    }

    @Test
    void merge_ofNothingIntoNoCell_recordsNothing() {
        List<Boolean> wholes = new ArrayList<>();

        new Merges(keyspace, new RecordingLog(wholes)).merge(key("a"), new Cell());

        assertThat(wholes).isEmpty();
        assertThat(keyspace.cells()).isZero();
    }

    @Test
    void restore_marksNothing() {
        Cell other = new Cell();
        other.add(Replicas.OWN, 4);

        new Merges(counters.keyspace(), counters.log()).restore(key("a"), other);

        assertThat(drain()).isEmpty();
        assertValue(counters, "a", 4);
        assertThat(keyspace.keys()).isEqualTo(1);
        KeyspaceAudit.check(keyspace);
    }

    @Test
    void digest_ofEqualKeyspaces_isEqualWhateverTheirSecretsAndHistories() {
        Keyspace other = keyspace(2);
        Counters others = new Counters(other, ChangeLog.NONE);
        for (int i = 0; i < 5_000; i++) {
            counters.add(key("k" + i), 2);
            others.add(key("k" + (4_999 - i)), 1);
        }
        for (int i = 0; i < 5_000; i++) {
            others.add(key("k" + i), 1);
        }

        assertThat(digests(other)).isEqualTo(digests(keyspace));

        others.grow(key("k17"), 1);
        assertThat(digests(other)).isNotEqualTo(digests(keyspace));
    }

    @Test
    void rowBytes_areAnUpperBoundOfARow() {
        Property.forAll(gen -> {
            Keyspace keyspace = keyspace(gen.anyLong());
            Counters counters = new Counters(keyspace, ChangeLog.NONE);
            for (int i = 0; i < 5; i++) {
                keyspace.replicas().numberOf(new ReplicaId(2, i));
            }
            Cell counter = CellGen.cell(gen, CounterGen.type(gen));
            Key key = key("k".repeat(gen.between(1, 100)));
            new Merges(counters.keyspace(), counters.log()).merge(key, counter);
            counters.read(counter.type(), key);

            ByteWriter row = new ByteWriter(64);
            CellCodec codec = new CellCodec(keyspace.replicas());
            codec.encodeKey(counter.type(), key.array(), key.offset(), key.length(), row);
            codec.encode(counters.cell(), CellCodec.NO_OWNER, row);

            assertThat(counters.capacity().rowBytes(key)).isGreaterThanOrEqualTo(row.position());
        });
    }

    @Test
    void rowBytes_areAnUpperBoundOfTheRowOfAReset() {
        Property.forAll(gen -> {
            Keyspace keyspace = keyspace(gen.anyLong());
            for (int i = 0; i < 5; i++) {
                keyspace.replicas().numberOf(new ReplicaId(2, i));
            }
            ByteWriter row = new ByteWriter(64);
            Counters counters = new Counters(keyspace, recording((key, counter) -> {
                row.clear();
                CellCodec codec = new CellCodec(keyspace.replicas());
                codec.encodeKey(counter.type(), key.array(), key.offset(), key.length(), row);
                codec.encode(counter, CellCodec.NO_OWNER, row);
            }));
            Key key = key("k".repeat(gen.between(1, 100)));
            new Merges(counters.keyspace(), counters.log()).merge(key, CellGen.cell(gen, CounterGen.type(gen)));
            long promised = counters.capacity().rowBytes(key);

            counters.delete(key);

            assertThat(promised).isGreaterThanOrEqualTo(row.position());
        });
    }

    @Test
    void merge_thatFailsHalfway_endsTheProcess() throws InterruptedException {
        Counters failing = new Counters(keyspace, recording((_, _) -> {
            throw new OutOfMemoryError("made by a test");
        }));
        Cell theirs = new Cell().clear(CounterType.PNCOUNT);
        theirs.add(keyspace.replicas().numberOf(new ReplicaId(2, 2)), 5);
        AtomicReference<@Nullable Throwable> heard = new AtomicReference<>();
        Thread merging = Thread.ofPlatform()
                .uncaughtExceptionHandler((_, error) -> heard.compareAndSet(null, error))
                .start(() -> {
                    try {
                        new Merges(failing.keyspace(), failing.log()).merge(key("a"), theirs);
                    } catch (OutOfMemoryError _) {
                        // In a server the process has ended by now.
                    }
                });
        merging.join();

        assertThat(heard.get()).isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void snapshot_ofAChangedKey_differs() {
        byte[] nothing = counters.snapshot(key("a"));
        assertThat(nothing).isNull();
        counters.grow(key("a"), 1);
        assertThat(counters.unchanged(key("a"), nothing)).isFalse();
        byte[] one = counters.snapshot(key("a"));
        assertThat(counters.unchanged(key("a"), one)).isTrue();

        counters.assign(key("a"), 0, Counters.KEEP);

        assertThat(counters.unchanged(key("a"), one)).isFalse();
    }

    @Test
    void increment_besideADeletedGCount_doesNotChangeIt() {
        counters.grow(key("a"), 7);
        counters.delete(key("a"));
        counters.add(key("a"), 1);
        counters.delete(key("a"));

        assertThat(counters.increment(key("a"), 5)).isEqualTo(Counters.Increment.DONE);

        assertThat(counters.read(CounterType.GCOUNT, key("a"))).isFalse();
        assertThat(counters.read(CounterType.PNCOUNT, key("a"))).isTrue();
        assertThat(counters.value()).isEqualTo(5);
        assertThat(keyspace.keys()).isEqualTo(1);
    }

    @Test
    void increment_ofAKeyWithAGCountOnly_isRefused() {
        counters.grow(key("a"), 7);

        assertThat(counters.increment(key("a"), 0)).isEqualTo(Counters.Increment.WRONG_TYPE);
        counters.assign(key("b"), Long.MAX_VALUE, Counters.KEEP);
        assertThat(counters.increment(key("b"), 1)).isEqualTo(Counters.Increment.OUT_OF_RANGE);

        assertThat(counters.read(CounterType.PNCOUNT, key("a"))).isFalse();
    }

    @Test
    void threadsThatShareKeys_loseNothing() throws Exception {
        int threads = 4;
        int each = 50_000;
        List<Thread> workers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int seed = t;
            workers.add(Thread.ofPlatform().start(() -> {
                Counters mine = new Counters(keyspace, ChangeLog.NONE);
                SplittableRandom random = new SplittableRandom(seed);
                for (int i = 0; i < each; i++) {
                    mine.add(key("k" + random.nextInt(100)), 1);
                }
            }));
        }
        for (Thread worker : workers) {
            worker.join();
        }

        long sum = 0;
        for (int i = 0; i < 100; i++) {
            counters.read(CounterType.PNCOUNT, key("k" + i));
            sum += counters.value();
        }
        assertThat(sum).isEqualTo((long) threads * each);
        KeyspaceAudit.check(keyspace);
    }

    @Test
    void lockAll_keepsOthersOut() throws Exception {
        BitSet all = new BitSet();
        all.set(0, Keyspace.PARTITIONS);
        counters.lockAll(all);
        Thread other = Thread.ofPlatform().start(() -> new Counters(keyspace, ChangeLog.NONE).add(key("a"), 1));
        try {
            while (other.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            assertThat(counters.read(CounterType.PNCOUNT, key("a"))).isFalse();
        } finally {
            counters.unlockAll(all);
        }
        other.join();

        assertThat(counters.read(CounterType.PNCOUNT, key("a"))).isTrue();
    }

    @Test
    void bytesUsed_followsTheTables() {
        for (int i = 0; i < 100_000; i++) {
            counters.add(key(String.format("key:%012d", i)), 1);
        }

        assertThat(keyspace.bytesUsed() / 100_000).isBetween(25L, 50L);
    }

    /// The memory of outgrown records is used again.
    @Test
    void bytesUsed_ofCountersThatOutgrewTheirRecords_staysInBounds() {
        for (int i = 0; i < 300_000; i++) {
            counters.add(key("key:" + i), 1);
        }

        for (int i = 0; i < 300_000; i++) {
            counters.add(key("key:" + i), 1L << 40);
            counters.add(key("key:" + i), -(1L << 40));
        }

        assertThat(keyspace.bytesUsed() / 300_000).isBetween(32L, 64L);
        assertThat(keyspace.bytesKept() / 300_000).isBetween(32L, 80L);
        for (int i = 0; i < 300_000; i++) {
            assertValue(counters, "key:" + i, 1);
        }
        KeyspaceAudit.check(keyspace);
    }

    /// A client that was refused for lack of memory succeeds when there is some again.
    @Test
    @Timeout(60)
    void bytesUsed_fallsWithCompaction_andFreeChunksAreUsedFirst() {
        for (int i = 0; i < 300_000; i++) {
            counters.add(key("key:" + i), 1);
        }
        long most = 0;
        for (int i = 0; keyspace.bytesUsed() > most - most / 8; i++) {
            counters.add(key("key:" + i % 300_000), i < 300_000 ? 1L << 40 : -(1L << 40));
            most = Math.max(most, keyspace.bytesUsed());
        }

        long used = keyspace.bytesUsed();
        long kept = keyspace.bytesKept();
        assertThat(kept).isEqualTo(used + keyspace.bytesFree()).isGreaterThanOrEqualTo(most);
        for (int i = 0; keyspace.bytesUsed() < most; i++) {
            counters.add(key("more:" + i), 1);
        }
        assertThat(keyspace.bytesKept()).isLessThan(kept + kept / 16);
    }

    @Test
    void expectedCells_takeNoMoreMemoryThanUnexpected() {
        Keyspace expecting = keyspace(1);
        Counters expectingCounters = new Counters(expecting, ChangeLog.NONE);
        for (int i = 0; i < 300_000; i++) {
            counters.add(key("key:" + i), i + 1);
        }
        for (int partition = 0; partition < Keyspace.PARTITIONS; partition++) {
            expecting.expect(partition, keyspace.cells(partition));
        }

        for (int i = 0; i < 300_000; i++) {
            expectingCounters.add(key("key:" + i), i + 1);
        }

        assertThat(expecting.indexBytes()).isLessThanOrEqualTo(keyspace.indexBytes());
        assertThat(digests(expecting)).isEqualTo(digests(keyspace));
        KeyspaceAudit.check(expecting);
    }

    @Test
    void expectedCells_thatNeverCome_takeLittle() {
        for (int partition = 0; partition < Keyspace.PARTITIONS; partition++) {
            keyspace.expect(partition, Long.MAX_VALUE);
        }

        assertThat(keyspace.bytesUsed()).isZero();
        for (int i = 0; i < 200_000; i++) {
            counters.add(key("key:" + i), 1);
        }
        assertThat(keyspace.bytesUsed() / 200_000).isLessThan(150);
    }

    private Set<String> drain() {
        Set<String> drained = new HashSet<>();
        DirtyCells changed = keyspace.dirtyCells();
        while (!changed.allShown()) {
            changed.show(DirtyVisitor.of(() -> true, (_, key, _) -> drained.add(text(key))));
        }
        return drained;
    }

    private static List<String> digests(Keyspace keyspace) {
        List<String> digests = new ArrayList<>();
        for (int i = 0; i < Keyspace.PARTITIONS; i++) {
            digests.add(Arrays.toString(keyspace.digest(i)));
        }
        return digests;
    }

    private record RecordingLog(List<Boolean> wholes) implements ChangeLog {
        @Override
        public void record(Key key, Cell counter, boolean whole) {
            wholes.add(whole);
        }

        @Override
        public void beginGroup() {}

        @Override
        public void endGroup() {}
    }

    private static ChangeLog recording(BiConsumer<Key, Cell> recorder) {
        return new ChangeLog() {
            @Override
            public void record(Key key, Cell counter, boolean whole) {
                recorder.accept(key, counter);
            }

            @Override
            public void beginGroup() {}

            @Override
            public void endGroup() {}
        };
    }
}
