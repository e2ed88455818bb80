package io.tallis.journal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Faults.Fate;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.runtime.Threads;
import io.tallis.testing.Gen;
import java.io.IOException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// When checkpoints are taken; their thread is played by the test.
final class CheckpointsTest {
    private final SimulatedMachine machine = new SimulatedMachine();
    private SimulatedProcess process;
    private Checkpointer checkpointer;
    private Checkpoints checkpoints;
    private int tries;

    @BeforeEach
    void start() throws IOException {
        process = new SimulatedProcess(machine, FsyncPolicy.EVERYSEC, new Ledger(), new Gen(11));
        checkpointer =
                new Checkpointer(process.keyspace, process.database, process, () -> {}, machine.clock, 32, _ -> {});
        checkpoints = new Checkpoints(checkpointer, machine.clock);
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
    void failedCheckpoint_isRetriedAtIntervalsThatDoubleUpToAMinute() {
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

    @Test
    void requestAtOnce_afterFailures_doesNotWaitForTheNextRetry() {
        checkpoints.request();
        for (int i = 0; i < 8; i++) {
            checkpoints.runIfDue();
            machine.clock.advance(Duration.ofSeconds(60));
        }
        checkpoints.runIfDue();
        int before = tries;

        checkpoints.requestAtOnce();
        for (int seconds = 0; seconds < 60; seconds++) {
            checkpoints.request();
            checkpoints.runIfDue();
            machine.clock.advance(Duration.ofSeconds(1));
        }

        // After 0, 1, 3, 7, 15 and 31 seconds.
        assertThat(tries).isEqualTo(before + 6);
    }

    @Test
    void request_metByACheckpointOfAnotherThread_hasNoneTakenAgain() throws Exception {
        failCommits(Fate.GOOD);
        Thread worker = Threads.unstarted("worker", checkpoints::runIfDue);
        Checkpointer ofAnotherThread = checkpointer;
        synchronized (ofAnotherThread) {
            checkpoints.request();
            worker.start();
            Awaitility.await().until(() -> worker.getState() == Thread.State.BLOCKED);
            checkpoints.run();
        }
        worker.join();

        assertThat(tries).isEqualTo(1);
    }

    @Test
    void backup_duringTheStop_isRefused() {
        checkpoints.end();

        assertThatThrownBy(() -> checkpoints.runThen(done -> done)).hasMessage("the node stops");

        assertThat(tries).isZero();
    }

    @Test
    void failure_isRetriedWithoutARequestAndReportedUntilThen() {
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
    void damage_foundByABackup_hasAnotherCheckpointTaken() throws IOException {
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
    void failure_duringTheStop_isNotRetried() {
        checkpoints.request();
        checkpoints.end();
        assertThatThrownBy(checkpoints::run).isInstanceOf(IOException.class);

        assertThat(checkpoints.status().due()).isFalse();
        assertThat(checkpoints.failure()).isEqualTo("No space left on device");
    }

    @Test
    void retryInterval_afterASuccess_isShortAgain() throws IOException {
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
