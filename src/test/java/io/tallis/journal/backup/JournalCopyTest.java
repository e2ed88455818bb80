package io.tallis.journal.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.journal.checkpoint.Ledger;
import io.tallis.journal.checkpoint.SimulatedCellStore;
import io.tallis.journal.checkpoint.SimulatedMachine;
import io.tallis.journal.checkpoint.SimulatedProcess;
import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.SimulatedDisk;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.journal.log.LogFrame;
import io.tallis.journal.log.SegmentHead;
import io.tallis.journal.log.Segments;
import io.tallis.testing.Gen;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class JournalCopyTest {
    private static final String FIRST = Segments.nameOf(1);

    private final SimulatedMachine machine = new SimulatedMachine();
    private SimulatedProcess process;
    private JournalCopy rows;

    @BeforeEach
    void start() throws IOException {
        process = new SimulatedProcess(machine, FsyncPolicy.EVERYSEC, new Ledger(), new Gen(11));
        rows = new JournalCopy(process.segments, process::rotate, () -> {});
        process.count("a", 1);
    }

    @Test
    void copy_hasAllThatWasRecorded() throws IOException {
        SimulatedMachine other = new SimulatedMachine();

        rows.copyTo(other.disk, 1);

        other.generations.add(1, new SimulatedCellStore(other.faults));
        assertThat(new SimulatedProcess(other, FsyncPolicy.EVERYSEC, new Ledger(), new Gen(12)).value("a"))
                .isEqualTo(1);
    }

    @Test
    void copy_ofADamagedSegment_fails() {
        machine.disk.flipBit(FIRST, SegmentHead.BYTES + LogFrame.HEADER);

        assertThatThrownBy(() -> rows.copyTo(new SimulatedDisk(new Faults()), 1))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining(FIRST + ": damaged at offset " + SegmentHead.BYTES);
    }
}
