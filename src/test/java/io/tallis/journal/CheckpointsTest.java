package io.tallis.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.journal.Faults.Fate;
import io.tallis.testing.Gen;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// When checkpoints are taken; their thread is played by the test.
final class CheckpointsTest {
    private final SimulatedMachine machine = new SimulatedMachine();
    private SimulatedProcess process;
    private Checkpoints checkpoints;
    private int tries;
    private int looks;
    private boolean hasLostFiles;

    @BeforeEach
    void start() throws IOException {
        process = new SimulatedProcess(machine, FsyncPolicy.EVERYSEC, new Ledger(), new Gen(11));
        checkpoints = new Checkpoints(
                new Checkpointer(process.keyspace, machine.store, process, () -> {}, machine.clock, 32, _ -> {}),
                machine.clock,
                () -> looks++,
                () -> hasLostFiles);
        process.count("a", 1);
        failCommits(Fate.FAILS);
    }

    private void failCommits(Fate fate) {
        machine.faults.restart((_, operation) -> {
            boolean commit = operation.startsWith("commit");
            tries += commit ? 1 : 0;
            return commit ? fate : Fate.GOOD;
        });
    }

    @Test
    void failedCheckpoint_isTriedAgainLaterAndLaterUntilAMinute() {
        checkpoints.request();
        checkpoints.runIfDue();
        assertThat(tries).isEqualTo(1);

        for (long seconds : new long[] {1, 2, 4, 8, 16, 32, 60, 60}) {
            int before = tries;
            machine.clock.advance(Duration.ofSeconds(seconds).minusNanos(1));
            checkpoints.runIfDue();
            assertThat(tries).as("before %d s", seconds).isEqualTo(before);
            machine.clock.advance(Duration.ofNanos(1));
            checkpoints.runIfDue();
            assertThat(tries).as("after %d s", seconds).isEqualTo(before + 1);
        }
    }

    /// Changes are refused until one succeeds, and what failed before may be over.
    @Test
    void lossAfterFailures_isMadeUpForAtOnce_andThenTriedLaterAndLater() {
        checkpoints.request();
        for (int i = 0; i < 8; i++) {
            checkpoints.runIfDue();
            machine.clock.advance(Duration.ofSeconds(60));
        }
        int before = tries;
        checkpoints.runIfDue();
        assertThat(tries).isEqualTo(before + 1);

        hasLostFiles = true;
        for (int seconds = 0; seconds < 60; seconds++) {
            checkpoints.request();
            checkpoints.runIfDue();
            machine.clock.advance(Duration.ofSeconds(1));
        }
        // After 0, 1, 3, 7, 15 and 31 seconds.
        assertThat(tries).isEqualTo(before + 1 + 6);
    }

    @Test
    void copy_atTheEnd_isBegunByNobody() {
        checkpoints.end();

        assertThatThrownBy(() -> checkpoints.runThen(done -> done)).hasMessage("the node stops");

        assertThat(tries).isZero();
    }

    @Test
    void failure_staysUntilACheckpointSucceedsWhichNobodyNeedsToAskFor() {
        assertThatThrownBy(checkpoints::run).isInstanceOf(IOException.class);
        assertThat(checkpoints.failure()).isEqualTo("No space left on device");
        failCommits(Fate.GOOD);

        machine.clock.advance(Duration.ofSeconds(1));
        checkpoints.runIfDue();

        assertThat(checkpoints.failure()).isNull();
        assertThat(checkpoints.last().cells()).isPositive();
        machine.clock.advance(Duration.ofMinutes(10));
        checkpoints.runIfDue();
        assertThat(tries).isEqualTo(2);
    }

    @Test
    void failure_hasFilesLookedForAtOnce() throws IOException {
        assertThatThrownBy(checkpoints::run).isInstanceOf(IOException.class);
        assertThat(looks).isEqualTo(1);
        failCommits(Fate.GOOD);
        checkpoints.run();
        assertThat(looks).isEqualTo(1);

        assertThatThrownBy(() -> checkpoints.runThen(_ -> {
                    throw new IOException("what followed failed");
                }))
                .isInstanceOf(IOException.class);
        assertThat(looks).isEqualTo(2);
    }

    @Test
    void damage_thatIsFoundByWhatFollows_isMadeUpForByTheNext() throws IOException {
        failCommits(Fate.GOOD);
        assertThatThrownBy(() -> checkpoints.runThen(_ -> {
                    throw new DamagedException("a segment");
                }))
                .isInstanceOf(DamagedException.class);
        int before = tries;

        checkpoints.runIfDue();

        assertThat(tries).isEqualTo(before + 1);
    }

    @Test
    void failure_atTheEnd_isTriedAgainByNobody() {
        checkpoints.request();
        checkpoints.end();
        assertThatThrownBy(checkpoints::run).isInstanceOf(IOException.class);

        assertThat(checkpoints.status().due()).isFalse();
        assertThat(checkpoints.failure()).isEqualTo("No space left on device");
    }

    @Test
    void waitAfterAFailure_beginsAnewOnceOneHasSucceeded() throws IOException {
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(checkpoints::run).isInstanceOf(IOException.class);
        }
        failCommits(Fate.GOOD);
        checkpoints.run();
        failCommits(Fate.FAILS);
        assertThatThrownBy(checkpoints::run).isInstanceOf(IOException.class);
        int before = tries;

        machine.clock.advance(Duration.ofSeconds(1));
        checkpoints.runIfDue();

        assertThat(tries).isEqualTo(before + 1);
    }
}
