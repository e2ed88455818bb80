package io.tallis.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.Property;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class RangesTest {
    private final Ranges ranges = new Ranges();

    @Test
    void advance_withoutTheNextNumber_staysWhereItIs() {
        ranges.add(3);

        assertThat(ranges.advance(1)).isEqualTo(1);
        assertThat(ranges.isEmpty()).isFalse();
    }

    @Test
    void advance_whenTheMissingNumberCame_reachesTheNextGap() {
        ranges.add(3);
        ranges.add(5);
        ranges.add(2);

        assertThat(ranges.advance(1)).isEqualTo(3);
        assertThat(ranges.advance(4)).isEqualTo(5);
        assertThat(ranges.isEmpty()).isTrue();
    }

    @Test
    void advance_beyondAllNumbers_forgetsThem() {
        ranges.add(3);
        ranges.add(5);

        assertThat(ranges.advance(9)).isEqualTo(9);
        assertThat(ranges.isEmpty()).isTrue();
    }

    @Test
    void add_ofOneRangeTooMany_isRefused() {
        for (int i = 1; i <= Ranges.MOST; i++) {
            ranges.add(3L * i);
        }

        long tooMany = 3L * (Ranges.MOST + 1);
        ranges.add(tooMany);

        assertThat(ranges.advance(tooMany - 1)).isEqualTo(tooMany - 1);
    }

    @Test
    void addAndAdvance_inAnyOrder_agreeWithASet() {
        Property.forAll(gen -> {
            Ranges tried = new Ranges();
            TreeSet<Long> naive = new TreeSet<>();
            long reached = 0;
            for (int i = 0; i < 60; i++) {
                long number = gen.between(1, 40);
                tried.add(number);
                if (number > reached) {
                    naive.add(number);
                }
                if (gen.chance(30)) {
                    reached += gen.between(0, 1);
                    naive.headSet(reached, true).clear();
                    while (naive.remove(reached + 1)) {
                        reached++;
                    }
                    assertThat(tried.advance(reached)).isEqualTo(reached);
                    assertThat(tried.isEmpty()).isEqualTo(naive.isEmpty());
                }
            }
        });
    }
}
