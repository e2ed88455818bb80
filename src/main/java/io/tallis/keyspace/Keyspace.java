package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.runtime.Randomness;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// All counters of this node, in memory: 1,024 partitions, and what concerns all of them.
///
/// Threads read and change counters through their own [Counters]. This class holds the partitions that they share, and
/// answers what concerns all counters: dirty cells, `SCAN`, digests, statistics.
public final class Keyspace {
    /// How many partitions there are, on every node the same.
    public static final int PARTITIONS = 1 << 10;

    /// Where the probe hashes of a partition end; see [LeafWriter].
    public static final long END = CellWalk.HASHES;

    /// A consumer of changes, for which changed cells are marked until it has seen them.
    public enum Consumer {
        /// The checkpoint, which writes changed cells to the database.
        CHECKPOINT(0),
        /// The replicator, which sends the changes of this node's clients to the peers; see [OwnChanges].
        REPLICATOR(1),
        /// Watchers, which are told of changed values; see [WatchedCells].
        WATCHERS(2),
        /// Clients that are told of what other nodes changed: only merges are marked for them.
        MERGES(3),
        /// Clients that cache what they have read: changes are marked for them that no event loop tells of.
        CACHES(4);

        private final int set;

        Consumer(int set) {
            this.set = set;
        }

        /// The number of this consumer's set of marks.
        int set() {
            return set;
        }

        int bit() {
            return 1 << set;
        }
    }

    /// The hash that picks a key's partition, the same on all nodes. Another one would make every database unreadable.
    static final KeyHash PLACES =
            new KeyHash(0x9E6C63D0876A9A35L, 0xC2B2AE3D27D4EB4FL, 0xD6E8FEB86659FD93L, 0xA0761D6478BD642FL);

    /// How many bits of the place hash name the partition: its upper ones.
    static final int PARTITION_BITS = Integer.numberOfTrailingZeros(PARTITIONS);

    private static final int PARTITION_SHIFT = Long.SIZE - PARTITION_BITS;
    private static final int CHUNK = 256;
    private static final ReplicaId PUBLIC_KEY = new ReplicaId(0, 0);

    private final Partition[] partitions = new Partition[PARTITIONS];
    private final LongAdder bytesUsed = new LongAdder();
    private final OrderMemory orderMemory = new OrderMemory(Runtime.getRuntime().maxMemory());
    private final Slabs slabs = new Slabs(Runtime.getRuntime().maxMemory(), bytesUsed);
    private final int clientBytes = Capacity.ofClients(Runtime.getRuntime().maxMemory());
    private final KeyHash probes;
    private final Replicas replicas;
    private final OwnChanges ownChanges;
    private final Expiry expiry;
    private final Folds folds;
    private final Tokens tokens = new Tokens();
    private volatile EndedShards endedShards = EndedShards.NONE;

    /// `epochMillis` is the time of day, by which counters expire.
    public Keyspace(Replicas replicas, Randomness randomness, LongSupplier epochMillis) {
        this.replicas = replicas;
        expiry = new Expiry(epochMillis);
        folds = new Folds(replicas);
        ownChanges = new OwnChanges(this);
        probes =
                new KeyHash(randomness.nextLong(), randomness.nextLong(), randomness.nextLong(), randomness.nextLong());
        for (int i = 0; i < PARTITIONS; i++) {
            partitions[i] = new Partition(probes, slabs, bytesUsed, orderMemory);
        }
    }

    public Replicas replicas() {
        return replicas;
    }

    /// What cells with a deadline share.
    public Expiry expiry() {
        return expiry;
    }

    /// What the tokens of clients share.
    public Tokens tokens() {
        return tokens;
    }

    /// The folds that were made and promised.
    public Folds folds() {
        return folds;
    }

    /// The last estimate of what folding ended sessions would free.
    public EndedShards endedShards() {
        return endedShards;
    }

    public void measured(EndedShards measured) {
        endedShards = measured;
    }

    /// A start has loaded all cells. Some may have both the shard of a fold and, from an older row, those of its
    /// members, and would count twice.
    public void loaded() {
        folds.loading(false);
        Arrays.stream(partitions).parallel().forEach(partition -> fold(partition, Integer.MAX_VALUE));
    }

    /// Puts the shards of folds in place of those of their members in a partition, unless that is done.
    public void fold(int number) {
        fold(partitions[number], CHUNK);
    }

    /// The same for some slots of the table under each hold of the lock.
    void fold(Partition partition, int slots) {
        while (foldSome(partition, slots) > 0) {}
    }

    /// The same for so many slots at most. Returns how many they were, 0 when all is done.
    int foldSome(Partition partition, int slots) {
        if (folds.isLoading()) {
            return 0;
        }
        partition.lock();
        try {
            return partition.fold(replicas, slots);
        } finally {
            partition.unlock();
        }
    }

