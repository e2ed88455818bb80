package io.tallis.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class UnconfirmedTest {
    private static final int LARGE = (int) (Unconfirmed.MOST_BYTES / 4);

    private final Unconfirmed unconfirmed = new Unconfirmed();

    @Test
    void fewFrames_areNotMuch() {
        for (int i = 0; i < 5 * Unconfirmed.MOST_FRAMES; i++) {
            unconfirmed.sent(1);
        }

        assertThat(unconfirmed.isMuch(0)).isFalse();
        assertThat(unconfirmed.isMuch(Unconfirmed.MOST_FRAMES - 1)).isFalse();
        assertThat(unconfirmed.isMuch(Unconfirmed.MOST_FRAMES)).isTrue();
    }

    @Test
    void manyBytes_areMuch_asLongAsTheyAreUnconfirmed() {
        for (int i = 0; i < 4; i++) {
            unconfirmed.sent(LARGE);
        }
        unconfirmed.sent(1);

        assertThat(unconfirmed.isMuch(5)).isTrue();
        assertThat(unconfirmed.isMuch(4)).isFalse();
    }

    /// JGroups may still have some of before a member was there.
    @Test
    void framesThatItDidNotSee_areNothing() {
        unconfirmed.sent(1);

        assertThat(unconfirmed.isMuch(100)).isFalse();
    }
}
