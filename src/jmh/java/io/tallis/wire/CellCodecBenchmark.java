package io.tallis.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
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

/// What a key with its counter costs as bytes: the row of an increment, and whole counters both ways.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CellCodecBenchmark {
    private static final long TOTAL = 1_000_003;
    private static final byte[] KEY = "key:000000123456".getBytes(US_ASCII);

    @Param({"1", "3", "30"})
    public int shards;

    private final ByteWriter out = new ByteWriter(4096);
    private final ByteReader in = new ByteReader();
    private final Cell counter = new Cell();
    private final Cell decoded = new Cell();
    private CellCodec codec;
    private byte[] encoded;

    @Setup
    public void fill() {
        Replicas replicas = new Replicas(new ReplicaId(1, 1));
        codec = new CellCodec(replicas);
        counter.clear(CounterType.PNCOUNT);
        for (int i = 0; i < shards; i++) {
            int shard = counter.counts().append(i == 0 ? Replicas.OWN : replicas.numberOf(new ReplicaId(1, 1 + i)));
            counter.counts().put(shard, Counter.P, 0, TOTAL + i);
        }
        codec.encodeKey(CounterType.PNCOUNT, KEY, 0, KEY.length, out);
        codec.encode(counter, CellCodec.NO_OWNER, out);
        encoded = out.toByteArray();
    }

    /// What an increment leaves in the journal and sends to peers: its key and its own shard.
    @Benchmark
    public int encodeOwnShard() {
        out.clear();
        codec.encodeKey(CounterType.PNCOUNT, KEY, 0, KEY.length, out);
        codec.encodeOnly(counter, Replicas.OWN, out);
        return out.position();
    }

    /// What a checkpoint stores: the key and every shard with its replica id.
    @Benchmark
    public int encodeWhole() {
        out.clear();
        codec.encodeKey(CounterType.PNCOUNT, KEY, 0, KEY.length, out);
        codec.encode(counter, CellCodec.NO_OWNER, out);
        return out.position();
    }

    @Benchmark
    public Cell decodeWhole() throws MalformedException {
        in.on(encoded, 0, encoded.length);
        CounterType type = codec.decodeKey(in);
        codec.decode(in, type, CellCodec.NO_OWNER, decoded);
        return decoded;
    }
}
