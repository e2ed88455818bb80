package io.tallis.cluster.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.cluster.peer.Progress;
import io.tallis.cluster.records.NodeGen;
import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.crdt.TooManyReplicasException;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Prefetch;
import io.tallis.keyspace.StandInTurnLog;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
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
    private final List<Progress> durable = new ArrayList<>();
    private final Keyspace keyspace = new Keyspace(new Replicas(NodeGen.session(1)), () -> 1, () -> 1_000_000);
    private final Intake intake = new Intake(keyspace, Long.MAX_VALUE, log, Runnable::run, durable::add);
    private long frames;

    @Test
    void commit_rightAfterAMerge_waitsForMore() throws Exception {
        merge("likes", 1);
        intake.commit(START);
        merge("likes", 2);
        intake.commit(START + 4 * MILLI);

        assertThat(log.outcomes).isEmpty();
        assertThat(intake.nextDue()).isEqualTo(START + 5 * MILLI);
    }

    @Test
    void commit_afterSomeMilliseconds_hasAllThatWasMerged() throws Exception {
        merge("likes", 1);
        intake.commit(START);
        merge("likes", 2);

        intake.commit(START + 5 * MILLI);
        log.outcomes.getFirst().written();

        assertThat(progress.durable().frames()).isEqualTo(2);
        assertThat(durable).containsExactly(progress);
        assertThat(intake.nextDue()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void commit_whenAnAckIsAwaited_isMadeAtOnce() throws Exception {
        progress.requestAck(1);
        merge("likes", 1);

        intake.commit(START);

        assertThat(log.outcomes).hasSize(1);
    }

    @Test
    void commit_whenMuchWasMerged_isMadeAtOnce() throws Exception {
        fill();

        intake.commit(START);

        assertThat(log.outcomes).hasSize(1);
    }

    @Test
    void commit_thatTheDiskLost_isRepeatedWithAllOfIt() throws Exception {
        merge("likes", 1);
        intake.commit(START);
        intake.commit(START + 5 * MILLI);
        log.outcomes.getFirst().lost();
        intake.commit(START + 6 * MILLI);
        assertThat(log.outcomes).hasSize(1);

        intake.commit(START + 1_006 * MILLI);
        log.outcomes.getLast().written();

        assertThat(log.outcomes).hasSize(2);
        assertThat(progress.durable().frames()).isEqualTo(1);
        assertThat(intake.isFailing()).isFalse();
    }

    /// While the disk hangs, no further commits are queued behind the first.
    @Test
    void commit_thatTheDiskLost_isNotRepeatedWhileTheDiskIsCongested() throws Exception {
        merge("likes", 1);
        intake.commit(START);
        intake.commit(START + 5 * MILLI);
        log.outcomes.getFirst().lost();
        log.congested = true;

        for (int second = 1; second < 100; second++) {
            intake.commit(START + second * TimeUnit.SECONDS.toNanos(1));
        }

        assertThat(log.outcomes).hasSize(1);
        assertThat(intake.nextDue()).isEqualTo(START + TimeUnit.SECONDS.toNanos(100));
        log.congested = false;
        intake.commit(START + TimeUnit.SECONDS.toNanos(100));
        assertThat(log.outcomes).hasSize(2);
    }

    /// Cells are decoded in groups before they are merged.
    @Test
    void merge_ofAFrameWithAMalformedCell_keepsCellsBeforeIt() throws Exception {
        fill();
        long before = keyspace.keys();
        ByteWriter out = new ByteWriter(10_000);
        for (int i = 0; i < 100; i++) {
            entry("fresh-" + i, 7, out);
        }
        out.u8(99);

        assertThatThrownBy(() -> intake.mergeCells(SENDER, new ByteReader().on(out.array(), 0, out.position())))
                .isInstanceOf(MalformedException.class);

        assertThat(keyspace.keys()).isEqualTo(before + 100);
    }

    @Test
    void merge_ofAFrameWithOneReplicaTooMany_keepsCellsBeforeIt() throws Exception {
        Keyspace small = new Keyspace(new Replicas(NodeGen.session(1), 2), () -> 1, () -> 1_000_000);
        Intake intake = new Intake(small, Long.MAX_VALUE, log, Runnable::run, durable::add);
        ByteWriter known = new ByteWriter(100);
        entry("likes", 1, known);
        intake.mergeCells(SENDER, ByteReader.of(known.toByteArray()));
        ByteWriter out = new ByteWriter(100);
        entry("likes", 11, out);
        Replicas others = new Replicas(NodeGen.session(3));
        Cell counter = new Cell().clear(CounterType.PNCOUNT);
        assertThat(counter.add(Replicas.OWN, 7)).isTrue();
        byte[] name = {'x'};
        CellCodec codec = new CellCodec(others);
        codec.encodeKey(CounterType.PNCOUNT, name, 0, 1, out);
        codec.encode(counter, CellCodec.NO_OWNER, out);

        assertThatThrownBy(() -> intake.mergeCells(SENDER, ByteReader.of(out.toByteArray())))
                .isInstanceOf(TooManyReplicasException.class);

        Counters counters = new Counters(small, ChangeLog.NONE);
        assertThat(counters.read(CounterType.PNCOUNT, Key.of("likes".getBytes(StandardCharsets.UTF_8))))
                .isTrue();
        assertThat(counters.value()).isEqualTo(11);
    }

    @Test
    void flush_withSomethingMerged_commitsIt() throws Exception {
        merge("likes", 1);
        intake.commit(START);

        intake.flush();

        assertThat(log.outcomes).hasSize(1);
        assertThat(log.hasChanges()).isFalse();
    }

    private void fill() throws Exception {
        for (int i = 0; i < 20_000; i++) {
            merge("some-longer-key-" + i, 1);
        }
        assertThat(keyspace.bytesUsed()).isGreaterThan(Prefetch.WORTHWHILE_KEYSPACE_BYTES);
    }

    private static void entry(String key, long amount, ByteWriter out) {
        Cell counter = new Cell().clear(CounterType.PNCOUNT);
        assertThat(counter.add(Replicas.OWN, amount)).isTrue();
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        new Entries(new Replicas(SENDER)).own(CounterType.PNCOUNT, Key.of(name), counter, out);
    }

    private void merge(String key, long amount) throws Exception {
        ByteWriter out = new ByteWriter(100);
        entry(key, amount, out);
        intake.mergeCells(SENDER, new ByteReader().on(out.array(), 0, out.position()));
        assertThat(progress.onMerged(++frames)).isTrue();
        intake.noteAdvance(progress);
    }

    /// Records the commits, whose outcomes the test decides.
    private static final class Log extends StandInTurnLog {
        private final List<Outcome> outcomes = new ArrayList<>();
        private boolean congested;

        @Override
        public boolean congested() {
            return congested;
        }

        @Override
        protected void committed(Outcome outcome) {
            outcomes.add(outcome);
        }
    }
}
