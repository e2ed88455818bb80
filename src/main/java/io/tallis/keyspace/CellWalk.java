package io.tallis.keyspace;

import io.tallis.crdt.Cell;

/// A walk over the cells, as `SCAN` and comparisons between nodes make it: in the order of their probe hashes, a range
/// of hashes under each hold of a lock.
///
/// A cell that exists from the first range to the last is shown once, even if tables are resized between two ranges:
/// the slot of a cell may change, its hash does not. A cursor names a partition (upper half) and a hash in it; 0 is
/// both the beginning and the end. Belongs to one thread.
class CellWalk {
    /// How many hashes there are: the end of the last range.
    static final long HASHES = 1L << 32;

    /// For a visitor that is shown every cell.
    static final long ANY_STAMP = 0;

    private final long leastStamp;
    private final SlotVisitor visitor;
    private final Key key = new Key();
    private int shown;

    /// Shows cells with at least this stamp, an unsigned int; the others are not even looked at.
    CellWalk(long leastStamp, SlotVisitor visitor) {
        this.leastStamp = leastStamp;
        this.visitor = visitor;
    }

    /// Is shown the slots of cells, and their keys, which are views of their records and know their hashes.
    interface SlotVisitor {
        void cell(CellTable table, int slot, Key key);
    }

    /// Shows all cells.
    static CellWalk of(CellVisitor visitor) {
        return of(ANY_STAMP, visitor);
    }

    static CellWalk of(long leastStamp, CellVisitor visitor) {
        return of(leastStamp, (type, key, counter, _) -> visitor.cell(type, key, counter));
    }

    static CellWalk of(long leastStamp, OwnChanges.Visitor visitor) {
        Cell counter = new Cell();
        return new CellWalk(leastStamp, (table, slot, key) -> {
            table.read(slot, counter);
            visitor.cell(counter.type(), key, counter, table.stamp(slot) != OwnChanges.NEVER);
        });
    }

    /// The number of the partition that a cursor names; [Keyspace#PARTITIONS] for any larger one.
    static int partitionOf(long cursor) {
        return (int) Math.min(cursor >>> 32, Keyspace.PARTITIONS);
    }

    static long hashOf(long cursor) {
        return cursor & HASHES - 1;
    }

    /// The cursor of what follows `hash`, which may be the end of the partition.
    static long cursor(int partition, long hash) {
        long cursor = ((long) partition << 32) + hash;
        return cursor == (long) Keyspace.PARTITIONS << 32 ? 0 : cursor;
    }

    /// The end of a range from `from` on in which about `cells` cells are.
    static long rangeEnd(Partition partition, long from, long cells) {
        int all = partition.cells();
        return all <= cells ? HASHES : Math.min(HASHES, from + Math.max(1, cells * (HASHES / all)));
    }

    /// Shows the cells whose hash lies in [from, to). Returns how many.
    int visit(Partition partition, long from, long to) {
        partition.lock();
        try {
            CellTable table = partition.table();
            shown = 0;
            table.slots(from, to, slot -> {
                if (Integer.toUnsignedLong(table.stamp(slot)) >= leastStamp) {
                    show(table, slot, from, to);
                }
            });
            return shown;
        } finally {
            partition.unlock();
        }
    }

    private void show(CellTable table, int slot, long from, long to) {
        table.openKey(slot, key);
        table.place(key);
        long hash = key.probe() >>> 32;
        if (hash >= from && hash < to) {
            visitor.cell(table, slot, key);
            shown++;
        }
    }
}
