package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.wire.PartsForm;
import java.util.BitSet;

/// The limits of how large partitions and counters may become, and the check, before several changes are made as one,
/// that there is room for all of them, so that none is refused after the first was made.
///
/// Keys spread evenly, and a partition has about a thousandth of all. A much larger one is the work of an attacker, who
/// chooses keys; and moving the records of a partition takes memory in proportion to it. So clients are refused new
/// counters where a partition has many times its fair part.
///
/// Merges are not refused there, since this node has to know what others have counted: their limit is higher than what
/// clients on two sides of a cut cluster can reach together. A change of an existing cell has the highest limit, so
/// that whatever the nodes have can still be deleted. What comes from the journal or the database was there before, and
/// has no limit: in whatever order records are placed, each chunk of an arena but the last is more than half full, so
/// that [#CHANGES] bytes always fit.
///
/// The checks hold as long as the caller keeps the locks of the keys; see [Counters#lockAll]. Belongs to one thread.
public final class Capacity {
    /// The most bytes of records in a partition: for a change of a cell that exists.
    static final int CHANGES = 112 << 20;

    /// For a merge.
    static final int MERGES = 104 << 20;

    /// More than a reset adds to a cell of [#SHARDS].
    static final int RESET = 4 << 20;

    /// The most shards of a counter after a merge that brings any: as many as fit the largest frame, however wide they
    /// are. Each session of this node that changes it may add one more.
    static final int SHARDS = 1 << 16;

    /// The most that the shard of a source takes in a row: flags, replica id and four totals of 64 bits.
    public static final long SOURCE_BYTES = 1 + 16 + 4 * 10;

    /// The most that a token takes in rows besides its ids and its key: all its shards, and what it says.
    public static final long TOKEN_BYTES = 16 * SOURCE_BYTES;

    private static final int MOST_OF_CLIENTS = 48 << 20;
    private static final int LEAST_OF_CLIENTS = 1 << 20;
    private static final int PART_OF_HEAP = 64;

    /// What a journal row has besides key and shards, and what a change may add to it: a life and a number.
    private static final int ROW_HEAD = 80;

    /// Flags and replica id of a shard in a row.
    private static final int SHARD_HEAD = 17;

    /// A shard with the widest totals, in a row.
    private static final int WIDE_SHARD = 80;

    /// The most bytes of rows that are counted for a hash: more than may be written at once.
    private static final long ENOUGH_BYTES = 1L << 24;

    /// A shard whose totals are below 2^32, and stay so for one change at least.
    private static final int NARROW_SHARD = 24;

    private final Keyspace keyspace;
    private final Cell gcount = new Cell();
    private final Cell pncount = new Cell();
    private final Key field = new Key();
    private final FieldWalk fields;

    /// How many bytes were claimed in each partition, and the partitions where any were.
    private final long[] claimed = new long[Keyspace.PARTITIONS];

    private final BitSet claims = new BitSet();

    Capacity(Keyspace keyspace) {
        this.keyspace = keyspace;
        fields = new FieldWalk(keyspace.partition(0));
    }

    /// For a new counter of a client, with so large a heap.
    static int ofClients(long mostHeap) {
        return Math.clamp(mostHeap / PART_OF_HEAP, LEAST_OF_CLIENTS, MOST_OF_CLIENTS);
    }

    /// Begins to claim room for changes that are made as one.
    public void begin() {
        claims.stream().forEach(number -> claimed[number] = 0);
        claims.clear();
    }

    /// Claims room for a change of a counter. Its row takes `rowBytes`, which is more than its record takes here.
    /// Throws [KeyspaceFullException] when there might be none left after the earlier claims.
    public void claim(CounterType type, Key key, long rowBytes) {
        claim(key, rowBytes, hasCell(type, key) ? CHANGES : keyspace.clientBytes());
    }

    /// The same for new cells beside that of a key.
    public void claimNew(Key key, long rowBytes) {
        claim(key, rowBytes, keyspace.clientBytes());
    }

    /// The same for a delete, which needs room for a reset of any size, besides the earlier claims, if the key exists.
    public void claimForReset(Key key, long rowBytes) {
        if (rowBytes > 0) {
            claim(key, rowBytes, CHANGES - RESET);
        }
    }

