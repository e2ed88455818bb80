package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.wire.ByteReader;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;

/// The cells that changed since the last checkpoint and those that were dropped, shown partition after partition, as
/// many at a time as there is room for.
///
/// All cells that are marked at the beginning are shown. Of those that are marked meanwhile some are shown, and the
/// others stay marked for the next checkpoint, so this ends however fast cells change. While it is within a partition,
/// no cell of that is removed, since others would move into slots that were passed. Belongs to one thread.
public final class DirtyCells implements AutoCloseable {
    /// The most cells shown under one hold of a lock.
    private static final int CHUNK = 256;

    private final Keyspace keyspace;
    private final CellCodec codec;
    private final ByteReader reader = new ByteReader();
    private final Key key = new Key();
    private final Cell cell = new Cell();
    private int number;

    /// Whether the cells of the present partition were begun to be shown.
    private boolean begun;

    private int slot;

    /// The size of the table that `slot` belongs to: when it is resized, cells move to other slots.
    private int slots;

    DirtyCells(Keyspace keyspace) {
        this.keyspace = keyspace;
        codec = new CellCodec(keyspace.replicas());
    }

    /// Is shown what has to be written, under the lock of its partition: copies what it wants to keep.
    public interface Visitor {
        /// Asked before each cell.
        boolean hasRoom();

        void changed(Key key, Cell cell);

        /// The cell was dropped; one that was made since is shown later.
        void dropped(CounterType type, Key key);
    }

    /// The partition of the cells that [#show] shows next.
    public int partition() {
        return number;
    }

    public boolean allShown() {
        return number == Keyspace.PARTITIONS;
    }

    /// Shows some cells of [#partition] and unmarks them. Returns how many were shown.
    public int show(Visitor visitor) {
        Partition partition = keyspace.partition(number);
        partition.lock();
        try {
            if (!begun) {
                begun = true;
                partition.pin(true);
                reader.on(partition.dropped().array(), 0, partition.dropped().position());
            }
            showDropped(partition, visitor);
            if (reader.remaining() > 0) {
                return 0;
            }
            CellTable table = partition.table();
            if (table.slots() != slots) {
                slots = table.slots();
                slot = 0;
            }
            int shown = show(table, visitor);
            if (slot < 0) {
                partition.pin(false);
                begun = false;
                number++;
                slot = 0;
            }
            return shown;
        } finally {
            partition.unlock();
        }
    }

    /// Shows keys that were dropped, as long as there is room. While this is within the partition none is added.
    private void showDropped(Partition partition, Visitor visitor) {
        try {
            while (reader.remaining() > 0 && visitor.hasRoom()) {
                CounterType type = codec.decodeKey(reader);
                visitor.dropped(type, key.set(type, reader.array(), codec.keyOffset(), codec.keyLength()));
            }
        } catch (MalformedException impossible) {
            throw new IllegalStateException("keys that this process has written", impossible);
        }
        partition.droppedIsShown(reader.position());
    }

    /// Ends the walk, wherever it is.
    @Override
    public void close() {
        if (begun) {
            Partition partition = keyspace.partition(number);
            partition.lock();
            try {
                partition.pin(false);
            } finally {
                partition.unlock();
            }
        }
    }

    private int show(CellTable table, Visitor visitor) {
        Marks marks = table.marks();
        int shown = 0;
        slot = marks.next(Keyspace.Consumer.CHECKPOINT, slot);
        while (slot >= 0 && shown < CHUNK && visitor.hasRoom()) {
            table.open(slot, key, cell);
            marks.unmark(Keyspace.Consumer.CHECKPOINT, slot);
            visitor.changed(key, cell);
            shown++;
            slot = marks.next(Keyspace.Consumer.CHECKPOINT, slot + 1);
        }
        return shown;
    }
}
