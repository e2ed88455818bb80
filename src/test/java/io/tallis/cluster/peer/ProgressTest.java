package io.tallis.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.ReplicaId;
import org.junit.jupiter.api.Test;

final class ProgressTest {
    private final Progress progress = new Progress(new ReplicaId(1, 2));

    @Test
    void merged_aheadOfAGap_isNoProgress() {
        progress.merged(1);

        boolean progressed = progress.merged(3);

        assertThat(progressed).isFalse();
        assertThat(progress.merged()).isEqualTo(1);
    }

    @Test
    void merged_ofTheMissingFrame_reachesWhatCameAhead() {
        progress.merged(1);
        progress.merged(3);

        progress.merged(2);

        assertThat(progress.merged()).isEqualTo(3);
    }

    @Test
    void has_beforeTheJournalSaysSo_isNothing() {
        progress.merged(1);

        assertThat(progress.has()).isEqualTo(Known.NOTHING);
    }

    @Test
    void knowsMoreThanItTells_withAFrameAheadOfAGap_isTrue() {
        progress.merged(2);

        assertThat(progress.knowsMoreThanItTells()).isTrue();
    }

    @Test
    void knowsMoreThanItTells_beyondAllGapsThatHaveRoom_isTrueUntilItIsReached() {
        for (long frame = 2; frame <= 2 * Ranges.MOST + 2; frame += 2) {
            progress.merged(frame);
        }
        long last = 2 * Ranges.MOST + 2;

        progress.reached(new Known(last - 1, 0));
        assertThat(progress.merged()).isEqualTo(last - 1);
        assertThat(progress.knowsMoreThanItTells()).isTrue();
        progress.reached(new Known(last, 0));

        assertThat(progress.knowsMoreThanItTells()).isFalse();
    }

    @Test
    void knowsMoreThanItTells_ofCellsWithoutANumber_isTrueUntilTheyAreNews() {
        progress.hasUnnumbered();
        progress.reached(new Known(7, 0));
        assertThat(progress.knowsMoreThanItTells()).isTrue();

        progress.partsAreNews();

        assertThat(progress.knowsMoreThanItTells()).isFalse();
    }

    @Test
    void behindSince_whileFramesAreMissing_keepsTheFirstMoment() {
        progress.heard(4);

        progress.behindSince(100);

        assertThat(progress.behindSince(200)).isEqualTo(100);
    }

    @Test
    void isToBeTold_whenTheJournalHasIt_isTrueOnce() {
        progress.tellWhenAt(3);
        assertThat(progress.isToBeTold()).isFalse();

        progress.journalled(new Known(3, 0));

        assertThat(progress.isToBeTold()).isTrue();
        assertThat(progress.isToBeTold()).isFalse();
    }

    @Test
    void isToBeTold_whileMoreAndMoreIsWaitedFor_isTrueForWhatTheJournalHas() {
        progress.tellWhenAt(3);
        progress.tellWhenAt(6);

        progress.journalled(new Known(3, 0));
        assertThat(progress.isToBeTold()).isTrue();
        progress.tellWhenAt(9);
        assertThat(progress.isToBeTold()).isFalse();
        progress.journalled(new Known(6, 0));
        assertThat(progress.isToBeTold()).isTrue();
        progress.journalled(new Known(9, 0));
        assertThat(progress.isToBeTold()).isTrue();
        progress.journalled(new Known(12, 0));

        assertThat(progress.isToBeTold()).isFalse();
    }
}
