package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.crdt.Replicas;

/// Merges cells that peers, the journal or the database have into a keyspace, as one thread does it.
///
/// Each method takes the lock of the key's partition. Throws [KeyspaceFullException], having changed nothing, when the
/// cell or its partition is full; see [Capacity]. Belongs to one thread.
public final class Merges extends CellEditor {
    /// Merges as of now.
    private static final long PRESENT = Long.MIN_VALUE;

    private static final int NO_SENDER = -1;

    /// How much later than the time that the journal tells a row may have been recorded.
    private static final long LATEST_ROW_MILLIS = 1_000;

    private final Folds folds;

    /// Whether the received cell has counts of this process that were dropped here and count again.
    private boolean comesBack;

    /// Whether this node must tell the others what only it knows of the cell that was merged last.
    private boolean mustTell;

    public Merges(Keyspace keyspace, ChangeLog log) {
        super(keyspace, log, null);
        folds = keyspace.folds();
    }

    /// Merges a counter that a peer sent, and marks and records the cell if anything is new.
    ///
    /// When the journal has this thread's records, it has all that was merged, and peers may be told so. A recent reset
    /// by a client may still be in the turn of another thread, so such a cell is recorded even if nothing is new.
    public Counter.Merged merge(Key key, Cell other) {
        return merge(key, other, NO_SENDER);
    }

    /// The same for a cell that was sent by the process with this replica number.
    public Counter.Merged merge(Key key, Cell other, int sender) {
        return merge(key, other, sender, PRESENT);
    }

    /// The same for a cell from the journal, without a limit of [Capacity], as of the time of day at which it was
    /// recorded: what was not over then is not over.
    public Counter.Merged mergeAgain(Key key, Cell other, long asOf) {
        return merge(key, other, NO_SENDER, asOf);
    }

    private Counter.Merged merge(Key key, Cell other, int sender, long asOf) {
        long now = other.isPlain() ? 0 : timeOf(asOf);
        if (other.isBlank()) {
            return Counter.Merged.NOTHING_NEW;
        }
        Partition partition = partition(key);
        mustTell = false;
        comesBack = false;
        partition.lock();
        try {
            if (asOf == PRESENT) {
                keyspace.fold(partition, Integer.MAX_VALUE);
            }
            load(partition, other.type(), key);
            if (asOf == PRESENT) {
                bringUpToFolds(other);
            }
            if (!other.life().isEmpty() && expiry.isPast(other, now)) {
                return endOlder(partition, key, other, sender, now);
            }
            if (!cell.life().isEmpty()) {
                now = asOf == PRESENT ? expiry.now() : whenRecorded(other.life(), asOf);
                if (expiry.isPast(cell, now)) {
                    forget(partition, key);
                }
            }
            if (asOf == PRESENT) {
                considerOwn(partition, other);
            }
            return merge(partition, key, other, now, asOf == PRESENT);
        } finally {
            partition.unlock();
        }
    }

    /// A node that has not made a fold yet sends shards of its members. Where one is being prepared, they may not grow.
    private void bringUpToFolds(Cell other) {
        Replicas replicas = keyspace.replicas();
        if (replicas.foldsAdded() > 0) {
            boolean _ = other.counts().fold(replicas);
        }
        if (folds.closes() && !folds.isDisturbed() && isDisturbing(other.counts())) {
            folds.disturb();
        }
    }

    private boolean isDisturbing(Counter counts) {
        for (int i = 0; i < counts.shards(); i++) {
            if (folds.isClosing(counts.replica(i)) && cell.counts().lags(counts, counts.replica(i))) {
                return true;
            }
        }
        return false;
    }

    /// What a row has outlived was over when it was recorded.
    private long whenRecorded(Life row, long asOf) {
        long deadline = cell.life().deadline();
        boolean wasOver = row.hasOutlived(cell.life()) && deadline <= asOf + LATEST_ROW_MILLIS;
        return wasOver ? Math.max(asOf, deadline) : asOf;
    }

    private long timeOf(long asOf) {
        return asOf == PRESENT ? expiry.now() : asOf;
    }

