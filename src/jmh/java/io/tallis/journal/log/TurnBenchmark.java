package io.tallis.journal.log;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.TurnLog;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What it costs to journal one increment among fifty of a turn, up to the system call.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@OperationsPerInvocation(TurnBenchmark.ROWS)
public class TurnBenchmark {
    static final int ROWS = 50;

    private static final LogFrame.Stamp STAMP = new LogFrame.Stamp(7, 0x1234_5678_9ABCL, 0);

    private final TurnStack stack = new TurnStack();
    private final Unsynced unsynced = new Unsynced();
    private final Key key = Key.of("key:000000123456".getBytes(US_ASCII));
    private final Cell counter = new Cell().clear(CounterType.PNCOUNT);
    private BufferedTurnLog log;
    private long total = 1_000_000;

    @Setup
    public void open() {
        log = new BufferedTurnLog(new Replicas(new ReplicaId(1, 1)), stack, () -> {});
        counter.counts().append(Replicas.OWN);
    }

    /// The event loop's part, and giving the turn back.
    @Benchmark
    public int record() {
        recordTurn();
        Turn turn = stack.takeAll();
        int bytes = turn.bytes();
        log.takeBack(turn, true);
        return bytes;
    }

    /// The same, and the journal thread's part: the frame with its checksum.
    @Benchmark
    public long recordAndSeal() {
        recordTurn();
        Turn turn = stack.takeAll();
        unsynced.add(turn.rows.array(), turn.bytes(), STAMP);
        unsynced.seal(STAMP);
        log.takeBack(turn, true);
        unsynced.release(unsynced.end());
        return unsynced.end();
    }

    private void recordTurn() {
        for (int i = 0; i < ROWS; i++) {
            counter.counts().put(0, Counter.P, 0, ++total);
            log.record(key, counter, false);
        }
        log.commit(Ignored.OUTCOME);
    }

    /// Nobody waits for these turns.
    private enum Ignored implements TurnLog.Outcome {
        OUTCOME;

        @Override
        public void written() {}

        @Override
        public void lost() {}
    }
}