    /// Checks for the room of a reset of any size that is made alone.
    void requireRoomForReset(Key key) {
        if (hasAny(key)) {
            partition(key).requireRoom(CHANGES, RESET);
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

    /// Whether the counter has a cell, which a deleted one keeps: a change then takes no new one.
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
        Cell counter = type == CounterType.GCOUNT ? gcount : pncount;
        partition.lock();
        try {
            return partition.read(type, key, counter) != CellTable.NONE
                    && counter.counts().find(Replicas.OWN) >= 0;
        } finally {
            partition.unlock();
        }
    }

    /// An upper bound of the bytes that whole rows of both counters of a key, and of all fields of a hash, take in the
    /// journal after a change.
    public long rowBytes(Key key) {
        return counterRowBytes(key) + hashRowBytes(key);
    }

    private long hashRowBytes(Key key) {
        Partition partition = partition(key);
        if (!partition.hasFields()) {
            return 0;
        }
        long bytes = 0;
        partition.lock();
        try {
            fields.on(partition, key, 0);
            while (bytes < ENOUGH_BYTES && fields.nextEntry()) {
                for (int slot = fields.nextSlot(); slot != CellTable.NONE; slot = fields.nextSlot()) {
                    partition.table().open(slot, field, pncount);
                    bytes += rowBytes(pncount, field);
                }
            }
        } finally {
            partition.unlock();
        }
        return bytes;
    }

    /// The same for a field.
    public long fieldRowBytes(Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            partition.read(CounterType.FIELD, key, pncount);
            return rowBytes(pncount, key);
        } finally {
            partition.unlock();
        }
    }

    private long counterRowBytes(Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            readBoth(partition, key);
            return rowBytes(pncount, key) + (gcount.isBlank() ? 0 : rowBytes(gcount, key));
        } finally {
            partition.unlock();
        }
    }

    /// The same for a delete, which writes nothing for a key without cells.
    public long resetRowBytes(Key key) {
        return (hasAny(key) ? counterRowBytes(key) : 0) + hashRowBytes(key);
    }

    /// The same for an increment, whose row has this process's shard only unless the cell was reset recently, or has a
    /// deadline, and so may be reset by then.
    public long ownRowBytes(Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            CellTable table = partition.table();
            readBoth(partition, key);
            boolean whole = partition.resetRecently(table.find(CounterType.PNCOUNT, key))
                    || partition.resetRecently(table.find(CounterType.GCOUNT, key))
                    || !pncount.life().isEmpty()
                    || !gcount.life().isEmpty();
            return whole ? rowBytes(key) : ROW_HEAD + key.length() + ownShardBytes();
        } finally {
            partition.unlock();
        }
    }

    private int ownShardBytes() {
        int parts = PartsForm.size(pncount) + PartsForm.size(gcount);
        return parts + (isNarrow(pncount) && isNarrow(gcount) ? NARROW_SHARD : WIDE_SHARD);
    }

    private void readBoth(Partition partition, Key key) {
        partition.read(CounterType.PNCOUNT, key, pncount);
        partition.read(CounterType.GCOUNT, key, gcount);
    }

    private static boolean isNarrow(Cell cell) {
        Counter counter = cell.counts();
        int own = counter.find(Replicas.OWN);
        if (own < 0) {
            return true;
        }
        long high = counter.high(own, Counter.P) | counter.high(own, Counter.N);
        long low = counter.low(own, Counter.P) | counter.low(own, Counter.N);
        return high == 0 && low >>> Integer.SIZE == 0;
    }

    /// In a row a shard names its replica by 16 bytes, and totals take a seventh more than in memory. A reset doubles
    /// the totals: all that was counted is then there as reset as well.
    private static long rowBytes(Cell counter, Key key) {
        long cellBytes = 2L * PackedCell.size(counter);
        return ROW_HEAD
                + key.length()
                + cellBytes
                + cellBytes / 4
                + (long) SHARD_HEAD * counter.counts().shards();
    }

    private Partition partition(Key key) {
        return keyspace.partition(keyspace.partitionOf(key));
    }
}
