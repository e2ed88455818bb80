package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;

/// Whether several counters can be changed as one: none may be refused after the first was changed.
///
/// Holds as long as the caller keeps all others from these keys; see [Counters#lockAll]. Belongs to one thread.
public final class Headroom {
    /// The chunks beyond which a partition takes no new keys from a client that changes several as one. Fewer than
    /// for a single change, so that those before it do not take the room of the last.
    private static final int CHUNK_LIMIT = Arena.CHUNK_LIMIT / 8 * 3;

    /// What a row has besides key and shards, and what a change may add to it.
    private static final int ROW_HEAD = 32;

    private static final int SHARD_HEAD = 17;

    private final Keyspace keyspace;
    private final Counter up = new Counter();
    private final Counter upAndDown = new Counter();

    Headroom(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    /// Throws [KeyspaceFullException] when the counter might find no room.
    public void require(CounterType type, Key key) {
        Partition partition = keyspace.partition(keyspace.partitionOf(key));
        CellTable table = partition.table();
        partition.lock();
        try {
            if (table.chunks() > CHUNK_LIMIT && table.find(type, key) == CellTable.NONE) {
                throw new KeyspaceFullException();
            }
        } finally {
            partition.unlock();
        }
    }

    /// About how many bytes rows of the key's counters, both of them, take in the journal after a change, and never
    /// less.
    public long rowBytes(Key key) {
        Partition partition = keyspace.partition(keyspace.partitionOf(key));
        partition.lock();
        try {
            partition.read(CounterType.PNCOUNT, key, upAndDown);
            partition.read(CounterType.GCOUNT, key, up);
            return rowBytes(upAndDown, key) + (up.shards() == 0 ? 0 : rowBytes(up, key));
        } finally {
            partition.unlock();
        }
    }

    /// On the wire a shard names its replica by 16 bytes, and totals take a seventh more. A reset doubles the totals:
    /// what was counted then stands there as taken back as well.
    private static long rowBytes(Counter counter, Key key) {
        long cellBytes = 2L * PackedCell.size(counter);
        return ROW_HEAD + key.length() + cellBytes + cellBytes / 4 + (long) SHARD_HEAD * counter.shards();
    }
}
