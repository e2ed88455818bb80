package io.tallis.crdt;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What one counter costs by itself, without table, lock or key: the arithmetic and the merge.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CounterBenchmark {
    private static final long TOTAL = 1_000_003;

    /// One writer is the usual counter; three are a small cluster; thirty a counter that saw many restarts.
    @Param({"1", "3", "30"})
    public int shards;

    private Counter counter;
    private Counter same;
    private Counter newer;
    private long total = TOTAL;

    @Setup
    public void fill() {
        counter = new Counter().clear(CounterType.PNCOUNT);
        for (int replica = 0; replica < shards; replica++) {
            int shard = counter.append(replica);
            counter.put(shard, Counter.P, 0, TOTAL + replica);
            counter.put(shard, Counter.N, 0, TOTAL / 2);
        }
        same = new Counter();
        same.copyFrom(counter);
        newer = new Counter().clear(CounterType.PNCOUNT);
        newer.append(shards - 1);
    }

    @Benchmark
    public boolean add() {
        return counter.add(Replicas.OWN, 1, 0);
    }

    @Benchmark
    public long value() {
        return counter.value(0);
    }

    /// A merge of what is known already, the most frequent one where peers repeat themselves.
    @Benchmark
    public Counter.Merged mergeOfNothingNew() {
        return counter.merge(same);
    }

    /// A merge of one shard that has grown by one, as a delta of a peer brings it.
    @Benchmark
    public Counter.Merged mergeOfOneIncrement() {
        newer.put(0, Counter.P, 0, TOTAL + shards + ++total);
        return counter.merge(newer);
    }
}
