package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/// The fields of one hash that are numbers, in the order of their values, and of their names where these are equal.
///
/// ```
/// entry    value (64 bits, signed) | probe hash of the field's key (64 bits)
/// ```
///
/// Made when the hash is first read in this order, some fields after the other; from then on each change of a field
/// that is covered by then moves its entry. Guarded by the partition's lock.
final class FieldOrder extends SortedChunks {
    /*
     * Names are not kept here. Where values are equal the table finds them by the probe hash, and costs a look at the
     * record of each field that is compared. Two fields of one hash whose probe hashes are equal may change places, or
     * pass for each other. The hashes have 64 bits and a secret, so that happens to one in some thirty million hashes
     * of a million fields, until the process is started again.
     *
     * A field leaves when its deadline comes, which is no change. So an order is good until the earliest deadline of
     * its fields, and then made again.
     */

    /// What an order takes besides its chunks and its name.
    private static final int HEAD_BYTES = 320;

    /// Where the memory of orders is counted that are not kept.
    private static final LongAdder NOT_KEPT = new LongAdder();

    /// What the orders of a partition need for a moment.
    static final class Scratch {
        private final Partition partition;
        private final FieldWalk walk;
        private final Key covered = new Key();
        private final Key compared = new Key();
        private final Key sought = new Key();
        private final Cell cell = new Cell();

        Scratch(Partition partition) {
            this.partition = partition;
            walk = new FieldWalk(partition);
        }
    }

    private final Scratch scratch;
    private final Key name;
    private final LongAdder bytesUsed;

    /// Fields whose probe hash, 32 bits of it, is below this are in the list.
    private long coveredTo;

    /// No deadline of a field in the list is earlier.
    private long dueAt = Life.NEVER;

    // What is sought: a value, or an entry if there is a key

    private long soughtValue;
    private boolean hasSoughtKey;
    private long soughtProbe;

    /// The name is that of the hash, and stays as it is.
    FieldOrder(Scratch scratch, Key name, LongAdder bytesUsed) {
        super(2, bytesUsed);
        this.scratch = scratch;
        this.name = name;
        this.bytesUsed = bytesUsed;
        bytesUsed.add(HEAD_BYTES + name.length());
    }

    /// An order that is made for one reading.
    FieldOrder(Scratch scratch, Key name) {
        this(scratch, name, NOT_KEPT);
    }

    /// The order is kept no longer.
    void release() {
        clear();
        bytesUsed.add(-HEAD_BYTES - name.length());
    }

    /// The probe hash of the name.
    int hash() {
        return name.hash();
    }

    boolean isOf(Key hash) {
        return hash.equalTo(name.array());
    }

    /// Whether a field in the list has ended by then. Not before all are covered, or a reading might begin for ever.
    boolean isDue(long now) {
        return coveredTo == FieldWalk.END && dueAt <= now;
    }

    /// Adds some of the fields that are not covered yet. Returns whether all are.
    boolean cover(int most, long now) {
        if (coveredTo == FieldWalk.END) {
            return true;
        }
        CellTable table = scratch.partition.table();
        FieldWalk walk = scratch.walk;
        Key field = scratch.covered;
        Cell cell = scratch.cell;
        walk.on(scratch.partition, name, coveredTo);
        int looked = 0;
        while (looked < most && walk.nextEntry()) {
            for (int slot = walk.nextSlot(); slot != CellTable.NONE; slot = walk.nextSlot()) {
                table.open(slot, field, cell);
                if (isNumber(cell) && !cell.life().isOver(now)) {
                    table.place(field);
                    add(field, cell);
                }
                looked++;
            }
        }
        coveredTo = looked < most ? FieldWalk.END : walk.from();
        return coveredTo == FieldWalk.END;
    }

    /// Whether readers see a number in the cell, unless its deadline has come.
    static boolean isNumber(Cell cell) {
        return cell.exists() && !cell.hasText();
    }

    /// A field has changed: it had this value before, if it `was` a number, and `cell` is what it is now.
    void changed(Key field, boolean was, long before, Cell cell) {
        if (Integer.toUnsignedLong(field.hash()) >= coveredTo) {
            return;
        }
        // One whose deadline had come when it was covered is not in the list, though it was a number.
        boolean isListed = was && seek(before, field) && isSought();
        if (isListed && isNumber(cell) && before == cell.value()) {
            dueAt = Math.min(dueAt, cell.life().deadline());
            return;
        }
        if (isListed) {
            remove();
        }
        if (isNumber(cell)) {
            add(field, cell);
        }
    }

    private void add(Key field, Cell cell) {
        boolean _ = seek(cell.value(), field);
        insert(cell.value(), field.probe());
        dueAt = Math.min(dueAt, cell.life().deadline());
    }

    /// Goes to the first entry that is not below that of a field with this value. Returns whether there is one. The key
    /// knows its place.
    boolean seek(long value, Key field) {
        soughtValue = value;
        Key _ = scratch.sought.set(CounterType.FIELD, field.array(), field.offset(), field.length());
        soughtProbe = field.probe();
        hasSoughtKey = true;
        return find();
    }

    /// Whether the entry where the last search has ended is the one that was sought.
    boolean isSought() {
        return entry(0) == soughtValue && entry(1) == soughtProbe;
    }

    /// How many entries have a value below this.
    int below(long value) {
        soughtValue = value;
        hasSoughtKey = false;
        boolean _ = find();
        return position();
    }

    /// How many entries have this value or one below it.
    int upTo(long value) {
        return value == Long.MAX_VALUE ? size() : below(value + 1);
    }

    /// The value of the field at the present entry.
    long value() {
        return entry(0);
    }

    /// Fills `key` with that of the field at the present entry.
    void openKey(Key key) {
        CellTable table = scratch.partition.table();
        table.openKey(table.findField(entry(1)), key);
    }

    @Override
    boolean isBelow(long[] entries, int index) {
        long value = entries[index];
        if (value != soughtValue) {
            return value < soughtValue;
        }
        return hasSoughtKey && entries[index + 1] != soughtProbe && isNameBelow(entries[index + 1]);
    }

    private boolean isNameBelow(long probe) {
        CellTable table = scratch.partition.table();
        Key key = scratch.compared;
        Key sought = scratch.sought;
        table.openKey(table.findField(probe), key);
        return Arrays.compareUnsigned(
                        key.array(),
                        key.offset(),
                        key.offset() + key.length(),
                        sought.array(),
                        sought.offset(),
                        sought.offset() + sought.length())
                < 0;
    }
}
