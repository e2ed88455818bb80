package io.tallis.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

        assertThat(new SimulatedProcess(other, FsyncPolicy.EVERYSEC, new Ledger(), new Gen(12)).value("a"))
                .isEqualTo(1);
    }

    /// As somebody may do for the room.
    @Test
    void copy_ofWhichASegmentIsDeletedMeanwhile_isNone() {
        SimulatedDisk other = new SimulatedDisk(new Faults());
        JournalCopy losing = new JournalCopy(process.segments, process::rotate, () -> other.remove(FIRST));

        assertThatThrownBy(() -> losing.copyTo(other, 1)).hasMessage("somebody has deleted segments of the copy");
    }

    @Test
    void copy_ofADamagedSegment_isNone() {
        machine.disk.flipBit(FIRST, SegmentHead.BYTES + Frame.HEADER);

        assertThatThrownBy(() -> rows.copyTo(new SimulatedDisk(new Faults()), 1))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining(FIRST + ": damaged at offset " + SegmentHead.BYTES);
    }
}
