package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.wire.CellCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Ends the cells whose deadline has come, drops those that are over on every node, and folds shards of ended sessions.
///
/// Readers and writers look at the deadline themselves, so no answer depends on how often this runs: it gives memory
/// back, and keeps the number of keys right. There is no timer for each cell. A partition knows the earliest moment at
/// which anything in it is due; when that has come, all its cells are looked at, some under each hold of the lock.
///
/// Belongs to one thread.
public final class Sweeper {
    /// How many slots are looked at under one hold of the lock.
    private static final int CHUNK = 128;

    /// How many slots are folded in a step, after which a node that serves rests.
    private static final int FOLDED_A_STEP = 8 * CHUNK;

    private final Keyspace keyspace;
    private final Expiry expiry;
    private final CellCodec codec;
    private final Key key = new Key();
    private final Cell cell = new Cell();
    private final Cell spare = new Cell();
    private final Life life = new Life();
    private long nextDue;

    /// The partition in which folding goes on.
    private int folding;

    /// The keys that were ended under the present lock, if they are to be told.
    private final List<byte[]> ended = new ArrayList<>();

    public Sweeper(Keyspace keyspace) {
        this.keyspace = keyspace;
        expiry = keyspace.expiry();
        codec = new CellCodec(keyspace.replicas());
    }

    /// Sweeps the partitions in which something is due.
    public void run() {
        keyspace.clearSketches();
        int tokens = 0;
        for (int number = 0; number < Keyspace.PARTITIONS; number++) {
            Partition partition = keyspace.partition(number);
            if (partition.dueAt() <= expiry.now() && !expiry.isWaitingForTime()) {
                // Whenever a cell is dropped, folding begins again in its partition.
                keyspace.fold(partition, CHUNK);
                sweep(partition);
            }
            // Without the lock: about so many is good enough.
            tokens += partition.table().cells(CounterType.TOKEN);
        }
        keyspace.tokens().areCounted(tokens);
    }

    /// Folds shards in some more cells. Returns whether there may be more.
    public boolean fold() {
        int slots = 0;
        while (slots < FOLDED_A_STEP && folding < Keyspace.PARTITIONS) {
            int folded = keyspace.foldSome(keyspace.partition(folding), CHUNK);
            slots += folded;
            if (folded == 0) {
                folding++;
            }
        }
        boolean hasMore = folding < Keyspace.PARTITIONS;
        folding = hasMore ? folding : 0;
        return hasMore;
    }

    private void sweep(Partition partition) {
        nextDue = Long.MAX_VALUE;
        partition.lock();
        try {
            // What becomes due from now on lowers it again.
            partition.dueAt(Long.MAX_VALUE);
        } finally {
            partition.unlock();
        }
        int slot = 0;
        int slots = -1;
        while (slot >= 0) {
            partition.lock();
            try {
                CellTable table = partition.table();
                if (table.slots() != slots) {
                    slots = table.slots();
                    slot = 0;
                }
                slot = sweep(partition, table, slot, slots);
                if (slot < 0) {
                    partition.isDueAt(nextDue);
                }
            } finally {
                partition.unlock();
            }
            tellEnded();
        }
    }

    private void tellEnded() {
        Consumer<byte[]> listener = expiry.endListener();
        if (listener != null) {
            ended.forEach(listener);
        }
        ended.clear();
    }

    /// Returns the slot to go on with, -1 at the end.
    private int sweep(Partition partition, CellTable table, int from, int slots) {
        long now = expiry.now();
        int slot = from;
        int end = Math.min(slots, from + CHUNK);
        while (slot < end) {
            if (table.isEmpty(slot) || !table.readLife(slot, life) || !sweepCell(partition, table, slot, now)) {
                slot++;
            } else if (table.slots() != slots) {
                return 0;
            }
        }
        return slot < slots ? slot : -1;
    }

    /// Returns whether the cell was removed, and another may stand in its slot now.
    private boolean sweepCell(Partition partition, CellTable table, int slot, long now) {
        if (life.hasDeadline() && !life.isOver(now) && life.deadline() == life.horizon()) {
            // Nearly all: not even unpacked. One that was deleted may not be dropped before either.
            due(life.deadline());
            return false;
        }
        table.open(slot, key, cell);
        if (cell.endIfOver(now)) {
            end(partition, table, slot);
        }
        if (cell.exists()) {
            due(cell.life().deadline());
            return false;
        }
        if (expiry.isDroppable(cell, now) && !partition.isPinned() && !isToBeShown(table, slot)) {
            table.place(key);
            expiry.remember(partition, key, cell);
            expiry.countDropped();
            partition.drop(slot, key, expiry.isPersistent() ? codec : null);
            return true;
        }
        due(Math.max(expiry.droppableAt(cell), now + 1));
        return false;
    }

    /// Stores the cell that was opened last, and has ended.
    private void end(Partition partition, CellTable table, int slot) {
        partition.end(slot, cell);
        // The record may have moved.
        table.openKey(slot, key);
        table.place(key);
        partition.deadlineChanged(cell.type(), cell.life().deadline(), Life.NEVER);
        boolean isKeyGone = partition.appearedOrVanished(cell.type(), key, false, spare);
        partition.ended(cell.type(), key);
        if (isKeyGone && expiry.endListener() != null) {
            ended.add(key.name(cell.type()));
        }
        expiry.countEnded(cell);
    }

    /// Whether the peers have not been told of the last change, which may have set the deadline, or the watchers have
    /// not seen the end.
    private static boolean isToBeShown(CellTable table, int slot) {
        return table.marks().isMarked(Keyspace.Consumer.REPLICATOR, slot)
                || table.marks().isMarked(Keyspace.Consumer.WATCHERS, slot)
                || table.marks().isMarked(Keyspace.Consumer.MERGES, slot)
                || table.marks().isMarked(Keyspace.Consumer.CACHES, slot);
    }

    private void due(long epochMillis) {
        nextDue = Math.min(nextDue, epochMillis);
    }
}
