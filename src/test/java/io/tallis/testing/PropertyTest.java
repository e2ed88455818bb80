package io.tallis.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class PropertyTest {
    @Test
    void check_ofALawThatHolds_triesItThatOften() {
        var tries = new AtomicInteger();

        Property.ofTries(20).check(_ -> tries.incrementAndGet());

        assertThat(tries).hasValue(20);
    }

    @Test
    void check_ofALawThatFails_namesTheSeedAndTheReason() {
        var failing = new AssertionError("3 is not 4");

        assertThatThrownBy(() -> Property.ofSeed(17).check(_ -> {
                    throw failing;
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessage("fails with -Dseed=17: 3 is not 4")
                .hasCause(failing);
    }

    @Test
    void check_ofTheSeedThatFailed_drawsTheSameValues() {
        List<Long> drawn = new ArrayList<>();
        assertThatThrownBy(() -> Property.ofTries(1_000).check(gen -> {
                    drawn.add(gen.anyLong());
                    assertThat(drawn).hasSizeLessThan(50);
                }))
                .hasMessageContaining("-Dseed=50:");

        List<Long> again = new ArrayList<>();
        Property.ofSeed(50).check(gen -> again.add(gen.anyLong()));

        assertThat(again).containsExactly(drawn.get(49));
    }

    @Test
    void ofTries_ofNone_isRefused() {
        assertThatThrownBy(() -> Property.ofTries(0)).hasMessage("tries is 0, expected at least 1");
    }

    @Test
    void between_ofThreeNumbers_drawsEachOfThem() {
        Set<Integer> drawn = new HashSet<>();

        Property.ofTries(100).check(gen -> drawn.add(gen.between(-1, 1)));

        assertThat(drawn).containsExactlyInAnyOrder(-1, 0, 1);
    }

    @Test
    void between_ofTheLargestNumbers_drawsEachOfThem() {
        Set<Long> drawn = new HashSet<>();

        Property.ofTries(100).check(gen -> drawn.add(gen.between(Long.MAX_VALUE - 1, Long.MAX_VALUE)));

        assertThat(drawn).containsExactlyInAnyOrder(Long.MAX_VALUE - 1, Long.MAX_VALUE);
    }

    @Test
    void anyLong_inManyTries_drawsTheEdges() {
        Set<Long> drawn = new HashSet<>();

        Property.ofTries(1_000).check(gen -> drawn.add(gen.anyLong()));

        assertThat(drawn).contains(0L, 1L, -1L, Long.MIN_VALUE, Long.MAX_VALUE).hasSizeGreaterThan(500);
    }

    @Test
    void anyCount_inManyTries_isNeverNegative() {
        Property.ofTries(1_000).check(gen -> assertThat(gen.anyCount()).isNotNegative());
    }

    @Test
    void pick_inManyTries_picksEachChoice() {
        Set<String> picked = new HashSet<>();

        Property.ofTries(100).check(gen -> picked.add(gen.pick("a", "b", "c")));

        assertThat(picked).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void bytes_inManyTries_haveEachLengthUpToTheBound() {
        Set<Integer> lengths = new HashSet<>();

        Property.ofTries(100).check(gen -> lengths.add(gen.bytes(3).length));

        assertThat(lengths).containsExactlyInAnyOrder(0, 1, 2, 3);
    }
}
