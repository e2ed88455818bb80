package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import java.util.function.BooleanSupplier;

/// The cells that changed since they were last shown: for watchers changed by a client or a merge, ended or deleted,
/// for [Keyspace.Consumer#MERGES] changed by a merge.
///
/// While there is no watcher, a change costs one test of a field. Belongs to one thread.
public final class WatchedCells {
    /// The most cells shown under one hold of a lock.
    private static final int CHUNK = 64;

    private final Keyspace keyspace;
    private final Keyspace.Consumer consumer;
    private final Key key = new Key();
    private final Cell cell = new Cell();

    /// The partition and the slot to go on with.
    private int next;

    private int slot;

    public WatchedCells(Keyspace keyspace, Keyspace.Consumer consumer) {
        this.keyspace = keyspace;
        this.consumer = consumer;
    }

    /// From now on changes are marked, or not, and those that were marked are forgotten. The caller holds no partition.
    public void watch(boolean watched) {
        keyspace.forEach(partition -> partition.watch(consumer, watched));
    }

    /// Shows cells that changed, each as it is now, as long as there is room: a round through all partitions, which
    /// begins where the last one ended, so that cells that change all the time do not keep others from being shown. The
    /// visitor is called under the lock of the partition.
    public void show(BooleanSupplier hasRoom, CellVisitor visitor) {
        for (int i = 0; i <= Keyspace.PARTITIONS && hasRoom.getAsBoolean(); i++) {
            Partition partition = keyspace.partition(next);
            // Without the lock: a mark that is not seen yet is seen in the next round.
            if (partition.table().marks().count(consumer) == 0) {
                slot = -1;
            }
            while (slot >= 0 && hasRoom.getAsBoolean()) {
                slot = show(partition, slot, hasRoom, visitor);
            }
            if (slot < 0) {
                next = (next + 1) % Keyspace.PARTITIONS;
                slot = 0;
            }
        }
    }

    /// Returns the slot to go on with, -1 at the end. Between two calls cells may move: one that is passed over stays
    /// marked.
    private int show(Partition partition, int from, BooleanSupplier hasRoom, CellVisitor visitor) {
        partition.lock();
        try {
            CellTable table = partition.table();
            Marks marks = table.marks();
            int at = marks.next(consumer, from);
            for (int shown = 0; at >= 0 && shown < CHUNK && hasRoom.getAsBoolean(); shown++) {
                table.open(at, key, cell);
                if (cell.life().hasDeadline()) {
                    cell.endIfOver(keyspace.expiry().now());
                }
                marks.unmark(consumer, at);
                if (cell.type() != CounterType.TOKEN) {
                    visitor.cell(cell.type(), key, cell);
                }
                at = marks.next(consumer, at + 1);
            }
            return at;
        } finally {
            partition.unlock();
        }
    }
}
