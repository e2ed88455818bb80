package io.tallis.keyspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.runtime.Invariant;
import org.junit.jupiter.api.Test;

final class StampsTest {
    /// The last frame that a stamp can tell.
    private static final long LAST = ((1L << 36) - 3 * 16) + 15;

    @Test
    void stampOfAnyFrame_isNotNever() {
        assertThat(Stamps.of(1)).isEqualTo(1);
        assertThat(Stamps.of(15)).isEqualTo(1);
        assertThat(Stamps.of(16)).isEqualTo(2);
        assertThat(Integer.toUnsignedLong(Stamps.of(LAST))).isEqualTo((1L << 32) - 2);
    }

    @Test
    void framesBeyondTheLastStamp_areAllTakenByWhoAsksForSome() {
        assertThat(Integer.toUnsignedLong(Stamps.of(LAST + 1))).isGreaterThanOrEqualTo(Stamps.leastAfter(LAST + 100));
        assertThat(Integer.toUnsignedLong(Stamps.of(Long.MAX_VALUE)))
                .isGreaterThanOrEqualTo(Stamps.leastAfter(Long.MAX_VALUE));
    }

    @Test
    void frameBelowTheFirst_isAMistake() {
        assertThatThrownBy(() -> Stamps.of(0)).isInstanceOf(Invariant.InvariantViolation.class);
        assertThatThrownBy(() -> Stamps.of(-1)).isInstanceOf(Invariant.InvariantViolation.class);
    }

    @Test
    void leastAfterAFrame_takesEveryLaterOneAndAtMostFifteenBefore() {
        for (long frame = 0; frame < 100; frame++) {
            for (long sent = 1; sent < 200; sent++) {
                boolean taken = Integer.toUnsignedLong(Stamps.of(sent)) >= Stamps.leastAfter(frame);

                if (sent > frame) {
                    assertThat(taken).isTrue();
                } else if (sent <= frame - 15) {
                    assertThat(taken).isFalse();
                }
            }
        }
    }
}
