package io.tallis.keyspace;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.runtime.Randomness;
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

/// What a cell costs in the digest of its partition, among two million.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g", "-XX:+UseCompactObjectHeaders"})
@OperationsPerInvocation(DigestBenchmark.CELLS_A_PARTITION)
public class DigestBenchmark {
    static final int CELLS_A_PARTITION = 2_000;

    private static final ReplicaId SESSION = new ReplicaId(3, 4);

    private Keyspace keyspace;
    private int number;

    @Setup
    public void fill() {
        keyspace = new Keyspace(new Replicas(new ReplicaId(1, 1)), Randomness.secure(), () -> 1_000_000);
        Counters counters = new Counters(keyspace, ChangeLog.NONE);
        byte[] name = new byte[RandomKeys.KEY_LENGTH];
        Key key = new Key();
        for (int i = 0; i < CELLS_A_PARTITION * Keyspace.PARTITIONS; i++) {
            RandomKeys.format(i, name, 0);
            counters.add(key.set(name, 0, name.length), i);
        }
    }

    @Benchmark
    public byte[] digest() {
        number = (number + 1) % Keyspace.PARTITIONS;
        return PartitionDigest.of(keyspace, number, SESSION);
    }

    @Benchmark
    public byte[] leaves() {
        number = (number + 1) % Keyspace.PARTITIONS;
        int bits = PartitionDigest.leafBits(keyspace.cells(number));
        return PartitionDigest.leaves(keyspace, number, bits, SESSION);
    }
}
