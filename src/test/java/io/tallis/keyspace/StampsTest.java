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
        assertThat(OwnChanges.stampOf(1)).isEqualTo(1);
        assertThat(OwnChanges.stampOf(15)).isEqualTo(1);
        assertThat(OwnChanges.stampOf(16)).isEqualTo(2);
        assertThat(Integer.toUnsignedLong(OwnChanges.stampOf(LAST))).isEqualTo((1L << 32) - 2);
    }

    @Test
    void framesBeyondTheLastStamp_areAllTakenByWhoAsksForSome() {
        assertThat(Integer.toUnsignedLong(OwnChanges.stampOf(LAST + 1)))
                .isGreaterThanOrEqualTo(OwnChanges.leastStampAfter(LAST + 100));
        assertThat(Integer.toUnsignedLong(OwnChanges.stampOf(Long.MAX_VALUE)))
                .isGreaterThanOrEqualTo(OwnChanges.leastStampAfter(Long.MAX_VALUE));
    }

    @Test
    void frameBelowTheFirst_isAMistake() {
        assertThatThrownBy(() -> OwnChanges.stampOf(0)).isInstanceOf(Invariant.InvariantViolation.class);
        assertThatThrownBy(() -> OwnChanges.stampOf(-1)).isInstanceOf(Invariant.InvariantViolation.class);
    }

    @Test
    void leastAfterAFrame_takesEveryLaterOneAndAtMostFifteenBefore() {
        for (long frame = 0; frame < 100; frame++) {
            for (long sent = 1; sent < 200; sent++) {
                boolean taken = Integer.toUnsignedLong(OwnChanges.stampOf(sent)) >= OwnChanges.leastStampAfter(frame);

                if (sent > frame) {
                    assertThat(taken).isTrue();
                } else if (sent <= frame - 15) {
                    assertThat(taken).isFalse();
                }
            }
        }
    }
}
