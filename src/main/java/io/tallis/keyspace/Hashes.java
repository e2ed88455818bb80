package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.keyspace.Counters.Increment;
import io.tallis.wire.CellCodec;
import io.tallis.wire.FieldKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Hashes, as one thread reads and changes them: a part of its [Counters], whose rules hold here too.
///
/// Each method locks the partition of the hash. Methods that concern all fields of a large hash do so for some fields
/// after the other, so that other threads get their turn; between [Counters#lock] and [Counters#unlock] they do it as
/// one. Belongs to one thread.
public final class Hashes {
    /*
     * What a hash is
     * --------------
     * Nothing but its fields. A field is a cell as a key is: the same lattice, rows, marks, digests, pulls, folds and
     * purges. Its key names the hash and the field (FieldKey), and its partition is that of the hash, so that one lock
     * holds all fields of a hash and one range of rows has them on disk.
     *
     *     h { a: 3, b: x }       cell FIELD "1 h a"    cell FIELD "1 h b"
     *
     * A hash exists as long as readers see a field of it. The index of the partition (PartitionFields) finds the fields
     * of a name; partitions without fields have none.
     *
     * So what concerns a hash as a whole is done to the fields that this node sees:
     *
     *     DEL       resets them; what other nodes count or create meanwhile stays
     *     EXPIRE    gives each of them the deadline
     *     a field that is made later gets the deadline of the first field that the node sees, by the order of the index
     *
     * After EXPIRE on one node, and a new field on another that has not heard of it, that field has no deadline. The
     * hash then has none either (the latest deadline of its fields is its own), which its clients can see and mend by
     * another EXPIRE. The other way, to give it one when both meet, would undo a PERSIST that meets a new field.
     *
     * A key may be a string and a hash at once, when two nodes have made it one each. Then commands for strings see the
     * string, those for hashes the hash, and what concerns any key concerns both.
     */

    /// How many fields are read or changed under one hold of the lock. What concerns all fields of a hash that has no
    /// more is atomic.
    public static final int PIECE = 1024;

    /// What [#next] returns behind the last field.
    public static final long END = FieldWalk.END;

    /// The deadline of a hash is that of so many of its fields.
    private static final int DATED_FIELDS = 1024;

    /// What a field takes besides its key and its cell: the head of the record, its entries in the table and the index.
    private static final int FIELD_BYTES = 20;

    private final Counters counters;
    private final Key field = new Key();
    private final FieldWalk walk;
    private byte[] bytes = new byte[64];

    Hashes(Counters counters) {
        this.counters = counters;
        walk = new FieldWalk(counters.keyspace.partition(0));
    }

    /// Whether a field of that name can be in the hash: the key that names both must not be too long.
    public static boolean fits(Key hash, int fieldLength, int mostBytes) {
        return FieldKey.prefixLength(hash.length()) + fieldLength <= Math.min(mostBytes, CellCodec.LONGEST_KEY);
    }

    /// The key of a field, good until the next call of any method.
    public Key key(Key hash, byte[] array, int offset, int length) {
        int needed = FieldKey.prefixLength(hash.length()) + length;
        byte[] into = needed <= bytes.length ? bytes : new byte[needed];
        if (needed <= CellCodec.LONGEST_KEY) {
            bytes = into;
        }
        int at = FieldKey.writePrefix(hash.array(), hash.offset(), hash.length(), into);
        System.arraycopy(array, offset, into, at, length);
        return field.set(CounterType.FIELD, into, 0, needed);
    }

    // Reading

    /// Reads a field, for [Counters#cell]. Returns whether it exists.
    public boolean read(Key hash, byte[] array, int offset, int length) {
        return counters.read(CounterType.FIELD, key(hash, array, offset, length));
    }

    /// Whether there is a hash of that name.
    public boolean exists(Key hash) {
        return deadlineOfFirst(hash) != Counters.ABSENT;
    }

    private long deadlineOfFirst(Key hash) {
        Partition partition = counters.partition(hash);
        if (!partition.hasFields()) {
            return Counters.ABSENT;
        }
        partition.lock();
        try {
            return deadlineOfFirst(partition, hash);
        } finally {
            partition.unlock();
        }
    }

