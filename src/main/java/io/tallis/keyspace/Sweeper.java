package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.wire.CellCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Ends the cells whose deadline has come, drops those that are over on every node, tidies tables, and folds shards of
/// ended sessions.
///
/// Readers and writers look at the deadline themselves, so no answer depends on how often this runs: it gives memory
/// back, and keeps the number of keys right. There is no timer for each cell. A partition knows the earliest moment at
/// which anything in it is due; when that has come, all its cells are looked at, some under each hold of the lock.
///
/// Belongs to one thread, which rests between steps while the node serves.
public final class Sweeper {
    /// How many slots are looked at under one hold of the lock.
    private static final int CHUNK = 128;

    /// How much is done in a step, which takes some hundred microseconds, or as long as a large table is tidied. The
    /// unit is a look at a slot.
    private static final int WORK_A_STEP = 1 << 14;

    /// The work of ending or dropping a cell.
    private static final int WORK_OF_A_CHANGE = 16;

    /// The work of tidying a table, for each of its slots.
    private static final int WORK_OF_TIDYING = 2;

    /// How many slots are folded in a step.
    private static final int FOLDED_A_STEP = 8 * CHUNK;

    private final Keyspace keyspace;
    private final Expiry expiry;
    private final CellCodec codec;
    private final Key key = new Key();
    private final Cell cell = new Cell();
    private final Cell spare = new Cell();
    private final Life life = new Life();

    /// The partition that is swept next, or is being swept if it was begun: up to `slot`, with a table of so many
    /// slots. What is left there is due at `nextDue`.
    private int number;

    private boolean begun;
    private int slot;
    private int slots;
    private long nextDue;

    /// What the present step has done, and what the present sweep has, other than ending and dropping.
    private int work;

    private long looks;
    private int tokens;

    /// The partition in which folding goes on.
    private int folding;

    /// The keys that were ended under the present lock, if they are to be told.
    private final List<byte[]> ended = new ArrayList<>();

    public Sweeper(Keyspace keyspace) {
        this.keyspace = keyspace;
        expiry = keyspace.expiry();
        codec = new CellCodec(keyspace.replicas());
    }

    /// Sweeps all partitions in which something is due, and tidies all tables.
    public void run() {
        while (step()) {}
    }

    /// Goes on with a sweep, or begins one. Returns whether there is more of it to do.
    public boolean step() {
        if (number == 0 && !begun) {
            keyspace.clearSketches();
            tokens = 0;
            looks = 0;
        }
        work = 0;
        while (number < Keyspace.PARTITIONS && work < WORK_A_STEP) {
            Partition partition = keyspace.partition(number);
            if (begun || isDue(partition)) {
                sweepSome(partition);
            }
            if (!begun) {
                tidy(partition);
                // Without the lock: about so many is good enough.
                tokens += partition.table().cells(CounterType.TOKEN);
                number++;
            }
        }
        if (number < Keyspace.PARTITIONS) {
            return true;
        }
        number = 0;
        keyspace.tokens().areCounted(tokens);
        return false;
    }

    /// What the last sweep has done besides ending and dropping cells: slots that it has looked at, and tidying, which
    /// counts as so many looks.
    public long looks() {
        return looks;
    }

    private boolean isDue(Partition partition) {
        return partition.dueAt() <= expiry.now() && !expiry.isWaitingForTime();
    }

    private void tidy(Partition partition) {
        CellTable table = partition.table();
        if (table.isUntidy()) {
            partition.lock();
            try {
                partition.tidy();
                work += WORK_OF_TIDYING * table.slots();
                looks += (long) WORK_OF_TIDYING * table.slots();
            } finally {
                partition.unlock();
            }
        }
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

    private void sweepSome(Partition partition) {
        if (!begun) {
            // Whenever a cell is dropped, folding begins again in its partition.
            keyspace.fold(partition, CHUNK);
        }
        partition.lock();
        try {
            CellTable table = partition.table();
            if (!begun) {
                begun = true;
                slot = 0;
                nextDue = Long.MAX_VALUE;
                partition.sweepBegins();
            } else if (table.slots() != slots) {
                slot = 0;
            }
            slots = table.slots();
            lookAtSome(partition, table);
            if (slot == slots) {
                begun = false;
                partition.sweepEnds(nextDue);
            }
        } finally {
            partition.unlock();
        }
        tellEnded();
    }

    private void tellEnded() {
        Consumer<byte[]> listener = expiry.endListener();
        if (listener != null) {
            ended.forEach(listener);
        }
        ended.clear();
    }

    private void lookAtSome(Partition partition, CellTable table) {
        long now = expiry.now();
        int from = slot;
        int end = Math.min(slots, from + CHUNK);
        while (slot < end) {
            if (table.isEmpty(slot) || !table.readLife(slot, life) || !sweepCell(partition, table, now)) {
                slot++;
            }
        }
        work += end - from;
        looks += end - from;
    }

    /// Returns whether the cell was removed, and another may stand in its slot now.
    private boolean sweepCell(Partition partition, CellTable table, long now) {
        if (life.hasDeadline() && !life.isOver(now) && life.deadline() == life.horizon()) {
            // Nearly all: not even unpacked. One that was deleted may not be dropped before either.
            due(life.deadline());
            return false;
        }
        table.open(slot, key, cell);
        if (cell.exists() && cell.life().isOver(now)) {
            cell.end();
            end(partition, table);
            work += WORK_OF_A_CHANGE;
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
            work += WORK_OF_A_CHANGE;
            return true;
        }
        long wait = 1;
        if (expiry.isPastGrace(cell, now)) {
            if (expiry.isInReach()) {
                table.open(slot, key, cell); // others may have been read since
                boolean _ = cell.reset();
                partition.reset(slot, cell);
                work += WORK_OF_A_CHANGE;
            } else {
                wait = Expiry.SKEW_MILLIS; // another node may have extended the deadline
            }
        }
        due(Math.max(expiry.dueAt(cell), now + wait));
        return false;
    }

    /// Stores the cell that was opened last, and has ended.
    private void end(Partition partition, CellTable table) {
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
