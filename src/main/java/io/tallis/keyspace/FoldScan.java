package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import java.util.concurrent.TimeUnit;

/// Computes the fingerprint of what the members of a fold have counted: equal on two nodes where it is the same in
/// every cell. A sum of hashes, so that the order of cells does not matter.
///
/// Cells with a deadline are left out: nodes drop them at different moments. Belongs to one thread.
public final class FoldScan {
    /// How long to rest after each step: clients are served meanwhile.
    public static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /// How many cells are looked at under one hold of a lock.
    private static final int RANGE = 128;

    private static final int LOOKED_AT_A_STEP = 8 * RANGE;

    private final Keyspace keyspace;
    private final Folds folds;
    private final ByteWriter bytes = new ByteWriter(128);
    private int partition;
    private long from;
    private long lookedAt;
    private long sum;

    /// Begins. [Folds#close] was called for the fold.
    public FoldScan(Keyspace keyspace) {
        this.keyspace = keyspace;
        folds = keyspace.folds();
    }

    public boolean isDone() {
        return partition == Keyspace.PARTITIONS;
    }

    /// Looks at some more cells.
    public void step() {
        long end = lookedAt + LOOKED_AT_A_STEP;
        while (lookedAt < end && !isDone()) {
            int folded = from == 0 ? keyspace.foldSome(keyspace.partition(partition), RANGE) : 0;
            lookedAt += folded;
            if (folded == 0) {
                walk();
            }
        }
    }

    private void walk() {
        from = keyspace.walkRanges(partition, from, RANGE, () -> false, CellWalk.of(this::add));
        if (from == Keyspace.END) {
            partition++;
            from = 0;
        }
    }

    private void add(CounterType type, Key key, Cell cell) {
        lookedAt++;
        if (cell.life().hasDeadline()) {
            return;
        }
        Counter counts = cell.counts();
        Replicas replicas = keyspace.replicas();
        for (int i = 0; i < counts.shards(); i++) {
            if (folds.isClosing(counts.replica(i))) {
                add(type, key, replicas.id(counts.replica(i)), counts, i);
            }
        }
    }

    private void add(CounterType type, Key key, ReplicaId member, Counter counts, int shard) {
        bytes.clear();
        bytes.u8(type.code());
        bytes.bytes(key.array(), key.offset(), key.length());
        CellCodec.encodeId(member, bytes);
        write(counts, shard, Counter.P);
        write(counts, shard, Counter.N);
        sum += Keyspace.PLACES.of(bytes.array(), 0, bytes.position());
    }

    private void write(Counter counts, int shard, int total) {
        bytes.i64(counts.high(shard, total));
        bytes.i64(counts.low(shard, total));
    }

    /// The fingerprint, once it is done. Never 0.
    public long fingerprint() {
        return sum == 0 ? 1 : sum;
    }
}