    private long deadlineOfFirst(Partition partition, Key hash) {
        PartitionFields fields = partition.fields();
        return fields == null ? Counters.ABSENT : fields.firstDeadline(hash, counters.now());
    }

    /// Whether the key is a string and no hash.
    public boolean isString(Key key) {
        return !exists(key) && counters.readAny(key) != null;
    }

    /// How many fields the hash has.
    public long length(Key hash) {
        Partition partition = counters.partition(hash);
        partition.lock();
        try {
            PartitionFields fields = partition.fields();
            if (fields == null) {
                return 0;
            }
            boolean isExact = !fields.index().isShared(hash.hash()) && partition.dueAt() > counters.now();
            if (isExact) {
                return fields.has(hash) ? fields.index().count(hash.hash()) : 0;
            }
        } finally {
            partition.unlock();
        }
        long[] count = {0};
        each(hash, (_, _, _, _) -> count[0]++);
        return count[0];
    }

    /// Is shown fields of a hash under the lock: the bytes of its name, and its cell. Must not call [Counters].
    @FunctionalInterface
    public interface Visitor {
        void field(byte[] array, int offset, int length, Cell cell);
    }

    /// Shows all fields: in one moment if there are no more than [#PIECE].
    public void each(Key hash, Visitor visitor) {
        long from = 0;
        while (from < END) {
            from = next(hash, from, PIECE, visitor);
        }
    }

    /// Shows at least so many fields, if there are, from a position on, which is 0 at first. Returns the position to go
    /// on from, [#END] behind the last. A field that is there from the first call to the last is shown once.
    public long next(Key hash, long from, int count, Visitor visitor) {
        Partition partition = counters.partition(hash);
        if (!partition.hasFields()) {
            return END;
        }
        partition.lock();
        try {
            walk.on(partition, hash, from);
            int looked = 0;
            while (looked < count && walk.nextEntry()) {
                for (int slot = walk.nextSlot(); slot != CellTable.NONE; slot = walk.nextSlot()) {
                    show(partition, slot, visitor);
                    looked++;
                }
            }
            return looked < count ? END : walk.from();
        } finally {
            partition.unlock();
        }
    }

    private void show(Partition partition, int slot, Visitor visitor) {
        Cell cell = counters.cell;
        partition.table().open(slot, field, cell);
        if (cell.exists() && !cell.life().isOver(counters.now())) {
            int prefix = walk.prefixLength();
            visitor.field(field.array(), field.offset() + prefix, field.length() - prefix, cell);
        }
    }

    /// Shows one field, that at `index` of `length` in the order of the index, or the next one that readers see.
    /// Returns whether there is any.
    public boolean showOne(Key hash, long index, Visitor visitor) {
        Partition partition = counters.partition(hash);
        partition.lock();
        try {
            PartitionFields fields = partition.fields();
            if (fields == null) {
                return false;
            }
            int all = fields.index().count(hash.hash());
            if (all == 0) {
                return false;
            }
            int[] shown = {0};
            Visitor first = (array, offset, length, cell) -> {
                if (shown[0]++ == 0) {
                    visitor.field(array, offset, length, cell);
                }
            };
            long from = Integer.toUnsignedLong((int) fields.index().nth(hash.hash(), (int) (index % all)));
            while (shown[0] == 0 && from < END) {
                from = next(hash, from, 1, first);
            }
            from = 0;
            while (shown[0] == 0 && from < END) {
                from = next(hash, from, 1, first);
            }
            return shown[0] > 0;
        } finally {
            partition.unlock();
        }
    }

    /// How many bytes the fields take in memory.
    public long bytes(Key hash) {
        long[] bytes = {0};
        int prefix = FieldKey.prefixLength(hash.length());
        each(hash, (_, _, length, cell) -> bytes[0] += FIELD_BYTES + prefix + length + PackedCell.size(cell));
        return bytes[0];
    }

    /// The latest deadline of the fields, [Life#NEVER] if one of them has none, [Counters#ABSENT] if there is no field.
    /// Of a large hash the first fields are asked.
    public long deadline(Key hash) {
        long[] latest = {Counters.ABSENT};
        long _ = next(
                hash,
                0,
                DATED_FIELDS,
                (_, _, _, cell) -> latest[0] = Math.max(latest[0], cell.life().deadline()));
        return latest[0];
    }