    /// Considers what only this node knows of a cell that a peer sent: that its own copy without a deadline is old, and
    /// what it has dropped. What the journal says was decided when it was recorded.
    private void considerOwn(Partition partition, Cell other) {
        if (!ended && !cell.life().hasDeadline() && other.life().hasDeadline() && !partition.isYoung(slot)) {
            // This copy is on disk.
            mustTell = other.life().horizon() != Life.FOREVER;
            other.life().outlast();
        }
        if (other.counts().find(Replicas.OWN) >= 0 && expiry.ownShard(cell, other) == Expiry.OwnShard.DROPPED) {
            mustTell = true;
            // What has heard of a deadline and is not over has been extended since, or made persistent: it counts
            // again.
            comesBack = cell.counts().find(Replicas.OWN) < 0 && other.life().version() > 0;
            if (!comesBack) {
                expiry.liftOwnShard(cell);
                ended = true;
            }
        }
    }

    private Counter.Merged merge(Partition partition, Key key, Cell other, long now, boolean isLimited) {
        int shards = cell.counts().shards();
        Counter.Merged merged = cell.merge(other, now);
        if (comesBack && cell.counts().find(Replicas.OWN) >= 0) {
            expiry.liftOwnShard(cell);
            ended = true;
        }
        if (ended) {
            merged = Counter.Merged.RESET;
        }
        mustTell |= cell.otherLags();
        if (merged != Counter.Merged.NOTHING_NEW || mustTell) {
            if (isLimited) {
                partition.requireRoom(Capacity.MERGES, 0);
                requireShards(shards, Capacity.SHARDS);
            }
            changeByMerge(partition, key, changeOf(merged));
            if (cell.type() == CounterType.TOKEN && cell.exists() && cell.value() > 1) {
                keyspace.tokens().isCountedTwice();
            }
        } else if (partition.resetRecently(slot)) {
            recordAgain(key);
        }
        return merged;
    }

    /// What only this node knows is announced as an own change.
    private Partition.Change changeOf(Counter.Merged merged) {
        if (mustTell) {
            return Partition.Change.OWN_RESET;
        }
        return merged == Counter.Merged.RESET ? Partition.Change.MERGED_RESET : Partition.Change.MERGED;
    }

    /// A copy comes too late to be merged. But what its sender had counted before that is here may have come just
    /// before it, in the same late frames, when it had no deadline yet: that is over too.
    private Counter.Merged endOlder(Partition partition, Key key, Cell late, int sender, long now) {
        if (sender == NO_SENDER
                || slot == CellTable.NONE
                || cell.life().isOver(now)
                || !cell.resetOlder(late, sender)) {
            return Counter.Merged.NOTHING_NEW;
        }
        if (!cell.hasContent() && cell.life().isEmpty()) {
            cell.life().copyFrom(late.life());
        }
        changeByMerge(partition, key, Partition.Change.MERGED_RESET);
        return Counter.Merged.RESET;
    }

    private void changeByMerge(Partition partition, Key key, Partition.Change change) {
        boolean seen = isCounted() || cell.exists();
        change(partition, key, change);
        if (seen) {
            partition.merged();
        }
    }

    private void requireShards(int before, int most) {
        if (cell.counts().shards() > Math.max(before, most)) {
            throw KeyspaceFullException.ofCounter();
        }
    }

    /// Whether `other` has larger totals of this process than this process ever made, which is impossible unless the
    /// memory of the process was taken back to an earlier state.
    public boolean isBeyondOwn(Key key, Cell other) {
        return other.counts().find(Replicas.OWN) >= 0 && lacksOwn(key, other);
    }

    private boolean lacksOwn(Key key, Cell other) {
        Partition partition = openStored(other.type(), key);
        try {
            return expiry.ownShard(cell, other) == Expiry.OwnShard.UNKNOWN;
        } finally {
            partition.unlock();
        }
    }

    /// Adds a cell from the database, without marking it; merges it if there is one already. One that is over
    /// everywhere is added too: it has to be dropped to leave the database.
    public void restore(Key key, Cell other) {
        Partition partition = openStored(other.type(), key);
        try {
            if (slot != CellTable.NONE) {
                Counter.Merged _ = mergeAgain(key, other, 0);
                return;
            }
            partition.restore(key, other);
            noteDue(partition, other);
            if (other.exists()) {
                boolean _ = partition.appearedOrVanished(other.type(), key, true, spare);
                partition.deadlineChanged(other.type(), Life.NEVER, other.life().deadline());
            }
        } finally {
            partition.unlock();
        }
    }
}
