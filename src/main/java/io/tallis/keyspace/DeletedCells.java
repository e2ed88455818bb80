package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Life;
import io.tallis.wire.CellCodec;

/// The cells of deleted counters, which stay as tombstones until a purge drops them: [#mark] marks those that there
/// are, and once all nodes have the same of them, [#drop] drops those that have not changed since.
///
/// A cell that leaves by itself soon is left to the [Sweeper]. One whose deadline is far ahead takes two purges: the
/// first takes the deadline away. Works in steps, since there may be millions. Belongs to one thread.
public final class DeletedCells extends CellEditor {
    /*
     * A deadline ahead
     * ----------------
     * A tombstone with a deadline may not be dropped as it is: should a node keep it, as one does that crashed meanwhile,
     * a counter that begins anew under the key elsewhere would take that deadline for its own.
     *
     *     deleted        number 0, deadline tomorrow
     *     first purge    number 1, no deadline          as if the key had been used again, and deleted again
     *     second purge   dropped
     *
     * The first purge is needed, since only then no node has anything of the earlier life that lives: what lives would
     * lose its deadline. The change is sent like any other, so by the second purge all nodes have it.
     */

    /// How many slots are looked at under one hold of the lock.
    private static final int CHUNK = 128;

    /// The most bytes of dropped keys that a partition keeps for the next checkpoint.
    private static final int MOST_DROPPED_BYTES = 1 << 16;

    /// A deadline is far ahead if so many times the grace have to pass until then.
    private static final int FAR_GRACES = 10;

    private final CellCodec codec;
    private final Key key = new Key();
    private int partition;
    private int cursor;
    private int slots;
    private boolean heldUp;
    private long marked;
    private long dropped;
    private long undated;

    public DeletedCells(Keyspace keyspace, ChangeLog log) {
        super(keyspace, log, null);
        codec = new CellCodec(keyspace.replicas());
    }

    /// Begins to mark, or to drop what was marked.
    public void begin() {
        partition = 0;
        cursor = 0;
        marked = 0;
        undated = 0;
    }

    /// How many cells [#mark] has marked since [#begin].
    public long marked() {
        return marked;
    }

    /// How many were dropped so far.
    public long dropped() {
        return dropped;
    }

    /// How many have lost their deadline since [#begin], and are left to the next purge.
    public long undated() {
        return undated;
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
            if (cursor == 0 || table.slots() != slots) {
                table.marks().noneIsSettled();
                slots = table.slots();
                cursor = 0;
            }
            int end = now.deletedCells() == 0 ? slots : Math.min(slots, cursor + CHUNK);
            for (; cursor < end && now.deletedCells() > 0; cursor++) {
                if (!table.isEmpty(cursor)) {
                    table.read(cursor, cell);
                    if (isTombstone(cell)) {
                        table.marks().settled(cursor);
                        marked++;
                    }
                }
            }
            cursor = end;
            goOn(end == slots);
        } finally {
            now.unlock();
        }
        return partition == Keyspace.PARTITIONS;
    }

    /// The shard of a source is needed for ever: its client goes on cursor the total that was reset.
    private boolean isTombstone(Cell read) {
        return !read.hasContent()
                && !keyspace.replicas().hasSource(read.counts())
                && (isDroppable(read.life()) || isFar(read.life()));
    }

    private boolean isDroppable(Life life) {
        boolean isAhead = life.hasDeadline() && !life.isOver(expiry.now());
        return life.isEmpty() || (life.horizon() == Life.FOREVER && !isAhead);
    }

    /// Whether it takes long until the deadline has come everywhere.
    private boolean isFar(Life life) {
        long end = life.horizon() == Life.FOREVER ? life.deadline() : life.horizon();
        return end > expiry.now() + FAR_GRACES * expiry.graceMillis();
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
    private boolean hasRoom(Partition in) {
        return in.dropped().position() < MOST_DROPPED_BYTES;
    }

    private int nextSettled(Partition in) {
        Marks marks = in.table().marks();
        cursor = marks.nextSettled(cursor);
        if (cursor < 0) {
            // A cell may have moved up past the end of the table.
            cursor = marks.nextSettled(0);
        }
        return cursor;
    }

    private void drop(Partition in, int at) {
        CellTable table = in.table();
        table.open(at, key, cell);
        table.place(key);
        if (!isDroppable(cell.life())) {
            undate(in);
            return;
        }
        expiry.rememberPurged(in, key, cell);
        in.drop(at, key, expiry.isPersistent() ? codec : null);
        in.sweepAgain();
        dropped++;
    }

    private void undate(Partition in) {
        load(in, cell.type(), key);
        beginAgain();
        cell.life().outlast();
        change(in, key, Partition.Change.OWN_RESET);
        undated++;
    }

    private void goOn(boolean partitionIsDone) {
        if (partitionIsDone) {
            partition++;
            cursor = 0;
        }
    }
}
