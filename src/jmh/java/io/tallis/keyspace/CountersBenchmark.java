package io.tallis.keyspace;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.runtime.Randomness;
import java.util.Arrays;
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

/// What the table costs: find a random key of 16 bytes, lock, read or change its cell, mark it.
///
/// More threads than one (`-t 2`) share the keyspace as event loops do.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms3g", "-Xmx3g", "-XX:+UseCompactObjectHeaders"})
public class CountersBenchmark {
    @Param({"1000", "1000000", "10000000"})
    public int keys;

    private Keyspace keyspace;

    @Setup
    public void fill() {
        keyspace = new Keyspace(new Replicas(new ReplicaId(1, 1)), Randomness.secure(), () -> 1_000_000);
        Counters counters = new Counters(keyspace, ChangeLog.NONE);
        byte[] name = new byte[RandomKeys.KEY_LENGTH];
        Key key = new Key();
        for (int i = 0; i < keys; i++) {
            RandomKeys.format(i, name, 0);
            counters.add(key.set(name, 0, name.length), 1);
        }
    }

    /// One event loop: its view of the keyspace and the keys that clients ask it for.
    @State(Scope.Thread)
    public static class Loop {
        private Counters counters;
        private RandomKeys keys;
        private Prefetch prefetch;
        private final Key[] pipeline = new Key[Prefetch.LIMIT];

        @Setup(Level.Trial)
        public void open(CountersBenchmark benchmark) {
            counters = new Counters(benchmark.keyspace, ChangeLog.NONE);
            prefetch = new Prefetch(benchmark.keyspace);
            Arrays.setAll(pipeline, _ -> new Key());
            keys = new RandomKeys(benchmark.keys, Thread.currentThread().threadId());
        }
    }

    @Benchmark
    public boolean add(Loop loop) {
        return loop.counters.add(loop.keys.next(), 1);
    }

    /// A pipeline of increments, whose cells are loaded together first.
    @Benchmark
    @OperationsPerInvocation(Prefetch.LIMIT)
    public int addPrefetched(Loop loop) {
        for (int i = 0; i < Prefetch.LIMIT; i++) {
            Key next = loop.keys.next();
            loop.pipeline[i].set(next.array(), next.offset(), next.length());
            loop.prefetch.add(loop.pipeline[i]);
        }
        int seen = loop.prefetch.forChange();
        for (Key key : loop.pipeline) {
            loop.counters.add(key, 1);
        }
        return seen;
    }

    /// What `INCRBY` does: add, and tell the sum.
    @Benchmark
    public long addAndTell(Loop loop) {
        loop.counters.add(loop.keys.next(), 1);
        return loop.counters.value();
    }

    @Benchmark
    public long read(Loop loop) {
        return loop.counters.read(CounterType.PNCOUNT, loop.keys.next()) ? loop.counters.value() : 0;
    }
}
