package io.tallis.keyspace;

import io.tallis.crdt.Counter;

/// The cells that no checkpoint has, partition after partition, as many at a time as there is room for.
///
/// All that are marked when it begins are shown. Of those that are marked meanwhile some are, and the others stay
/// marked: however fast cells change, it comes to its end. Belongs to one thread.
public final class ChangedCells {
    /// The most cells shown under one hold of a lock.
    private static final int CHUNK = 256;

    private final Keyspace keyspace;
    private final Key key = new Key();
    private final Counter counter = new Counter();
    private int number;
    private int slot;

    /// The size of the table that the slot is of: one that has grown has its cells elsewhere.
    private int slots;

    ChangedCells(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    /// The partition that the cells are in that are shown now.
    public int partition() {
        return number;
    }

    public boolean allShown() {
        return number == Keyspace.PARTITIONS;
    }

    /// Shows some of the cells and unmarks them. Returns how many; whoever has no room is shown none.
    public int show(Room room, CellVisitor visitor) {
        Partition partition = keyspace.partition(number);
        partition.lock();
        try {
            CellTable table = partition.table();
            if (table.slots() != slots) {
                slots = table.slots();
                slot = 0;
            }
            int shown = show(table, room, visitor);
            if (slot < 0) {
                number++;
                slot = 0;
            }
            return shown;
        } finally {
            partition.unlock();
        }
    }

    private int show(CellTable table, Room room, CellVisitor visitor) {
        Marks marks = table.marks();
        int shown = 0;
        slot = marks.next(Keyspace.Consumer.CHECKPOINT, slot);
        while (slot >= 0 && shown < CHUNK && room.left()) {
            table.open(slot, key, counter);
            marks.unmark(Keyspace.Consumer.CHECKPOINT, slot);
            visitor.cell(counter.type(), key, counter);
            shown++;
            slot = marks.next(Keyspace.Consumer.CHECKPOINT, slot + 1);
        }
        return shown;
    }
}
