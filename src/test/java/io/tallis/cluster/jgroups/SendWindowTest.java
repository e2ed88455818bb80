package io.tallis.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SendWindowTest {
    private static final int LARGE = (int) (SendWindow.MOST_BYTES / 4);

    private final SendWindow window = new SendWindow(LARGE);

    @Test
    void window_ofSmallFrames_isFullByTheirNumber() {
        for (int i = 0; i < 5 * SendWindow.MOST_PIECES; i++) {
            window.add(1);
        }

        assertThat(window.isFull(0)).isFalse();
        assertThat(window.isFull(SendWindow.MOST_PIECES - 1)).isFalse();
        assertThat(window.isFull(SendWindow.MOST_PIECES)).isTrue();
    }

    @Test
    void window_ofLargeFrames_isFullByTheirBytesUntilTheyAreAcknowledged() {
        for (int i = 0; i < 4; i++) {
            window.add(LARGE);
        }
        window.add(1);

        assertThat(window.isFull(5)).isTrue();
        assertThat(window.isFull(4)).isFalse();
    }

    @Test
    void frameOfSeveralPieces_isAcknowledgedPieceByPiece() {
        window.add(3 * LARGE);
        window.add(LARGE);

        assertThat(window.isFull(4)).isTrue();
        assertThat(window.isFull(3)).isFalse();
    }

    /// JGroups may still hold messages to a member from before it was in the view.
    @Test
    void framesOfBeforeTheWindow_countNothing() {
        window.add(1);

        assertThat(window.isFull(100)).isFalse();
    }
}