    /// The changes of this node's clients.
    public OwnChanges ownChanges() {
        return ownChanges;
    }

    /// How many keys a reader sees.
    public long keys() {
        long keys = 0;
        for (Partition partition : partitions) {
            keys += partition.keys();
        }
        return keys;
    }

    /// Announces that a partition is going to have so many cells: its index then grows in few steps. 0 ends that.
    public void expect(int number, long cells) {
        Partition partition = partitions[number];
        partition.lock();
        try {
            partition.table().expect(cells);
        } finally {
            partition.unlock();
        }
    }

    /// How many cells there are, those of deleted counters among them.
    public long cells() {
        long cells = 0;
        for (Partition partition : partitions) {
            cells += partition.cells();
        }
        return cells;
    }

    /// How many cells a partition has.
    public int cells(int number) {
        return partitions[number].cells();
    }

    /// How many cells there are that no reader sees: the tombstones of deleted counters.
    public long deletedCells() {
        long deleted = 0;
        for (Partition partition : partitions) {
            deleted += partition.deletedCells();
        }
        return deleted;
    }

    /// Which part of all cells are tombstones, and so about which part of the database.
    public double deletedPart() {
        long cells = cells();
        return cells == 0 ? 0 : (double) deletedCells() / cells;
    }

    /// Whether tombstones take much of the room that a partition has for clients, though they may be few among all
    /// cells: those of one hash are all in one partition.
    public boolean isAnyFilledWithDeleted() {
        for (Partition partition : partitions) {
            if (partition.deletedCells() > partition.cells() / 2
                    && partition.table().bytes() > clientBytes / 4) {
                return true;
            }
        }
        return false;
    }

    /// How many bytes of records clients may fill a partition with; see [Capacity].
    int clientBytes() {
        return clientBytes;
    }

    /// The bytes that tables, arenas, orders of fields and the ids of replicas take.
    public long bytesUsed() {
        return bytesUsed.sum() + orderMemory.bytesUsed().sum() + replicas.bytesUsed();
    }

    /// The bytes of free chunks, which are kept for later records.
    public long bytesFree() {
        return slabs.bytesFree();
    }

    /// All bytes that are kept for counters, used and free.
    public long bytesKept() {
        return bytesUsed() + bytesFree();
    }

    /// The bytes of indexes and stamps, a part of [#bytesUsed]. An estimate while they grow: it takes no lock, since a
    /// transaction that asks for it may hold some.
    public long indexBytes() {
        long bytes = 0;
        for (Partition partition : partitions) {
            bytes += partition.table().indexBytes();
        }
        return bytes;
    }

    /// How many bytes a counter takes in the database.
    public int serializedLength(Cell counter) {
        ByteWriter bytes = new ByteWriter(64);
        new CellCodec(replicas).encode(counter, CellCodec.NO_OWNER, bytes);
        return bytes.position();
    }

    /// The number of the partition that `key` belongs to.
    public int partitionOf(Key key) {
        key.place(PLACES, probes);
        return (int) (key.place() >>> PARTITION_SHIFT);
    }

    Partition partition(int number) {
        return partitions[number];
    }

    /// Shows about `count` cells that follow `cursor` in hash order, and returns the cursor to go on with, 0 at the
    /// end.
    ///
    /// A cell that is there from the first call to the last is shown once, whatever tables do meanwhile: a cursor names
    /// a partition and a hash in it, and every call shows whole ranges of hashes.
    public long scan(long cursor, int count, CellVisitor visitor) {
        return walk(cursor, count, CellWalk.of(seenNow(visitor)));
    }

    /// The same for keys as clients see them: a hash is shown as one of its fields, of type `FIELD`, under its own
    /// name.
    public long scanKeys(long cursor, int count, CellVisitor visitor) {
        return walk(cursor, count, new KeysWalk(expiry, visitor));
    }

    /// Shows a cell whose deadline has come as reset.
    private CellVisitor seenNow(CellVisitor visitor) {
        return (type, key, cell) -> {
            if (cell.life().hasDeadline()) {
                cell.endIfOver(expiry.now());
            }
            visitor.cell(type, key, cell);
        };
    }

    /// How many cells with a deadline a reader sees. Where there are hashes, whose fields have one each, not more than
    /// there are keys.
    public long dated() {
        long dated = 0;
        for (Partition partition : partitions) {
            int cells = partition.dated();
            dated += partition.hasFields() ? Math.min(cells, partition.keys()) : cells;
        }
        return dated;
    }

