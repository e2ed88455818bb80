package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.StandInTurnLog;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class IntakeTest {
    private static final ReplicaId SENDER = NodeGen.session(2);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long START = TimeUnit.SECONDS.toNanos(1);

    private final Log log = new Log();
    private final Progress progress = new Progress(SENDER);
    private final List<Progress> told = new ArrayList<>();
    private final Intake intake =
            new Intake(new Keyspace(new Replicas(NodeGen.session(1)), () -> 1), log, Runnable::run, told::add);
    private long frames;

    @Test
    void commit_ofWhatWasJustMerged_waitsForMore() throws Exception {
        merge("likes", 1);
        intake.commit(START);
        merge("likes", 2);
        intake.commit(START + 4 * MILLI);

        assertThat(log.outcomes).isEmpty();
        assertThat(intake.nextDue()).isEqualTo(START + 5 * MILLI);
    }

    @Test
    void commit_afterSomeMilliseconds_takesAllThatCame() throws Exception {
        merge("likes", 1);
        intake.commit(START);
        merge("likes", 2);

        intake.commit(START + 5 * MILLI);
        log.outcomes.getFirst().written();

        assertThat(progress.has().frames()).isEqualTo(2);
        assertThat(told).containsExactly(progress);
        assertThat(intake.nextDue()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void commit_whenClientsElsewhereWait_isMadeAtOnce() throws Exception {
        progress.tellWhenAt(1);
        merge("likes", 1);

        intake.commit(START);

        assertThat(log.outcomes).hasSize(1);
    }

    @Test
    void commit_whenMuchCame_isMadeAtOnce() throws Exception {
        for (int i = 0; i < 20_000; i++) {
            merge("some-longer-key-" + i, 1);
        }

        intake.commit(START);

        assertThat(log.outcomes).hasSize(1);
    }

    @Test
    void commit_thatTheDiskLost_isMadeAgainWithAllThatWasInIt() throws Exception {
        merge("likes", 1);
        intake.commit(START);
        intake.commit(START + 5 * MILLI);
        log.outcomes.getFirst().lost();
        intake.commit(START + 6 * MILLI);
        assertThat(log.outcomes).hasSize(1);

        intake.commit(START + 1_006 * MILLI);
        log.outcomes.getLast().written();

        assertThat(log.outcomes).hasSize(2);
        assertThat(progress.has().frames()).isEqualTo(1);
        assertThat(intake.losing()).isFalse();
    }

    @Test
    void end_withSomethingMerged_leavesNothingUncommitted() throws Exception {
        merge("likes", 1);
        intake.commit(START);

        intake.end();

        assertThat(log.outcomes).hasSize(1);
        assertThat(log.hasChanges()).isFalse();
    }

    private void merge(String key, long amount) throws Exception {
        Counter counter = new Counter().clear(CounterType.PNCOUNT);
        assertThat(counter.add(Replicas.OWN, amount)).isTrue();
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        ByteWriter out = new ByteWriter(100);
        new Entries(new Replicas(SENDER)).own(CounterType.PNCOUNT, Key.of(name), counter, out);
        intake.mergeRest(SENDER, new ByteReader().on(out.array(), 0, out.position()));
        assertThat(progress.merged(++frames)).isTrue();
        intake.advanced(progress);
    }

    /// Remembers the commits, whose outcomes are up to the test.
    private static final class Log extends StandInTurnLog {
        private final List<Outcome> outcomes = new ArrayList<>();

        @Override
        protected void committed(Outcome outcome) {
            outcomes.add(outcome);
        }
    }
}