    // Changes by a client

    /// Adds to a field as `HINCRBY` does. [Counters#value] is the new value then.
    public Increment increment(Key hash, byte[] array, int offset, int length, long delta) {
        return increment(hash, array, offset, length, delta, Counters.KEEP);
    }

    /// The same. A new field gets `deadlineIfNew`; with [Counters#KEEP] that of the hash.
    public Increment increment(Key hash, byte[] array, int offset, int length, long delta, long deadlineIfNew) {
        Key key = key(hash, array, offset, length);
        Partition partition = counters.open(CounterType.FIELD, key);
        try {
            long deadline = Counters.KEEP;
            if (!counters.cell.exists()) {
                deadline = deadlineOfNew(partition, hash, key);
                if (deadline == Counters.ABSENT) {
                    return Increment.WRONG_TYPE;
                }
                deadline = deadlineIfNew == Counters.KEEP ? deadline : deadlineIfNew;
            }
            return counters.cell.hasText() ? Increment.NO_NUMBER : counters.increment(partition, key, delta, deadline);
        } finally {
            partition.unlock();
        }
    }

    /// The deadline that a new field gets, [Counters#KEEP] if none; [Counters#ABSENT] if it may not be made, since the
    /// key is a string. Leaves the cell of the field opened.
    private long deadlineOfNew(Partition partition, Key hash, Key key) {
        int keys = partition.table().cells() - partition.table().cells(CounterType.FIELD);
        PartitionFields fields = partition.fields();
        if (keys == 0 && fields == null) {
            return Counters.KEEP;
        }
        long deadline = deadlineOfFirst(counters.partition(hash), hash);
        if (deadline == Counters.ABSENT && keys > 0 && counters.readAny(hash) != null) {
            return Counters.ABSENT;
        }
        // To change a cell it has to be the one that was read last.
        counters.reopen(partition, CounterType.FIELD, key);
        return deadline == Counters.ABSENT || deadline == Life.NEVER ? Counters.KEEP : deadline;
    }

    /// The result of an assignment.
    public enum Assignment {
        /// The field was there.
        REPLACED,
        MADE,
        /// The key is a string.
        WRONG_TYPE
    }

    /// Assigns a number to a field.
    public Assignment assign(Key hash, byte[] array, int offset, int length, long number) {
        Key key = key(hash, array, offset, length);
        Partition partition = counters.open(CounterType.FIELD, key);
        try {
            boolean existed = counters.cell.exists();
            long deadline = existed ? Counters.KEEP : deadlineOfNew(partition, hash, key);
            if (deadline == Counters.ABSENT) {
                return Assignment.WRONG_TYPE;
            }
            counters.assign(number);
            counters.saveField(partition, key, deadline);
            return existed ? Assignment.REPLACED : Assignment.MADE;
        } finally {
            partition.unlock();
        }
    }

    /// The same for bytes that are no whole number.
    public Assignment assign(
            Key hash, byte[] array, int offset, int length, byte[] text, int textOffset, int textLength) {
        Key key = key(hash, array, offset, length);
        Partition partition = counters.open(CounterType.FIELD, key);
        try {
            boolean existed = counters.cell.exists();
            long deadline = existed ? Counters.KEEP : deadlineOfNew(partition, hash, key);
            if (deadline == Counters.ABSENT) {
                return Assignment.WRONG_TYPE;
            }
            counters.assign(text, textOffset, textLength);
            counters.saveField(partition, key, deadline);
            return existed ? Assignment.REPLACED : Assignment.MADE;
        } finally {
            partition.unlock();
        }
    }

    /// What readers see of a field: a number, or text.
    private static final class Seen {
        private final byte[] name;
        private final long number;
        private final byte @Nullable [] text;
        private final long deadline;

        Seen(byte[] array, int offset, int length, Cell cell) {
            name = Arrays.copyOfRange(array, offset, offset + length);
            number = cell.hasText() ? 0 : cell.value();
            text = cell.hasText() ? textOf(cell) : null;
            deadline = cell.life().deadline();
        }

        private static byte[] textOf(Cell cell) {
            int text = cell.textOffset();
            return Arrays.copyOfRange(cell.parts().array(), text, text + cell.textLength());
        }
    }

