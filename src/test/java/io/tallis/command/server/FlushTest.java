package io.tallis.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.ChosenKeys;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.keyspace.StandInTurnLog;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class FlushTest {
    private static final int KEYS = 3000;

    private final AtomicLong random = new AtomicLong(7);
    private final Keyspace keyspace =
            new Keyspace(new Replicas(new ReplicaId(1, 1)), random::incrementAndGet, () -> 1_000_000);
    private final Counters counters = new Counters(keyspace, ChangeLog.NONE);
    private final CountingLog log = new CountingLog();
    private volatile @Nullable String refusal;

    @Test
    void flush_deletesCountersOfBothTypesInChunks() {
        fill();

        assertThat(new Flush(keyspace, log, () -> refusal, () -> {}, () -> {}).run())
                .isNull();

        assertThat(keyspace.keys()).isZero();
        assertThat(log.records).isEqualTo(2 * KEYS);
        assertThat(log.commits).isGreaterThan(KEYS / 512);
    }

    @Test
    void flush_ofNothing_bothersNoJournal() {
        assertThat(new Flush(keyspace, log, () -> refusal, () -> {}, () -> {}).run())
                .isNull();

        assertThat(log.commits).isZero();
    }

    @Test
    void flush_whoseJournalFails_stopsAndSaysSo() {
        fill();
        log.loses = true;

        assertThat(new Flush(keyspace, log, () -> refusal, () -> {}, () -> {}).run())
                .isEqualTo("MISCONF Errors writing to the journal: not all counters were deleted");

        assertThat(log.commits).isEqualTo(1);
        assertThat(keyspace.keys()).isPositive();
    }

    @Test
    void flush_whenChangesBeginToBeRefused_stopsAndSaysWhy() {
        fill();
        log.atCommit = () -> refusal = "LOADING The server is shutting down";

        assertThat(new Flush(keyspace, log, () -> refusal, () -> {}, () -> {}).run())
                .matches("LOADING The server is shutting down \\(counters deleted before: [1-9][0-9]*\\)");

        assertThat(log.commits).isEqualTo(1);
        assertThat(keyspace.keys()).isPositive();
    }

    @Test
    void flush_waitingForADiskThatDoesNotAnswer_endsWithTheRefusal() {
        fill();
        log.hangs = true;
        log.atCommit = () -> refusal = "MISCONF Errors writing to the AOF file: the disk does not answer";

        assertThat(new Flush(keyspace, log, () -> refusal, () -> {}, () -> {}).run())
                .isEqualTo(refusal);

        assertThat(log.commits).isEqualTo(1);
    }

    @Test
    void flush_whileChangesAreRefused_deletesNothing() {
        fill();
        refusal = "MISCONF Errors writing to the AOF file: No space left on device";

        assertThat(new Flush(keyspace, log, () -> refusal, () -> {}, () -> {}).run())
                .isEqualTo(refusal);

        assertThat(log.records).isZero();
    }

    @Test
    void flush_whereAPartitionHasNoRoomForResets_deletesAllElseAndSaysSo() {
        fill();
        long before = keyspace.cells(0);
        ChosenKeys keys = new ChosenKeys(keyspace, 0, 2100);
        Cell told = new Cell().clear(CounterType.PNCOUNT);
        told.counts().append(keyspace.replicas().numberOf(new ReplicaId(9, 9)));
        told.counts().put(0, Counter.P, 0, 1);
        int more = 56_000;
        for (int i = 0; i < more; i++) {
            assertThat(new Merges(counters.keyspace(), counters.log()).mergeAgain(keys.key(i), told, 0))
                    .isEqualTo(Counter.Merged.GREW);
        }

        assertThat(new Flush(keyspace, log, () -> refusal, () -> {}, () -> {}).run())
                .isEqualTo("OOM command not allowed when used memory > 'maxmemory'. (counters not deleted: "
                        + (before + more) + ")");

        assertThat(log.records).isEqualTo(2 * KEYS - before);
        assertThat(keyspace.cells() - keyspace.deletedCells()).isEqualTo(before + more);
    }

    private void fill() {
        for (int i = 0; i < KEYS; i++) {
            Key key = Key.of(("key:" + i).getBytes(StandardCharsets.US_ASCII));
            counters.add(key, 1 + i);
            counters.grow(key, 1 + i);
        }
    }

    private static final class CountingLog extends StandInTurnLog {
        private int records;
        private int commits;
        private boolean loses;
        private boolean hangs;
        private Runnable atCommit = () -> {};

        @Override
        public void record(Key key, Cell counter, boolean whole) {
            super.record(key, counter, whole);
            assertThat(counter.exists()).isFalse();
            records++;
        }

        @Override
        protected void committed(Outcome outcome) {
            commits++;
            atCommit.run();
            if (loses) {
                outcome.lost();
            } else if (!hangs) {
                outcome.written();
            }
        }
    }
}
