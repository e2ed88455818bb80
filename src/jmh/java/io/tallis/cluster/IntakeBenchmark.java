package io.tallis.cluster;

import io.tallis.cluster.delta.Answers;
import io.tallis.cluster.delta.Intake;
import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.LeafWriter;
import io.tallis.keyspace.Merges;
import io.tallis.keyspace.ReceivedCell;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Randomness;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What the cells of a pull cost those who give and who take them, a cell: four million keys of 16 bytes, more than a
/// processor's cache holds, in pieces as they are sent.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms3g", "-Xmx3g", "-XX:+UseCompactObjectHeaders"})
public class IntakeBenchmark {
    private static final int KEYS = 4_000_000;
    private static final ReplicaId PROVIDER = new ReplicaId(1, 1);

    @Param({"1", "3"})
    public int writers;

    private Keyspace full;
    private List<byte[]> pieces;
    private Intake intake;
    private Keyspace empty;

    @Setup
    public void fill() {
        full = new Keyspace(new Replicas(PROVIDER), Randomness.secure(), () -> 1_000_000);
        Counters counters = new Counters(full, ChangeLog.NONE);
        Cell others = new Cell();
        for (int i = 0; i < KEYS; i++) {
            Key key = Key.of("key:%012d".formatted(i).getBytes(StandardCharsets.US_ASCII));
            counters.add(key, 1);
            others.clear(CounterType.PNCOUNT);
            for (int writer = 1; writer < writers; writer++) {
                int number = full.replicas().numberOf(new ReplicaId(9, writer));
                others.counts().put(others.counts().append(number), Counter.P, 0, 1);
            }
            new Merges(counters.keyspace(), counters.log()).merge(key, others);
        }
        pieces = pieces();
    }

    private List<byte[]> pieces() {
        List<byte[]> made = new ArrayList<>();
        LeafWriter writer = new LeafWriter(full);
        BitSet all = new BitSet();
        all.set(0);
        for (int partition = 0; partition < Keyspace.PARTITIONS; partition++) {
            long from = 0;
            while (from != Keyspace.END) {
                ByteWriter out = new ByteWriter(Answers.PIECE_BYTES);
                from = writer.write(new LeafWriter.Part(partition, 0, all, from), Answers.PIECE_BYTES, out);
                made.add(out.toByteArray());
            }
        }
        return made;
    }

    /// A node without any counter.
    @Setup(Level.Invocation)
    public void empty() {
        Replicas replicas = new Replicas(new ReplicaId(2, 2));
        empty = new Keyspace(replicas, Randomness.secure(), () -> 1_000_000);
        for (int partition = 0; partition < Keyspace.PARTITIONS; partition++) {
            empty.expect(partition, full.cells(partition));
        }
        intake = new Intake(empty, Long.MAX_VALUE, new Rows(replicas), Runnable::run, _ -> {});
    }

    @Benchmark
    @OperationsPerInvocation(KEYS)
    public int give() {
        return pieces().size();
    }

    @Benchmark
    @OperationsPerInvocation(KEYS)
    public long take() throws MalformedException {
        for (byte[] piece : pieces) {
            intake.mergeCells(PROVIDER, ByteReader.of(piece));
            intake.commit(Long.MAX_VALUE);
        }
        return empty.cells();
    }

    /// Encodes rows as the journal does, and forgets them.
    private static final class Rows implements TurnLog {
        private final CellCodec codec;
        private final ByteWriter rows = new ByteWriter(1 << 16);

        private Rows(Replicas replicas) {
            codec = new CellCodec(replicas);
        }

        @Override
        public void record(Key key, Cell counter, boolean whole) {
            codec.encodeKey(counter.type(), key.array(), key.offset(), key.length(), rows);
            codec.encode(counter, Replicas.OWN, rows);
        }

        @Override
        public void recordReceived(ReceivedCell cell) {
            rows.bytes(cell.array(), cell.start(), cell.end() - cell.start());
        }

        @Override
        public void beginGroup() {}

        @Override
        public void endGroup() {}

        @Override
        public boolean hasChanges() {
            return rows.position() > 0;
        }

        @Override
        public void commit(Outcome outcome) {
            rows.clear();
            outcome.written();
        }

        @Override
        public boolean isLong() {
            return false;
        }

        @Override
        public boolean congested() {
            return false;
        }
    }
}
