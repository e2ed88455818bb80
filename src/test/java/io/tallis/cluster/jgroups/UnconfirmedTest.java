package io.tallis.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class UnconfirmedTest {
    private static final int LARGE = (int) (Unconfirmed.MOST_BYTES / 4);

    private final Unconfirmed unconfirmed = new Unconfirmed(LARGE);

    @Test
    void fewFrames_areNotMuch() {
        for (int i = 0; i < 5 * Unconfirmed.MOST_PIECES; i++) {
            unconfirmed.sent(1);
        }

        assertThat(unconfirmed.isMuch(0)).isFalse();
        assertThat(unconfirmed.isMuch(Unconfirmed.MOST_PIECES - 1)).isFalse();
        assertThat(unconfirmed.isMuch(Unconfirmed.MOST_PIECES)).isTrue();
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

    @Test
    void frameOfSeveralPieces_isConfirmedInSuch() {
        unconfirmed.sent(3 * LARGE);
        unconfirmed.sent(LARGE);

        assertThat(unconfirmed.isMuch(4)).isTrue();
        assertThat(unconfirmed.isMuch(3)).isFalse();
    }

    /// JGroups may still have some of before a member was there.
    @Test
    void framesThatItDidNotSee_areNothing() {
        unconfirmed.sent(1);

        assertThat(unconfirmed.isMuch(100)).isFalse();
    }
}
