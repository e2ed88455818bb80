package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import java.util.BitSet;

/// What room changes find, and what they take: so that of several counters that are changed as one none is refused
/// after the first was changed, and that a memory that is full takes what needs none.
///
/// Holds as long as the caller keeps all others from these keys; see [Counters#lockAll]. Belongs to one thread.
public final class Headroom {
    /// What a row has besides key and shards, and what a change may add to it.
    private static final int ROW_HEAD = 32;

    private static final int SHARD_HEAD = 17;

    /// A share with the widest totals.
    private static final int WIDE_SHARD = 80;

    /// A share whose totals are below 2^32, and stay so for one change at least.
    private static final int NARROW_SHARD = 24;

    private final Keyspace keyspace;
    private final Counter up = new Counter();
    private final Counter upAndDown = new Counter();

    /// What was claimed of each partition, and of which there was anything.
    private final long[] claimed = new long[Keyspace.PARTITIONS];

    private final BitSet claims = new BitSet();

    Headroom(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    /// Begins to claim room for changes that are made as one.
    public void begin() {
        claims.stream().forEach(number -> claimed[number] = 0);
        claims.clear();
    }

    /// Claims room for a change of a counter, whose row takes so many bytes: what it takes here is less. Throws
    /// [KeyspaceFullException] when it might find none after those for which room was claimed before.
    public void claim(CounterType type, Key key, long rowBytes) {
        claim(key, rowBytes, hasCell(type, key) ? Bounds.CHANGES : keyspace.clientBytes());
    }

    /// The same for a delete, which wants room for a reset of any size before each of its keys that is there.
    public void claimForReset(Key key, long rowBytes) {
        if (hasAny(key)) {
            claim(key, rowBytes, Bounds.CHANGES - Bounds.RESET);
        }
    }

    /// Room for a reset of any size that stands alone.
    void requireRoomForReset(Key key) {
        if (hasAny(key)) {
            partition(key).requireRoom(Bounds.CHANGES, Bounds.RESET);
        }
    }

    private boolean hasAny(Key key) {
        return hasCell(CounterType.PNCOUNT, key) || hasCell(CounterType.GCOUNT, key);
    }

    private void claim(Key key, long rowBytes, int limit) {
        int number = keyspace.partitionOf(key);
        Partition partition = keyspace.partition(number);
        claims.set(number);
        claimed[number] += rowBytes;
        partition.lock();
        try {
            partition.requireRoom(limit, claimed[number]);
        } finally {
            partition.unlock();
        }
    }

    /// Whether the counter has a cell, be it deleted: one that counts again takes no new one.
    public boolean hasCell(CounterType type, Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            return partition.table().find(type, key) != CellTable.NONE;
        } finally {
            partition.unlock();
        }
    }

    /// Whether this process has changed the counter: adding to it again takes no more memory.
    public boolean hasOwnShard(CounterType type, Key key) {
        Partition partition = partition(key);
        Counter counter = type == CounterType.GCOUNT ? up : upAndDown;
        partition.lock();
        try {
            return partition.read(type, key, counter) != CellTable.NONE && counter.find(Replicas.OWN) >= 0;
        } finally {
            partition.unlock();
        }
    }

    /// About how many bytes rows of the key's counters, both of them, take in the journal after a change, and never
    /// less.
    public long rowBytes(Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            partition.read(CounterType.PNCOUNT, key, upAndDown);
            partition.read(CounterType.GCOUNT, key, up);
            return rowBytes(upAndDown, key) + (up.shards() == 0 ? 0 : rowBytes(up, key));
        } finally {
            partition.unlock();
        }
    }

    /// The same for a delete, which leaves alone what is not there.
    public long resetRowBytes(Key key) {
        return hasAny(key) ? rowBytes(key) : 0;
    }

    /// The same as [#rowBytes] for a change that adds to this process's share of one of them, which is all that its row
    /// has.
    public long ownRowBytes(Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            CellTable table = partition.table();
            boolean whole = partition.resetLately(table.find(CounterType.PNCOUNT, key))
                    || partition.resetLately(table.find(CounterType.GCOUNT, key));
            return whole ? rowBytes(key) : ROW_HEAD + key.length() + ownShardBytes(partition, key);
        } finally {
            partition.unlock();
        }
    }

    private int ownShardBytes(Partition partition, Key key) {
        partition.read(CounterType.PNCOUNT, key, upAndDown);
        partition.read(CounterType.GCOUNT, key, up);
        return isNarrow(upAndDown) && isNarrow(up) ? NARROW_SHARD : WIDE_SHARD;
    }

    private static boolean isNarrow(Counter counter) {
        int own = counter.find(Replicas.OWN);
        if (own < 0) {
            return true;
        }
        long high = counter.high(own, Counter.P) | counter.high(own, Counter.N);
        long low = counter.low(own, Counter.P) | counter.low(own, Counter.N);
        return high == 0 && low >>> Integer.SIZE == 0;
    }

    /// On the wire a shard names its replica by 16 bytes, and totals take a seventh more. A reset doubles the totals:
    /// what was counted then stands there as taken back as well.
    private static long rowBytes(Counter counter, Key key) {
        long cellBytes = 2L * PackedCell.size(counter);
        return ROW_HEAD + key.length() + cellBytes + cellBytes / 4 + (long) SHARD_HEAD * counter.shards();
    }

    private Partition partition(Key key) {
        return keyspace.partition(keyspace.partitionOf(key));
    }
}
