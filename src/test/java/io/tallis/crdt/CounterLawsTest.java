package io.tallis.crdt;

import static io.tallis.crdt.CounterGen.counter;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;

/// The laws of the lattice, on the class that the hot path uses.
final class CounterLawsTest {

    @Test
    void merge_inEitherOrder_isTheSame() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Counter left = counter(gen, type);
            Counter right = counter(gen, type);

            Counter leftFirst = CounterGen.copyOf(left);
            leftFirst.merge(right);
            Counter rightFirst = CounterGen.copyOf(right);
            rightFirst.merge(left);

            assertThat(leftFirst.sameAs(rightFirst)).isTrue();
        });
    }

    @Test
    void merge_inAnyGrouping_isTheSame() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Counter a = counter(gen, type);
            Counter b = counter(gen, type);
            Counter c = counter(gen, type);

            Counter leftGrouped = CounterGen.copyOf(a);
            leftGrouped.merge(b);
            leftGrouped.merge(c);
            Counter right = CounterGen.copyOf(b);
            right.merge(c);
            Counter rightGrouped = CounterGen.copyOf(a);
            rightGrouped.merge(right);

            assertThat(leftGrouped.sameAs(rightGrouped)).isTrue();
        });
    }

    @Test
    void merge_again_changesNothingAndSaysSo() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Counter counter = counter(gen, type);
            Counter other = counter(gen, type);
            counter.merge(other);
            Counter once = CounterGen.copyOf(counter);

            assertThat(counter.merge(other)).isEqualTo(Counter.Merged.NOTHING_NEW);
            assertThat(counter.merge(CounterGen.copyOf(counter))).isEqualTo(Counter.Merged.NOTHING_NEW);
            assertThat(counter.sameAs(once)).isTrue();
        });
    }

    @Test
    void merge_lowersNoTotal() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Counter counter = counter(gen, type);
            Counter before = CounterGen.copyOf(counter);

            counter.merge(counter(gen, type));

            assertAtLeast(counter, before);
        });
    }

    @Test
    void everyChange_lowersNoTotalAndKeepsResetsBelowCounts() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Counter counter = counter(gen, type);
            Counter before = CounterGen.copyOf(counter);

            change(gen, type, counter);

            assertAtLeast(counter, before);
            assertThat(counter.wellFormed()).isTrue();
        });
    }

    @Test
    void mergedSaysReset_onlyWhenAResetTotalRose() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Counter counter = counter(gen, type);
            Counter before = CounterGen.copyOf(counter);

            Counter.Merged merged = counter.merge(counter(gen, type));

            boolean reset = rose(before, counter, Counter.RP) || rose(before, counter, Counter.RN);
            boolean grew = rose(before, counter, Counter.P) || rose(before, counter, Counter.N);
            assertThat(merged)
                    .isEqualTo(reset ? Counter.Merged.RESET : grew ? Counter.Merged.GREW : Counter.Merged.NOTHING_NEW);
        });
    }

    @Test
    void anyHistory_agreesWithTheNaiveModel() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Counter[] counters = {new Counter().clear(type), new Counter().clear(type), new Counter().clear(type)};
            CounterModel[] models = {new CounterModel(type), new CounterModel(type), new CounterModel(type)};
            for (int step = 0; step < 40; step++) {
                int at = gen.between(0, 2);
                changeBoth(gen, type, at, counters, models);

                assertThat(valueOf(counters[at])).isEqualTo(models[at].value());
                assertThat(counters[at].exists()).isEqualTo(models[at].exists());
            }
        });
    }

    private static void changeBoth(Gen gen, CounterType type, int at, Counter[] counters, CounterModel[] models) {
        switch (gen.between(0, 9)) {
            case 0 -> {
                counters[at].reset();
                models[at].reset();
            }
            case 1, 2, 3 -> {
                int from = gen.between(0, 2);
                counters[at].merge(counters[from]);
                models[at].merge(models[from]);
            }
            default -> {
                long amount = gen.anyLong();
                if (type == CounterType.GCOUNT) {
                    counters[at].grow(at, amount);
                    models[at].grow(at, amount);
                } else {
                    assertThat(counters[at].add(at, amount, 0)).isEqualTo(models[at].add(at, amount));
                }
            }
        }
    }

    private static void change(Gen gen, CounterType type, Counter counter) {
        if (gen.chance(30)) {
            counter.reset();
        } else if (type == CounterType.GCOUNT) {
            growNewReplica(gen, counter);
        } else {
            counter.add(0, gen.anyLong(), 0);
        }
    }

    /// Grows on behalf of a replica that is not in the counter yet: only the owner of a shard keeps it within 64 bits.
    private static void growNewReplica(Gen gen, Counter counter) {
        counter.grow(100, gen.anyLong());
        counter.grow(100, gen.anyLong());
    }

    static String valueOf(Counter counter) {
        return counter.type() == CounterType.GCOUNT
                ? Long.toUnsignedString(counter.value(0))
                : Long.toString(counter.value(0));
    }

    private static void assertAtLeast(Counter counter, Counter before) {
        for (int total : new int[] {Counter.P, Counter.N, Counter.RP, Counter.RN}) {
            for (int i = 0; i < before.shards(); i++) {
                int now = counter.find(before.replica(i));
                assertThat(number(counter, now, total)).isGreaterThanOrEqualTo(number(before, i, total));
            }
        }
    }

    private static boolean rose(Counter before, Counter after, int total) {
        for (int i = 0; i < after.shards(); i++) {
            int then = before.find(after.replica(i));
            BigInteger was = then < 0 ? BigInteger.ZERO : number(before, then, total);
            if (number(after, i, total).compareTo(was) > 0) {
                return true;
            }
        }
        return false;
    }

    private static BigInteger number(Counter counter, int shard, int total) {
        BigInteger high = new BigInteger(Long.toUnsignedString(counter.high(shard, total)));
        return high.shiftLeft(64).add(new BigInteger(Long.toUnsignedString(counter.low(shard, total))));
    }
}
