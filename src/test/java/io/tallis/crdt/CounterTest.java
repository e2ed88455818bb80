package io.tallis.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class CounterTest {
    private static final int A = 0;
    private static final int B = 1;
    private static final long UNSIGNED_MAX = -1L;

    @Test
    void merge_ofConcurrentIncrements_countsEachOnce() {
        Counter left = pncount(A, 2);
        Counter right = pncount(B, 3);

        left.merge(right);
        left.merge(right);

        assertThat(left.value(0)).isEqualTo(5);
    }

    @Test
    void everReset_isTrueFromTheFirstResetOn() {
        Counter counter = pncount(A, 2);
        counter.add(B, -3, 0);
        assertThat(counter.everReset()).isFalse();

        counter.reset();
        counter.add(A, 1, 0);

        assertThat(counter.everReset()).isTrue();
    }

    @Test
    void everReset_ofACounterThatOnlyWentDown_isTrueOnceReset() {
        Counter counter = pncount(A, 2);
        counter.merge(pncount(B, -3));
        counter.clear(CounterType.PNCOUNT);
        counter.add(B, -3, 0);
        assertThat(counter.everReset()).isFalse();

        counter.reset();

        assertThat(counter.everReset()).isTrue();
    }

    @Test
    void add_beyondTheLargestValue_isRefusedAndChangesNothing() {
        Counter counter = pncount(A, Long.MAX_VALUE);

        assertThat(counter.add(A, 1, 0)).isFalse();
        assertThat(counter.value(0)).isEqualTo(Long.MAX_VALUE);
        assertThat(counter.add(A, -1, 0)).isTrue();
        assertThat(counter.add(A, 1, 0)).isTrue();
    }

    @Test
    void add_belowTheSmallestValue_isRefusedAndChangesNothing() {
        Counter counter = pncount(A, Long.MIN_VALUE);

        assertThat(counter.add(A, -1, 0)).isFalse();
        assertThat(counter.value(0)).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void add_ofTheSmallestNumber_subtractsTwoToThe63() {
        Counter counter = pncount(A, Long.MAX_VALUE);

        assertThat(counter.add(A, Long.MIN_VALUE, 0)).isTrue();
        assertThat(counter.value(0)).isEqualTo(-1);
    }

    @Test
    void value_thatMergesTookOutOfRange_isClampedAndLeadsBackOnly() {
        Counter counter = pncount(A, Long.MAX_VALUE);
        counter.merge(pncount(B, 10));

        assertThat(counter.value(0)).isEqualTo(Long.MAX_VALUE);
        assertThat(counter.add(A, 1, 0)).isFalse();
        assertThat(counter.add(A, -20, 0)).isTrue();
        assertThat(counter.value(0)).isEqualTo(Long.MAX_VALUE - 10);
    }

    @Test
    void totals_beyond64Bits_areCarried() {
        Counter counter = new Counter();
        for (int i = 0; i < 4; i++) {
            counter.add(A, Long.MAX_VALUE, 0);
            counter.add(A, -Long.MAX_VALUE, 0);
        }
        counter.add(A, 7, 0);

        assertThat(counter.high(0, Counter.P)).isEqualTo(2);
        assertThat(counter.value(0)).isEqualTo(7);
    }

    @Test
    void grow_beyondTheLargestValue_saturates() {
        Counter counter = new Counter().clear(CounterType.GCOUNT);
        counter.grow(A, UNSIGNED_MAX - 1);

        counter.grow(A, 5);

        assertThat(counter.value(0)).isEqualTo(UNSIGNED_MAX);
    }

    @Test
    void grow_onTwoReplicas_saturatesWhenRead() {
        Counter counter = new Counter().clear(CounterType.GCOUNT);
        counter.grow(A, UNSIGNED_MAX);
        counter.grow(B, UNSIGNED_MAX);

        assertThat(counter.value(0)).isEqualTo(UNSIGNED_MAX);
    }

    @Test
    void grow_afterADelete_countsAgainHoweverMuchItHasSeen() {
        Counter counter = new Counter().clear(CounterType.GCOUNT);
        counter.grow(A, UNSIGNED_MAX);
        counter.reset();

        counter.grow(A, 3);

        assertThat(counter.value(0)).isEqualTo(3);
        assertThat(counter.high(0, Counter.P)).isEqualTo(1);
    }

    @Test
    void reset_besideAnUnseenIncrement_leavesThatIncrement() {
        Counter here = pncount(A, 5);
        Counter there = CounterGen.copyOf(here);
        there.add(B, 2, 0);

        here.reset();
        here.merge(there);

        assertThat(here.value(0)).isEqualTo(2);
    }

    @Test
    void reset_twiceConcurrently_takesBackOnce() {
        Counter here = pncount(A, 5);
        Counter there = CounterGen.copyOf(here);
        here.reset();
        there.reset();

        here.add(A, 1, 0);
        here.merge(there);

        assertThat(here.value(0)).isEqualTo(1);
    }

    @Test
    void reset_ofNothing_saysSo() {
        Counter counter = pncount(A, 5);

        assertThat(counter.reset()).isTrue();
        assertThat(counter.reset()).isFalse();
        assertThat(counter.exists()).isFalse();
    }

    @Test
    void wellFormed_withMoreResetThanCounted_isFalse() {
        Counter counter = pncount(A, 5);
        counter.put(0, Counter.RP, 0, 6);

        assertThat(counter.wellFormed()).isFalse();
    }

    @Test
    void wellFormed_ofAGrowOnlyCounterWithDowns_isFalse() {
        Counter counter = new Counter().clear(CounterType.GCOUNT);
        counter.put(counter.append(A), Counter.N, 0, 1);

        assertThat(counter.wellFormed()).isFalse();
    }

    @Test
    void append_outOfOrder_isRefused() {
        Counter counter = pncount(B, 1);

        assertThatThrownBy(() -> counter.append(A)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void merge_intoNothing_tellsWhatIsNew() {
        Counter counted = pncount(A, 5);
        Counter deleted = pncount(A, 5);
        deleted.reset();
        Counter untouched = new Counter().clear(CounterType.PNCOUNT);
        untouched.append(A);

        assertThat(nothing().merge(counted)).isEqualTo(Counter.Merged.GREW);
        assertThat(nothing().merge(deleted)).isEqualTo(Counter.Merged.RESET);
        assertThat(nothing().merge(untouched)).isEqualTo(Counter.Merged.NOTHING_NEW);
        assertThat(nothing().merge(nothing())).isEqualTo(Counter.Merged.NOTHING_NEW);
    }

    private static Counter nothing() {
        return new Counter().clear(CounterType.PNCOUNT);
    }

    @Test
    void merge_ofManyShards_interleavesThem() {
        Counter even = new Counter();
        Counter odd = new Counter();
        for (int replica = 0; replica < 100; replica += 2) {
            even.add(replica, 1, 0);
            odd.add(replica + 1, 2, 0);
        }

        even.merge(odd);

        assertThat(even.shards()).isEqualTo(100);
        assertThat(even.value(0)).isEqualTo(150);
    }

    private static Counter pncount(int replica, long value) {
        Counter counter = new Counter();
        counter.add(replica, value, 0);
        return counter;
    }
}
