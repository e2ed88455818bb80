package io.tallis.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.Property;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Walks over ten places, by cursors from 0 on.
final class WalkTest {
    private static final int PLACES = 10;

    private final Walk walk = new Walk();
    private final Set<Integer> seen = new HashSet<>();

    /// Goes over so many places.
    private void step(int places) {
        walk.step(from -> {
            int to = (int) Math.min(PLACES, from + places);
            IntStream.range((int) from, to).forEach(seen::add);
            return to == PLACES ? Walk.END : to;
        });
    }

    @Test
    void walk_inAnySteps_seesEveryPlace() {
        while (!walk.isDone()) {
            step(3);
        }

        assertThat(seen).hasSize(PLACES);
    }

    @Test
    void walk_thatBeginsAgainOften_comesToEveryPlace() {
        for (int i = 0; i < 4; i++) {
            step(1);
            step(1);
            step(1);
            walk.beginAgain();
        }

        assertThat(seen).hasSize(PLACES);
    }

    @Test
    void walk_thatBeginsAgainAnywhere_seesEveryPlaceAfterThat() {
        Property.forAll(
                gen -> new WalkTest().beginAgainAnywhere(gen.between(0, 5), gen.between(0, 20), gen.between(1, 4)));
    }

    private void beginAgainAnywhere(int times, int after, int places) {
        for (int i = 0; i < times; i++) {
            for (int j = 0; j < after && !walk.isDone(); j++) {
                step(places);
            }
            walk.beginAgain();
            seen.clear();
        }
        while (!walk.isDone()) {
            step(places);
        }

        assertThat(seen).hasSize(PLACES);
    }
}
