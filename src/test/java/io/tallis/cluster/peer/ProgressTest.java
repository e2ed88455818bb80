package io.tallis.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.ReplicaId;
import org.junit.jupiter.api.Test;

final class ProgressTest {
    private final Progress progress = new Progress(new ReplicaId(1, 2));

    @Test
    void onMerged_aheadOfAGap_isNoProgress() {
        progress.onMerged(1);

        boolean progressed = progress.onMerged(3);

        assertThat(progressed).isFalse();
        assertThat(progress.merged()).isEqualTo(1);
    }

    @Test
    void onMerged_ofTheMissingFrame_advancesOverFramesThatCameAhead() {
        progress.onMerged(1);
        progress.onMerged(3);

        progress.onMerged(2);

        assertThat(progress.merged()).isEqualTo(3);
    }

    @Test
    void durable_beforeTheJournalHasIt_isNothing() {
        progress.onMerged(1);

        assertThat(progress.durable()).isEqualTo(Known.NOTHING);
    }

    @Test
    void hasUnnumbered_withAFrameAheadOfAGap_isTrue() {
        progress.onMerged(2);

        assertThat(progress.hasUnnumbered()).isTrue();
    }

    @Test
    void hasUnnumbered_beyondTheMostRanges_isTrueUntilMergedGetsThere() {
        for (long frame = 2; frame <= 2 * Ranges.MOST + 2; frame += 2) {
            progress.onMerged(frame);
        }
        long last = 2 * Ranges.MOST + 2;

        progress.advanceTo(new Known(last - 1, 0));
        assertThat(progress.merged()).isEqualTo(last - 1);
        assertThat(progress.hasUnnumbered()).isTrue();
        progress.advanceTo(new Known(last, 0));

        assertThat(progress.hasUnnumbered()).isFalse();
    }

    @Test
    void hasUnnumbered_ofCellsWithoutANumber_isTrueUntilTheyAreNews() {
        progress.noteUnnumbered();
        progress.advanceTo(new Known(7, 0));
        assertThat(progress.hasUnnumbered()).isTrue();

        progress.clearUnnumbered();

        assertThat(progress.hasUnnumbered()).isFalse();
    }

    @Test
    void missingSince_whileFramesAreMissing_staysTheFirstMoment() {
        progress.onHead(4);

        progress.missingSince(100);

        assertThat(progress.missingSince(200)).isEqualTo(100);
    }

    @Test
    void takeAckDue_whenTheFrameIsDurable_isTrueOnce() {
        progress.requestAck(3);
        assertThat(progress.takeAckDue()).isFalse();

        progress.onDurable(new Known(3, 0));

        assertThat(progress.takeAckDue()).isTrue();
        assertThat(progress.takeAckDue()).isFalse();
    }

    @Test
    void takeAckDue_whileLaterFramesAreWantedToo_isTrueForEachAdvance() {
        progress.requestAck(3);
        progress.requestAck(6);

        progress.onDurable(new Known(3, 0));
        assertThat(progress.takeAckDue()).isTrue();
        progress.requestAck(9);
        assertThat(progress.takeAckDue()).isFalse();
        progress.onDurable(new Known(6, 0));
        assertThat(progress.takeAckDue()).isTrue();
        progress.onDurable(new Known(9, 0));
        assertThat(progress.takeAckDue()).isTrue();
        progress.onDurable(new Known(12, 0));

        assertThat(progress.takeAckDue()).isFalse();
    }
}
