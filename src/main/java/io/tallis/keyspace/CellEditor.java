package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.runtime.Halt;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The cell that a thread has opened for a change, from the search for it to the record of what was changed: what
/// [Counters] and [Merges] have in common. Belongs to one thread.
abstract class CellEditor {
    final Keyspace keyspace;
    final ChangeLog log;
    final Expiry expiry;
    final Cell cell = new Cell();
    final Cell spare = new Cell();
    private final @Nullable EntryRing ring;
    private long changes;

    /// How many sections of several steps are open. What they change is marked for the replicator and makes no entry,
    /// which might be sent before the last step.
    private int held;

    private @Nullable Consumer<Key> onEnd;
    private @Nullable BiConsumer<CounterType, Key> onChange;

    // Of the cell that was opened last

    int slot;

    /// Whether it is counted as one that readers see.
    private boolean counted;

    /// Its deadline, if it is counted as one with a deadline, else [Life#NEVER].
    private long dated;

    /// The score of a field, in a partition that keeps fields in the order of their scores; else null.
    private @Nullable Score score;

    /// Whether it has ended, or became another life, since it was stored.
    boolean ended;

    /// Whether its deadline has come since it was stored.
    private boolean expired;

    /// Whether it counts as absent, since every copy of it is over.
    private boolean forgotten;

    /// The time of day of the section that is open.
    private long sectionNow;

    CellEditor(Keyspace keyspace, ChangeLog log, @Nullable EntryRing ring) {
        this.keyspace = keyspace;
        this.log = log;
        this.ring = ring;
        expiry = keyspace.expiry();
    }

    /// How many changes were begun here so far: if it is the same after a command, the command changed nothing.
    public final long changes() {
        return changes;
    }

    /// From now on `listener` is called with the key of each cell that is found ended when it is changed. It is called
    /// under the lock of the partition, and must do no more than note the key.
    public final void onEnd(Consumer<Key> listener) {
        onEnd = listener;
    }

    /// From now on `listener` is called with the key of each cell that is changed while there are clients that cache
    /// keys, instead of marking the cell for [Keyspace.Consumer#CACHES]. As [#onEnd], under a lock.
    public final void onChange(BiConsumer<CounterType, Key> listener) {
        onChange = listener;
    }

    /// Whether the cell, as it was when it was opened, counts as one that readers see.
    final boolean isCounted() {
        return counted;
    }

    /// Another editor of this thread has recorded something.
    final void noteChange() {
        changes++;
    }

    final Partition partition(Key key) {
        return keyspace.partition(keyspace.partitionOf(key));
    }

    /// Locks the key's partition and reads the cell, for a change by a client: one whose deadline has come is reset,
    /// and begins another life with this change.
    final Partition open(CounterType type, Key key) {
        Partition partition = openStored(type, key);
        if (!cell.life().isEmpty()) {
            bringUpToDate(partition, key);
        }
        return partition;
    }

    final void reopen(Partition partition, CounterType type, Key key) {
        load(partition, type, key);
        if (!cell.life().isEmpty()) {
            bringUpToDate(partition, key);
        }
    }

    final Partition openStored(CounterType type, Key key) {
        Partition partition = partition(key);
        partition.lock();
        load(partition, type, key);
        return partition;
    }

    final void load(Partition partition, CounterType type, Key key) {
        slot = partition.read(type, key, cell);
        ended = false;
        counted = slot != CellTable.NONE && cell.exists();
        dated = counted ? cell.life().deadline() : Life.NEVER;
        score = type == CounterType.FIELD && isRanked(partition) ? Score.seen(cell) : null;
        expired = false;
        forgotten = false;
    }

    private static boolean isRanked(Partition partition) {
        PartitionFields fields = partition.fields();
        return fields != null && fields.hasOrders();
    }

    /// The time of day; within a section of several steps that of its beginning.
    public final long now() {
        return held > 0 ? sectionNow : expiry.now();
    }

    final void beginSection() {
        if (held++ == 0) {
            sectionNow = expiry.now();
        }
    }

    final void endSection() {
        held--;
    }

    private void bringUpToDate(Partition partition, Key key) {
        long now = now();
        if (expiry.isDroppable(cell, now)) {
            forget(partition, key);
        } else if (!cell.exists() || cell.life().isOver(now)) {
            expired = counted;
            boolean _ = cell.reset();
            beginAgain();
        }
    }

    /// The key is used again after its end.
    final void beginAgain() {
        cell.life().beginAgain();
        ended = true;
    }

    /// Every copy of the cell is over: it counts as absent.
    final void forget(Partition partition, Key key) {
        expired = counted;
        expiry.remember(partition, key, cell);
        cell.clear(cell.type());
        forgotten = true;
        ended = true;
    }

    /// Gives the cell a shard of this process where that must not begin at zero.
    final void beginShard(Partition partition, Key key) {
        if (partition.droppedKeys().mayHave(key.probe())) {
            expiry.beginShard(cell);
        }
    }

    final void save(Partition partition, Key key, Partition.Change change) {
        partition.requireRoom(slot == CellTable.NONE ? keyspace.clientBytes() : Capacity.CHANGES, 0);
        change(partition, key, ended ? Partition.Change.OWN_RESET : change);
    }

    final void change(Partition partition, Key key, Partition.Change change) {
        try {
            changes++;
            boolean whole = partition.write(slot, key, cell, change);
            if (partition.isCached()) {
                tellCaches(partition, key);
            }
            boolean seen = cell.exists();
            if (counted != seen) {
                boolean _ = partition.appearedOrVanished(cell.type(), key, seen, spare);
            }
            if (cell.type() == CounterType.FIELD) {
                partition.valueChanged(key, score, cell);
            }
            if (!cell.life().isEmpty() || dated != Life.NEVER || ended) {
                noteLife(partition, key, seen);
            }
            log.record(key, cell, whole || change != Partition.Change.OWN);
            partition.announce(key, cell, change, log, held == 0 ? ring : null);
        } catch (RuntimeException | Error mistake) {
            // The cell may have changed without a record, or only in part: no other thread may see it.
            throw Halt.because(mistake);
        }
    }

    private void tellCaches(Partition partition, Key key) {
        if (onChange == null) {
            partition.changedForCaches();
        } else {
            onChange.accept(cell.type(), key);
        }
    }

    private void noteLife(Partition partition, Key key, boolean seen) {
        if (ended) {
            partition.youngAgain();
        }
        if (expired) {
            expiry.countEnded(cell);
            if (onEnd != null && cell.type().isKey()) {
                onEnd.accept(key);
            }
        }
        if (forgotten) {
            expiry.countDropped();
        }
        partition.deadlineChanged(cell.type(), dated, seen ? cell.life().deadline() : Life.NEVER);
        noteDue(partition, cell);
    }

    final void noteDue(Partition partition, Cell stored) {
        partition.isDueAt(stored.exists() ? stored.life().deadline() : expiry.dueAt(stored));
    }

    final void recordAgain(Key key) {
        try {
            changes++;
            log.record(key, cell, true);
        } catch (RuntimeException | Error mistake) {
            // There may be half a row, which would be read as a whole one.
            throw Halt.because(mistake);
        }
    }
}