    /// How long these cells live from now on, on average, in milliseconds; 0 if there are none. A deadline after the
    /// year 2109 counts as then.
    public long averageTimeToLive() {
        double deadlines = 0;
        long dated = 0;
        for (Partition partition : partitions) {
            deadlines += partition.deadlines();
            dated += partition.dated();
        }
        return dated == 0 ? 0 : Math.max(0, (long) (deadlines / dated) - expiry.now());
    }

    /// Moves a cursor of [#scan] forward over partitions without keys that readers see; 0 at the end.
    public long skipKeyless(long cursor) {
        int number = CellWalk.partitionOf(cursor);
        if (partitions[number].keys() > 0) {
            return cursor;
        }
        while (number < PARTITIONS && partitions[number].keys() == 0) {
            number++;
        }
        return number == PARTITIONS ? 0 : CellWalk.cursor(number, 0);
    }

    long walk(long cursor, int count, CellWalk walk) {
        long from = CellWalk.hashOf(cursor);
        long left = count;
        for (int number = CellWalk.partitionOf(cursor); number < PARTITIONS; number++, from = 0) {
            Partition partition = partitions[number];
            while (from < END && partition.cells() > 0) {
                if (left <= 0) {
                    return CellWalk.cursor(number, from);
                }
                long to = CellWalk.rangeEnd(partition, from, left);
                left -= walk.visit(partition, from, to);
                from = to;
            }
        }
        return 0;
    }

    /// Shows every cell of a partition, some hundreds under one lock.
    public void visitAll(int number, CellVisitor visitor) {
        walkAll(number, CellWalk.of(seenNow(visitor)));
    }

    void walkAll(int number, CellWalk walk) {
        walkRanges(number, 0, CHUNK, () -> true, walk);
    }

    /// Walks through a partition from a probe hash on, with about `cells` cells under each hold of the lock, for as
    /// long as there is room. Returns the probe hash to go on from, [#END] when done.
    long walkRanges(int number, long fromHash, int cells, BooleanSupplier hasRoom, CellWalk walk) {
        Partition partition = partitions[number];
        long from = Math.max(0, fromHash);
        while (from < END) {
            long to = CellWalk.rangeEnd(partition, from, cells);
            walk.visit(partition, from, to);
            from = to;
            if (!hasRoom.getAsBoolean()) {
                return from;
            }
        }
        return END;
    }

    /// The cells that changed since the last checkpoint.
    public DirtyCells dirtyCells() {
        return new DirtyCells(this);
    }

    /// How many cells are marked for this consumer. An estimate while cells change: it takes no lock.
    public long marked(Consumer consumer) {
        long marked = 0;
        for (Partition partition : partitions) {
            marked += partition.table().marks().count(consumer);
        }
        return marked;
    }

    /// Marks every cell for the checkpoint, when the database has lost some or all.
    public void markAll() {
        forEach(partition -> {
            CellTable table = partition.table();
            for (int slot = 0; slot < table.slots(); slot++) {
                if (!table.isEmpty(slot)) {
                    table.marks().changed(slot);
                }
            }
        });
    }

    /// The journal was rotated, and has all that was recorded before; see [Marks#rotateResets].
    public void journalRotated() {
        forEach(partition -> {
            partition.table().marks().rotateResets();
            partition.droppedIsSaved();
        });
    }

    /// Cells that were made before the last call but one are young no longer, see [Marks#age].
    public void age() {
        forEach(partition -> partition.table().marks().age());
    }

    /// Forgets which keys were dropped while nodes were out of reach, once all have been in reach for long.
    void clearSketches() {
        if (expiry.takeClearing()) {
            forEach(partition -> {
                // Asked again under the lock, under which keys are added while a node is out of reach.
                if (expiry.mayClear()) {
                    partition.droppedKeys().clear();
                }
            });
        }
    }

    /// Takes the locks of the partitions one after the other. The caller must hold none.
    void forEach(java.util.function.Consumer<Partition> action) {
        for (Partition partition : partitions) {
            partition.lock();
            try {
                action.accept(partition);
            } finally {
                partition.unlock();
            }
        }
    }

    /// The digest of a partition under a key that is no secret, for people to compare.
    public byte[] digest(int number) {
        return digest(number, PUBLIC_KEY);
    }

    /// The digest of a partition under a key: equal on two nodes whose cells there are equal; see [PartitionDigest].
    /// Kept until a cell changes or another key is asked for.
    public byte[] digest(int number, ReplicaId key) {
        Partition partition = partitions[number];
        // A digest that was kept shows the cells as they were before.
        fold(number);
        long asOf = expiry.digestedAsOf();
        byte[] kept = partition.keptDigest(key, asOf);
        if (kept != null) {
            return kept;
        }
        long version = partition.version();
        byte[] digest = PartitionDigest.of(this, number, key);
        partition.keepDigest(digest, key, asOf, version);
        return digest;
    }
}
