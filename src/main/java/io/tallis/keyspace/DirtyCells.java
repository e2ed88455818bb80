package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import java.util.function.BooleanSupplier;

/// The cells that changed since the last checkpoint, shown partition after partition, as many at a time as there is
/// room for.
///
/// All cells that are marked at the beginning are shown. Of those that are marked meanwhile some are shown, and the
/// others stay marked for the next checkpoint, so this ends however fast cells change. Belongs to one thread.
public final class DirtyCells {
    /// The most cells shown under one hold of a lock.
    private static final int CHUNK = 256;

    private final Keyspace keyspace;
    private final Key key = new Key();
    private final Cell counter = new Cell();
    private int number;
    private int slot;

    /// The size of the table that `slot` belongs to: when it grows, cells move to other slots.
    private int slots;

    DirtyCells(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    /// The partition of the cells that [#show] shows next.
    public int partition() {
        return number;
    }

    public boolean allShown() {
        return number == Keyspace.PARTITIONS;
    }

    /// Shows some cells of [#partition] and unmarks them. Asks before each, under the lock, whether there is room for
    /// it. Returns how many were shown.
    public int show(BooleanSupplier hasRoom, CellVisitor visitor) {
        Partition partition = keyspace.partition(number);
        partition.lock();
        try {
            CellTable table = partition.table();
            if (table.slots() != slots) {
                slots = table.slots();
                slot = 0;
            }
            int shown = show(table, hasRoom, visitor);
            if (slot < 0) {
                number++;
                slot = 0;
            }
            return shown;
        } finally {
            partition.unlock();
        }
    }

    private int show(CellTable table, BooleanSupplier hasRoom, CellVisitor visitor) {
        Marks marks = table.marks();
        int shown = 0;
        slot = marks.next(Keyspace.Consumer.CHECKPOINT, slot);
        while (slot >= 0 && shown < CHUNK && hasRoom.getAsBoolean()) {
            table.open(slot, key, counter);
            marks.unmark(Keyspace.Consumer.CHECKPOINT, slot);
            visitor.cell(counter.type(), key, counter);
            shown++;
            slot = marks.next(Keyspace.Consumer.CHECKPOINT, slot + 1);
        }
        return shown;
    }
}
