package io.tallis.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.journal.log.Told;
import io.tallis.keyspace.Key;
import org.junit.jupiter.api.Test;

final class UnjournaledTurnsTest {
    @Test
    void commit_isAcknowledgedAtOnce() {
        UnjournaledTurns turns = new UnjournaledTurns();
        turns.record(Key.of(new byte[] {'a'}), new Cell(), false);
        assertThat(turns.hasChanges()).isTrue();
        Told told = new Told();

        turns.commit(told);

        assertThat(told.isWritten()).isTrue();
        assertThat(turns.hasChanges()).isFalse();
        assertThat(turns.congested()).isFalse();
    }
}
