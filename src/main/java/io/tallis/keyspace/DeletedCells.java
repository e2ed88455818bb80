package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Life;
import io.tallis.wire.CellCodec;

/// The cells of deleted counters, which stay as tombstones until a purge drops them: [#mark] marks those that there
/// are, and once all nodes have the same of them, [#drop] drops those that have not changed since.
///
/// A cell that ends by itself is left to the [Sweeper]. Works in steps, since there may be millions. Belongs to one
/// thread.
public final class DeletedCells {
    /// How many slots are looked at under one hold of the lock.
    private static final int CHUNK = 128;

    /// The most bytes of dropped keys that a partition keeps for the next checkpoint.
    private static final int MOST_DROPPED_BYTES = 1 << 16;

    private final Keyspace keyspace;
    private final Expiry expiry;
    private final CellCodec codec;
    private final Key key = new Key();
    private final Cell cell = new Cell();
    private int partition;
    private int slot;
    private int slots;
    private boolean heldUp;
    private long marked;
    private long dropped;

    public DeletedCells(Keyspace keyspace) {
        this.keyspace = keyspace;
        expiry = keyspace.expiry();
        codec = new CellCodec(keyspace.replicas());
    }

    /// Begins to mark, or to drop what was marked.
    public void begin() {
        partition = 0;
        slot = 0;
        marked = 0;
    }

    /// How many cells [#mark] has marked since [#begin].
    public long marked() {
        return marked;
    }

    /// How many were dropped so far.
    public long dropped() {
        return dropped;
    }

    /// Marks some more of the cells that are deleted now, and no others. Returns whether all are marked.
    public boolean mark() {
        if (partition == Keyspace.PARTITIONS) {
            return true;
        }
        Partition now = keyspace.partition(partition);
        now.lock();
        try {
            CellTable table = now.table();
            if (slot == 0 || table.slots() != slots) {
                table.marks().noneIsSettled();
                slots = table.slots();
                slot = 0;
            }
            int end = now.deletedCells() == 0 ? slots : Math.min(slots, slot + CHUNK);
            for (; slot < end && now.deletedCells() > 0; slot++) {
                if (!table.isEmpty(slot)) {
                    table.read(slot, cell);
                    if (isTombstone(cell)) {
                        table.marks().settled(slot);
                        marked++;
                    }
                }
            }
            slot = end;
            goOn(end == slots);
        } finally {
            now.unlock();
        }
        return partition == Keyspace.PARTITIONS;
    }

    /// A deadline that has not come is needed as long as another node may have it: it would be taken for that of the
    /// counter that begins next under the key. The shard of a source is needed for ever: its client goes on from the
    /// total that was reset.
    private boolean isTombstone(Cell read) {
        Life life = read.life();
        return !read.exists()
                && !keyspace.replicas().hasSource(read.counts())
                && (life.isEmpty() || (life.horizon() == Life.FOREVER && !isAhead(life)));
    }

    private boolean isAhead(Life life) {
        return life.hasDeadline() && !life.isOver(expiry.now());
    }

    /// Drops some more of the marked cells. Returns whether all are dropped. While a checkpoint goes through a
    /// partition, or has much to delete, it does nothing.
    public boolean drop() {
        if (partition == Keyspace.PARTITIONS) {
            return true;
        }
        Partition now = keyspace.partition(partition);
        now.lock();
        try {
            int next = nextSettled(now);
            heldUp = next >= 0 && (now.isPinned() || !hasRoom(now));
            for (int i = 0; i < CHUNK && next >= 0 && !heldUp; i++) {
                drop(now, next);
                next = nextSettled(now);
                heldUp = next >= 0 && !hasRoom(now);
            }
            goOn(next < 0);
            if (partition == Keyspace.PARTITIONS || !hasRoom(now)) {
                expiry.requestCheckpoint();
            }
        } finally {
            now.unlock();
        }
        return partition == Keyspace.PARTITIONS;
    }

    /// Whether the last [#drop] has to wait for a checkpoint.
    public boolean isHeldUp() {
        return heldUp;
    }

    /// What was dropped takes memory until a checkpoint has deleted it on disk.
    private boolean hasRoom(Partition from) {
        return from.dropped().position() < MOST_DROPPED_BYTES;
    }

    private static int nextSettled(Partition from) {
        return from.table().marks().nextSettled(0);
    }

    private void drop(Partition from, int at) {
        CellTable table = from.table();
        table.open(at, key, cell);
        table.place(key);
        expiry.rememberPurged(from, key, cell);
        from.drop(at, key, expiry.isPersistent() ? codec : null);
        dropped++;
    }

    private void goOn(boolean partitionIsDone) {
        if (partitionIsDone) {
            partition++;
            slot = 0;
        }
    }
}
