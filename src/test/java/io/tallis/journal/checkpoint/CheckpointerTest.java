package io.tallis.journal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.Faults.Fate;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace.Consumer;
import io.tallis.testing.Gen;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
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
    void checkpoint_releasesTheJournalBeforeIt() throws IOException {
        process.count("a", 1);

        assertThat(process.checkpoint()).isTrue();

        assertThat(machine.store().replayFrom()).isEqualTo(2);
        assertThat(process.segments.numbers()).containsExactly(2L);
        start();
        assertThat(process.value("a")).isEqualTo(1);
    }

    @Test
    void failedCheckpoint_keepsTheJournalAndTheNextWritesEverything() throws IOException {
        process.count("a", 1);
        process.count("b", 1);
        machine.faults.restart((_, operation) -> operation.startsWith("commit") ? Fate.FAILS : Fate.GOOD);

        assertThat(process.checkpoint()).isFalse();

        assertThat(process.checkpointer.history().begunSince()).isEqualTo(1);
        assertThat(process.segments.numbers()).hasSize(2);
        assertThat(process.keyspace.marked(Consumer.CHECKPOINT)).isEqualTo(process.keyspace.cells());
        machine.heal();
        assertThat(process.checkpoint()).isTrue();
        assertThat(process.checkpointer.history().begunSince()).isZero();
        assertThat(process.checkpointer.history().taken()).isEqualTo(1);
        assertThat(process.checkpointer.history().databaseBytes()).isPositive();
        start();
        assertThat(process.value("a")).isEqualTo(1);
        assertThat(process.value("b")).isEqualTo(1);
    }

    /// The journal does not have any more what the database held.
    @Test
    void damagedDatabase_isReplacedByANewGenerationWithAllCells() throws IOException {
        countBeforeAndAfterACheckpoint();
        machine.store().damageFiles();

        assertThat(process.checkpoint()).isTrue();

        assertThat(machine.generations.current()).isEqualTo(2);
        assertThat(machine.generations.numbers()).containsExactly(2L);
        start();
        assertEverything();
    }

    @Test
    void damageMetByAWrite_beginsANewGenerationAtOnce() throws IOException {
        countBeforeAndAfterACheckpoint();
        machine.faults.restart((_, operation) -> {
            if (operation.startsWith("write rows")) {
                machine.store().damageFiles();
                machine.heal();
                return Fate.FAILS;
            }
            return Fate.GOOD;
        });

        assertThat(process.checkpoint()).isFalse();
        assertThat(process.checkpoint()).isTrue();

        assertThat(machine.generations.current()).isEqualTo(2);
        start();
        assertEverything();
    }

    /// The old generation, which the next start might still read, must survive a disk without room for another one.
    @Test
    void newGeneration_withoutRoom_isDeletedAndTheOldOneKept() throws IOException {
        countBeforeAndAfterACheckpoint();
        SimulatedCellStore old = machine.store();
        old.damageFiles();
        for (String step : List.of("create generation", "write rows", "commit", "use generation")) {
            machine.faults.restart((_, operation) -> operation.startsWith(step) ? Fate.FAILS : Fate.GOOD);

            assertThat(process.checkpoint()).as(step).isFalse();

            assertThat(machine.generations.numbers()).as(step).containsExactly(1L);
            assertThat(process.segments.numbers()).as(step).contains(2L);
        }
        machine.faults.restart((_, operation) -> operation.startsWith("create") ? Fate.FAILS_AFTER : Fate.GOOD);
        assertThat(process.checkpoint()).isFalse();
        assertThat(machine.generations.numbers()).containsExactly(1L);
        old.repairFiles();
        machine.heal();
        start();
        assertEverything();
    }

    /// The rename may have been made though it was reported as failed.
    @Test
    void switchReportedAsFailed_isRepeatedWithAThirdGeneration() throws IOException {
        countBeforeAndAfterACheckpoint();
        machine.store().damageFiles();
        machine.faults.restart((_, operation) -> operation.startsWith("use") ? Fate.FAILS_AFTER : Fate.GOOD);
        assertThat(process.checkpoint()).isFalse();
        assertThat(machine.generations.numbers()).containsExactly(2L, 1L);
        process.count("b", 1);
        machine.heal();

        assertThat(process.checkpoint()).isTrue();

        assertThat(machine.generations.current()).isEqualTo(3);
        assertThat(machine.generations.numbers()).containsExactly(3L);
        start();
        assertThat(process.value("a")).isEqualTo(1);
        assertThat(process.value("b")).isEqualTo(2);
    }

    @Test
    void crash_atEachStepOfTheSwitch_losesNothingIfTheOldGenerationCanBeRead() throws IOException {
        for (Fate fate : new Fate[] {Fate.CRASHES, Fate.CRASHES_AFTER, Fate.FAILS, Fate.FAILS_AFTER}) {
            boolean reached = true;
            for (int at = 1; reached; at++) {
                SimulatedMachine other = machineThatFails(fate, at);
                reached = other.faults.count() >= at;
                other.generations.numbers().stream()
                        .filter(number -> number == 1)
                        .forEach(_ -> other.generations.repair(1));
                other.losePower(new Gen(at));

                assertStartHasEverything(other, fate + " at " + at);
            }
        }
    }

    /// Before the commit nothing on the disk has what the damaged generation held.
    @Test
    void crash_atEachStepOfTheSwitch_fromADamagedGeneration_losesNothingOnceTheNewOneIsCommitted() throws IOException {
        int refused = 0;
        int started = 0;
        boolean reached = true;
        for (int at = 1; reached; at++) {
            SimulatedMachine other = machineThatFails(Fate.CRASHES_AFTER, at);
            reached = other.faults.count() >= at;
            boolean committed =
                    other.faults.operations().stream().anyMatch(operation -> operation.contains(" commit "));
            other.losePower(new Gen(at));

            if (committed) {
                assertStartHasEverything(other, "crash at " + at);
                started++;
            } else {
                assertThatThrownBy(() -> process(other)).isInstanceOf(DamagedException.class);
                refused++;
            }
        }
        assertThat(refused).isPositive();
        assertThat(started).isGreaterThanOrEqualTo(3);
    }

    /// A machine whose database was damaged and whose operation `at` from then on has this fate.
    private static SimulatedMachine machineThatFails(Fate fate, int at) throws IOException {
        SimulatedMachine other = new SimulatedMachine();
        SimulatedProcess life = process(other);
        life.count("a", 1);
        assertThat(life.checkpoint()).isTrue();
        life.count("b", 1);
        other.losePower(new Gen(at));
        life = process(other);
        life.count("b", 1);
        life.log.sync();
        other.store().damageFiles();
        other.faults.restart((number, _) -> number == at ? fate : Fate.GOOD);
        try {
            boolean _ = life.checkpoint();
        } catch (Faults.Crash _) {
            // The machine has stopped.
        }
        return other;
    }

    private static SimulatedProcess process(SimulatedMachine other) throws IOException {
        return new SimulatedProcess(other, FsyncPolicy.EVERYSEC, new Ledger(), new Gen(7 + other.starts++));
    }

    private static void assertStartHasEverything(SimulatedMachine other, String description) throws IOException {
        for (int i = 0; i < 2; i++) {
            SimulatedProcess next = process(other);
            assertThat(next.value("a")).as(description).isEqualTo(1);
            assertThat(next.value("b")).as(description).isGreaterThanOrEqualTo(1);
            assertThat(next.checkpoint()).isTrue();
        }
        assertThat(other.generations.numbers()).as(description).hasSize(1);
    }

    private void countBeforeAndAfterACheckpoint() {
        process.count("a", 1);
        assertThat(process.checkpoint()).isTrue();
        process.count("b", 1);
    }

    private void assertEverything() {
        assertThat(process.value("a")).isEqualTo(1);
        assertThat(process.value("b")).isEqualTo(1);
    }

    /// A client can choose keys that all fall into one partition.
    @Test
    void cellsOfOnePartition_areWrittenInManyBatches() {
        IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "k" + i)
                .filter(name -> process.keyspace.partitionOf(Key.of(name.getBytes(StandardCharsets.US_ASCII))) == 0)
                .limit(100)
                .forEach(name -> process.count(name, 1));

        assertThat(process.checkpoint()).isTrue();

        assertThat(machine.store().bytes()).isGreaterThan(20 * SimulatedProcess.BATCH_BYTES);
        assertThat(machine.store().largestBatch()).isLessThan(2 * SimulatedProcess.BATCH_BYTES);
    }

    /// Otherwise a database that cannot be opened would fill the disk, one segment an attempt.
    @Test
    void databaseThatCannotBeOpened_costsNoSegment() {
        process.count("a", 1);
        machine.faults.restart((_, operation) -> operation.equals("open the database") ? Fate.FAILS : Fate.GOOD);

        assertThat(process.checkpoint()).isFalse();

        assertThat(process.segments.numbers()).containsExactly(1L);
        assertThat(process.checkpointer.history().begunSince()).isEqualTo(1);
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
    void batches_areSmallOnASmallHeap() {
        assertThat(Checkpointer.batchBytes(128L << 20)).isEqualTo(128 << 10);
        assertThat(Checkpointer.batchBytes(16L << 30)).isEqualTo(512 << 10);
        assertThat(Checkpointer.batchBytes(1L << 20)).isEqualTo(16 << 10);
    }

    /// The reset comes when the checkpoint has waited for all turns and has not told the keyspace yet.
    @Test
    void reset_atTheEndOfACheckpoint_keepsRowsOfOtherLoopsWhole() throws IOException {
        SimulatedProcess.Loop resetting = process.loops.getFirst();
        SimulatedProcess.Loop adding = process.loops.getLast();
        process.count("a", 7);
        resetting.mergeFromPeer("a", 70);
        process.whileResting = () -> {};
        machine.faults.restart((_, operation) -> {
            if (operation.startsWith("commit")) {
                resetting.delete("a");
            }
            return Fate.GOOD;
        });
        assertThat(process.checkpoint()).isTrue();
        adding.add("a", 1);
        adding.commit();
        process.step();
        machine.heal();

        start();

        assertThat(process.value("a")).isEqualTo(1);
    }

    /// A drain shows one counter of a transaction before it and the other behind it.
    @Test
    void transaction_inTheMiddleOfADrain_isWholeAfterACrash() throws IOException {
        for (int seed = 0; seed < 50; seed++) {
            start();
            SimulatedProcess.Loop loop = process.loops.getFirst();
            loop.addToBoth();
            process.whileResting = loop::addToBoth;
            machine.faults.restart((_, operation) -> operation.startsWith("commit") ? Fate.CRASHES : Fate.GOOD);
            assertThatThrownBy(process::checkpoint).isInstanceOf(Faults.Crash.class);
            machine.losePower(new Gen(seed));

            start();

            assertThat(process.growthOf("left")).as("seed " + seed).isEqualTo(process.growthOf("right"));
        }
    }
}