    /// Whether each field of one hash can be in another.
    public boolean fitAll(Key hash, Key other) {
        boolean[] fit = {true};
        each(hash, (_, _, length, _) -> fit[0] &= fits(other, length, CellCodec.LONGEST_KEY));
        return fit[0];
    }

    /// Assigns what readers see of the fields of one hash, with their deadlines, to another one that has none. The
    /// caller holds both, and has found that there is room and that they [#fitAll].
    public void copy(Key source, Key target) {
        List<Seen> seen = new ArrayList<>();
        each(source, (array, offset, length, cell) -> seen.add(new Seen(array, offset, length, cell)));
        seen.forEach(field -> assign(target, field));
    }

    private void assign(Key hash, Seen seen) {
        Key key = key(hash, seen.name, 0, seen.name.length);
        Partition partition = counters.open(CounterType.FIELD, key);
        try {
            if (seen.text == null) {
                counters.assign(seen.number);
            } else {
                counters.assign(seen.text, 0, seen.text.length);
            }
            counters.saveAssigned(partition, key, seen.deadline);
        } finally {
            partition.unlock();
        }
    }

    /// Deletes a field: resets all that this node sees of it. Returns whether it existed.
    public boolean delete(Key hash, byte[] array, int offset, int length) {
        return counters.delete(CounterType.FIELD, key(hash, array, offset, length));
    }

    /// Deletes all fields that this node sees. Returns whether there was one.
    public boolean delete(Key hash) {
        boolean deleted = change(hash, key -> counters.delete(CounterType.FIELD, key));
        if (!deleted && counters.partition(hash).hasFields()) {
            recordAgain(hash);
        }
        return deleted;
    }

    /// The client is told that there is no such hash, as in [Counters#delete(CounterType, Key)]: the journal must have
    /// the resets of its fields, unless they are many.
    private void recordAgain(Key hash) {
        Partition partition = counters.partition(hash);
        int prefix = FieldKey.prefixLength(hash.length());
        partition.lock();
        try {
            byte[] start = key(hash, bytes, 0, 0).toByteArray();
            CellTable table = partition.table();
            int left = PIECE;
            for (int slot = table.marks().nextReset(0); slot >= 0 && left > 0; left--) {
                table.openKey(slot, field);
                if (table.type(slot) == CounterType.FIELD
                        && field.length() >= prefix
                        && Arrays.equals(field.array(), field.offset(), field.offset() + prefix, start, 0, prefix)) {
                    table.read(slot, counters.cell);
                    counters.recordAgain(field);
                }
                slot = table.marks().nextReset(slot + 1);
            }
        } finally {
            partition.unlock();
        }
    }

    /// Sets the deadline of all fields; [Life#NEVER] takes it away.
    boolean expireAt(Key hash, long deadline) {
        return change(hash, key -> counters.expireAt(CounterType.FIELD, key, deadline));
    }

    /// Takes away the deadlines of all fields. Returns whether any had one.
    boolean persist(Key hash) {
        return change(hash, key -> counters.persist(CounterType.FIELD, key));
    }

    /// A change of one field. Returns whether it was made.
    @FunctionalInterface
    private interface Change {
        boolean of(Key key);
    }

    /// Makes a change of each field. Returns whether any was made.
    private boolean change(Key hash, Change change) {
        Partition partition = counters.partition(hash);
        boolean changed = false;
        long from = partition.hasFields() ? 0 : END;
        while (from < END) {
            counters.lock(hash);
            counters.log.beginGroup();
            try {
                partition.requireRoom(Capacity.CHANGES, Capacity.RESET);
                walk.on(partition, hash, from);
                int looked = 0;
                while (looked < PIECE && walk.nextEntry()) {
                    for (int slot = walk.nextSlot(); slot != CellTable.NONE; slot = walk.nextSlot()) {
                        partition.table().openKey(slot, field);
                        // The record of the cell may move.
                        changed |= change.of(Key.of(CounterType.FIELD, field.toByteArray()));
                        looked++;
                    }
                }
                from = looked < PIECE ? END : walk.from();
            } finally {
                counters.log.endGroup();
                counters.unlock(hash);
            }
        }
        return changed;
    }
}
