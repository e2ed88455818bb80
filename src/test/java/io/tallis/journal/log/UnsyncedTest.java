package io.tallis.journal.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class UnsyncedTest {
    private static final LogFrame.Stamp STAMP = new LogFrame.Stamp(1, 1, 0);

    private final Unsynced unsynced = new Unsynced();

    @Test
    void memory_countsWholeBlocksForAsLongAsTheyAreInUse() {
        byte[] moreThanHalfABlock = new byte[Unsynced.BLOCK_BYTES / 2];
        byte[] moreThanABlock = new byte[Unsynced.BLOCK_BYTES];
        unsynced.startAt(0);

        add(moreThanHalfABlock);
        add(moreThanHalfABlock);
        add(moreThanABlock);

        assertThat(unsynced.memory()).isEqualTo(3L * Unsynced.BLOCK_BYTES + LogFrame.HEADER);
        unsynced.release(unsynced.end());
        assertThat(unsynced.memory()).isZero();
    }

    private void add(byte[] rows) {
        unsynced.add(rows, rows.length, STAMP);
        unsynced.seal(STAMP);
    }
}
