package io.tallis.journal.log;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.OwnChanges;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Randomness;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What one increment of a random counter costs an event loop: the cell, the journal's row and the replicator's entry.
///
/// The parts of the other threads are made as short as they can be: turns are given back unwritten, and entries and
/// marked cells are looked at and dropped.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g", "-XX:+UseCompactObjectHeaders"})
@OperationsPerInvocation(ChangeBenchmark.CHANGES)
public class ChangeBenchmark {
    static final int CHANGES = 50;

    /// So many frames a turn, that a cell met again at random goes out as an entry again.
    private static final int FRAMES_A_TURN = 2;

    private static final int KEY_BYTES = 16;
    private static final int SEQUENCE = 1 << 18;

    @Param({"1000", "1000000"})
    public int keys;

    /// Whether the server is one of a cluster: else nothing asks for own changes.
    @Param({"true", "false"})
    public boolean replicated;

    private final TurnStack inbox = new TurnStack();
    private final Key key = new Key();
    private final byte[] sequence = new byte[SEQUENCE * KEY_BYTES];
    private BufferedTurnLog log;
    private OwnChanges changes;
    private Counters counters;
    private Dropped dropped;
    private int next;

    @Setup
    public void fill() {
        Replicas replicas = new Replicas(new ReplicaId(1, 1));
        Keyspace keyspace = new Keyspace(replicas, Randomness.secure(), () -> 1_000_000);
        log = new BufferedTurnLog(replicas, inbox, () -> {});
        changes = keyspace.ownChanges();
        counters = new Counters(keyspace, log, changes.newRing());
        dropped = new Dropped();
        for (int i = 0; i < keys; i++) {
            counters.add(key.set(name(i), 0, KEY_BYTES), 1_000);
            if (i % CHANGES == 0) {
                endTurn();
            }
        }
        endTurn();
        if (replicated) {
            changes.track();
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < SEQUENCE; i++) {
            System.arraycopy(name(random.nextInt(keys)), 0, sequence, i * KEY_BYTES, KEY_BYTES);
        }
    }

    private static byte[] name(int number) {
        return "key:%012d".formatted(number).getBytes(US_ASCII);
    }

    @Benchmark
    public long change() {
        for (int i = 0; i < CHANGES; i++) {
            counters.add(key.set(sequence, next * KEY_BYTES, KEY_BYTES), 1);
            next = (next + 1) & SEQUENCE - 1;
        }
        endTurn();
        changes.drainEntries(dropped);
        changes.drain(CHANGES, (_, _, _) -> dropped.frame);
        dropped.frame += FRAMES_A_TURN;
        changes.sent(dropped.frame);
        return dropped.bytes;
    }

    private void endTurn() {
        log.commit(Ignored.OUTCOME);
        for (Turn turn = inbox.takeAll(); turn != null; ) {
            Turn following = turn.next;
            log.takeBack(turn, true);
            turn = following;
        }
    }

    private static final class Dropped implements OwnChanges.EntrySender {
        private long frame = 1;
        private long bytes;

        @Override
        public long send(byte[] array, int offset, int length) {
            bytes += array[offset + length - 1];
            return frame;
        }

        @Override
        public boolean takesMore() {
            return true;
        }
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
