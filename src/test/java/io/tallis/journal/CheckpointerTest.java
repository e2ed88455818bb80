package io.tallis.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.journal.Faults.Fate;
import io.tallis.keyspace.Keyspace.Consumer;
import io.tallis.testing.Gen;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class CheckpointerTest {
    private final SimulatedMachine machine = new SimulatedMachine();
    private SimulatedProcess process;

    @BeforeEach
    void start() throws IOException {
        process = new SimulatedProcess(machine, FsyncPolicy.EVERYSEC, new Ledger(), new Gen(5 + machine.starts++));
    }

    @Test
    void checkpoint_makesTheJournalBeforeItNeedless() throws IOException {
        process.count("a", 1);

        assertThat(process.checkpoint()).isTrue();

        assertThat(machine.store.replayFrom()).isEqualTo(2);
        assertThat(process.segments.numbers()).containsExactly(2L);
        start();
        assertThat(process.value("a")).isEqualTo(1);
    }

    @Test
    void failedCheckpoint_keepsTheJournalAndWritesAllTheNextTime() throws IOException {
        process.count("a", 1);
        process.count("b", 1);
        machine.faults.restart((_, operation) -> operation.startsWith("commit") ? Fate.FAILS : Fate.GOOD);

        assertThat(process.checkpoint()).isFalse();

        assertThat(process.segments.numbers()).hasSize(2);
        assertThat(process.keyspace.changed(Consumer.CHECKPOINT)).isEqualTo(process.keyspace.cells());
        machine.heal();
        assertThat(process.checkpoint()).isTrue();
        start();
        assertThat(process.value("a")).isEqualTo(1);
        assertThat(process.value("b")).isEqualTo(1);
    }

    @Test
    void rotationThatFails_marksNothingAndGoesOn() throws IOException {
        process.count("a", 1);
        machine.faults.restart((_, operation) -> operation.startsWith("create") ? Fate.FAILS : Fate.GOOD);

        assertThat(process.checkpoint()).isFalse();

        assertThat(process.log.segmentNumber()).isEqualTo(1);
        process.count("a", 1);
        machine.heal();
        start();
        assertThat(process.value("a")).isEqualTo(2);
    }

    @Test
    void reset_notHandedOverAtARotation_keepsRowsOfOtherLoopsWhole() throws IOException {
        SimulatedProcess.Loop resetting = process.loops.getFirst();
        SimulatedProcess.Loop adding = process.loops.getLast();
        process.count("k1", 7);
        process.count("k2", 7);
        process.checkpoint();
        resetting.delete("k1");
        process.keyspace.journalRotated();
        adding.add("k1", 1);
        adding.commit();
        process.step();
        machine.heal();

        start();

        assertThat(process.value("k1")).isEqualTo(1);
    }
}
