package io.tallis.keyspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FullPartitionTest {
    /// Of a length that leaves most chunks of an arena far from full.
    private static final int LONG = 2039;

    private static final int SHORT = 1355;

    /// A record of such a key has an array of its own.
    private static final int VERY_LONG = 2100;

    private final Keyspace keyspace = Keyspaces.keyspace(1);
    private final Counters counters = new Counters(keyspace, ChangeLog.NONE);
    private final Cell received = received(keyspace);

    @Test
    void clients_ofALargePartition_areRefusedNewCountersOnly() {
        ChosenKeys keys = new ChosenKeys(keyspace, 0, VERY_LONG);
        int count = fillAsClient(keys);

        assertThat(keyspace.partition(0).table().bytes())
                .isBetween((long) keyspace.clientBytes(), keyspace.clientBytes() + 2L * VERY_LONG);
        assertThat(counters.increment(keys.key(0), 1L << 40)).isEqualTo(Counters.Increment.DONE);
        assertThat(new Merges(counters.keyspace(), counters.log()).merge(keys.key(count), received))
                .isEqualTo(Counter.Merged.GREW);
        assertThat(counters.delete(keys.key(1))).isTrue();
        assertThat(counters.increment(new ChosenKeys(keyspace, 1, VERY_LONG).key(0), 1))
                .isEqualTo(Counters.Increment.DONE);
        KeyspaceAudit.check(keyspace);
    }

    @Test
    void partition_whoseCellsAreMostlyDeleted_isFilledWithThem() {
        ChosenKeys keys = new ChosenKeys(keyspace, 0, VERY_LONG);
        int count = fillAsClient(keys);
        assertThat(keyspace.isAnyFilledWithDeleted()).isFalse();

        for (int i = 0; i <= count / 2; i++) {
            counters.delete(keys.key(i));
        }

        assertThat(keyspace.isAnyFilledWithDeleted()).isTrue();
    }

    @Test
    void mergeLimit_isAboveWhatClientsOfTwoSidesCanFill() {
        int largest = Capacity.ofClients(Long.MAX_VALUE);

        assertThat(2L * largest).isLessThan(Capacity.MERGES);
        assertThat(Capacity.MERGES + Capacity.RESET).isLessThan(Capacity.CHANGES);
    }

    @Test
    void garbageInTheLastChunks_isCompacted() {
        ChosenKeys keys = new ChosenKeys(keyspace, 0, VERY_LONG);
        int mine = 1000;
        for (int i = 0; i < mine; i++) {
            assertThat(counters.increment(keys.key(i), 5)).isEqualTo(Counters.Increment.DONE);
        }
        int count = fillByMerges(keys, mine);
        CellTable table = keyspace.partition(0).table();

        int chunks = 0;
        int grown = 0;
        while (table.chunks() >= chunks && grown < count) {
            chunks = table.chunks();
            assertThat(counters.increment(keys.key(grown++), 1L << 40)).isEqualTo(Counters.Increment.DONE);
        }

        assertThat(grown).as("changes until the arena was compacted").isBetween(2, count / 3);
        for (int i = 0; i < count; i++) {
            assertThat(counters.read(CounterType.PNCOUNT, keys.key(i))).isTrue();
            assertThat(counters.value()).isEqualTo((i < mine ? 5 : 1) + (i < grown ? 1L << 40 : 0));
        }
        assertThat(keyspace.bytesUsed()).isLessThan(Capacity.CHANGES + (16 << 20));
        KeyspaceAudit.check(keyspace);
    }

    /// No record is at place 0, of whatever length the first record is that moves to a new arena.
    @Test
    void compaction_withAnyFirstRecord_losesNone() {
        ChosenKeys keys = new ChosenKeys(keyspace, 0, VERY_LONG);
        int count = 200;
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < count; i++) {
                assertThat(counters.increment(keys.key(i), 1L << (20 * round))).isEqualTo(Counters.Increment.DONE);
            }
        }

        for (int i = 0; i < count; i++) {
            assertThat(counters.read(CounterType.PNCOUNT, keys.key(i))).isTrue();
            assertThat(counters.value()).isEqualTo(1L + (1L << 20) + (1L << 40) + (1L << 60));
        }
        KeyspaceAudit.check(keyspace);
    }

    @Test
    void partitionFilledByMerges_fitsInAnyOrder() {
        ChosenKeys longs = new ChosenKeys(keyspace, 0, LONG);
        ChosenKeys shorts = new ChosenKeys(keyspace, 0, SHORT);
        List<Key> keys = new ArrayList<>();
        try {
            for (int i = 0; ; i++) {
                Key key = i < 20_000 ? longs.key(i) : shorts.key(i);
                assertThat(new Merges(counters.keyspace(), counters.log()).merge(key, received))
                        .isEqualTo(Counter.Merged.GREW);
                keys.add(key);
            }
        } catch (KeyspaceFullException _) {
            assertThat(keyspace.partition(0).table().bytes()).isGreaterThan(Capacity.MERGES);
        }

        Collections.shuffle(keys, new Random(1));
        Keyspace again = Keyspaces.keyspace(2);
        Counters loaded = new Counters(again, ChangeLog.NONE);
        Cell same = received(again);
        for (Key key : keys) {
            // A used key keeps the hashes of the other keyspace.
            new Merges(loaded.keyspace(), loaded.log()).restore(Key.of(key.toByteArray()), same);
        }

        assertThat(again.cells(0)).isEqualTo(keys.size());
        assertThat(again.digest(0)).isEqualTo(keyspace.digest(0));
        KeyspaceAudit.check(again);
    }

    @Test
    void deleteOfBothCountersOfAKey_isDoneWhollyOrNotAtAll() {
        ChosenKeys keys = new ChosenKeys(keyspace, 0, VERY_LONG);
        Key both = keys.key(-1);
        counters.grow(both, 7);
        assertThat(counters.add(both, 3)).isTrue();
        for (int i = 0; keyspace.partition(0).table().bytes() <= Capacity.CHANGES - Capacity.RESET; i++) {
            assertThat(new Merges(counters.keyspace(), counters.log()).mergeAgain(keys.key(i), received, 0))
                    .isEqualTo(Counter.Merged.GREW);
        }

        assertThatExceptionOfType(KeyspaceFullException.class).isThrownBy(() -> counters.delete(both));

        assertThat(counters.read(CounterType.PNCOUNT, both)).isTrue();
        assertThat(counters.read(CounterType.GCOUNT, both)).isTrue();
    }

    private static Cell received(Keyspace keyspace) {
        Cell received = new Cell().clear(CounterType.PNCOUNT);
        received.counts().append(keyspace.replicas().numberOf(new ReplicaId(9, 9)));
        received.counts().put(0, Counter.P, 0, 1);
        return received;
    }

    private int fillAsClient(ChosenKeys keys) {
        int count = 0;
        try {
            while (true) {
                assertThat(counters.increment(keys.key(count), 1)).isEqualTo(Counters.Increment.DONE);
                count++;
            }
        } catch (KeyspaceFullException _) {
            return count;
        }
    }

    private int fillByMerges(ChosenKeys keys, int from) {
        int count = from;
        try {
            while (true) {
                assertThat(new Merges(counters.keyspace(), counters.log()).merge(keys.key(count), received))
                        .isEqualTo(Counter.Merged.GREW);
                count++;
            }
        } catch (KeyspaceFullException _) {
            return count;
        }
    }
}
