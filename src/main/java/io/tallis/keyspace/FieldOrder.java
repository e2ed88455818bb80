package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// The fields of one hash that have a [Score], in the order of these, and of their names where these are equal.
///
/// ```
/// entry    the whole part of the score (64 bits, signed) | probe hash of the field's key (64 bits)
/// ```
///
/// Made when the hash is first read in this order, some fields after the other; from then on each change of a field
/// that is covered by then moves its entry. Guarded by the partition's lock.
final class FieldOrder extends SortedChunks {
    /*
     * Names and fractions are not kept here. Where the whole parts are equal the table finds them by the probe hash,
     * and costs a look at the record of each field that is compared. Two fields of one hash whose probe hashes are
     * equal may change places, or pass for each other. The hashes have 64 bits and a secret, so that happens to one in
     * some thirty million hashes of a million fields, until the process is started again.
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
        private final Cell comparedCell = new Cell();

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

    /// How many scores in the list have a fraction.
    private int fractions;

    // What is sought: a score, or an entry if there is a key

    private long soughtWhole;
    private double soughtFraction;
    private boolean hasSoughtKey;
    private long soughtProbe;

    /// Whether the field that is sought has its place by the score that it had: the table has another one by now.
    private boolean hasChanged;

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
                Score score = cell.life().isOver(now) ? null : Score.seen(cell);
                if (score != null) {
                    table.place(field);
                    add(field, score, cell);
                }
                looked++;
            }
        }
        coveredTo = looked < most ? FieldWalk.END : walk.from();
        return coveredTo == FieldWalk.END;
    }

    /// A field has changed: it had this score before, if it had one, and `cell` is what it is now.
    void changed(Key field, @Nullable Score before, Cell cell) {
        if (Integer.toUnsignedLong(field.hash()) >= coveredTo) {
            return;
        }
        Score after = Score.seen(cell);
        // One whose deadline had come when it was covered is not in the list, though it had a score.
        if (before != null && seek(before, field, true) && isSought()) {
            if (before.equals(after)) {
                dueAt = Math.min(dueAt, cell.life().deadline());
                return;
            }
            remove();
            fractions -= before.fraction() == 0 ? 0 : 1;
        }
        if (after != null) {
            add(field, after, cell);
        }
    }

    private void add(Key field, Score score, Cell cell) {
        boolean _ = seek(score, field);
        insert(score.whole(), field.probe());
        fractions += score.fraction() == 0 ? 0 : 1;
        dueAt = Math.min(dueAt, cell.life().deadline());
    }

    /// Goes to the first entry that is not below that of a field with this score. Returns whether there is one. The key
    /// knows its place.
    boolean seek(Score score, Key field) {
        return seek(score, field, false);
    }

    private boolean seek(Score score, Key field, boolean changed) {
        hasChanged = changed;
        soughtWhole = score.whole();
        soughtFraction = score.fraction();
        Key _ = scratch.sought.set(CounterType.FIELD, field.array(), field.offset(), field.length());
        soughtProbe = field.probe();
        hasSoughtKey = true;
        return find();
    }

    /// Whether the entry where the last search has ended is the one that was sought.
    boolean isSought() {
        return entry(0) == soughtWhole && entry(1) == soughtProbe;
    }

    /// How many entries have a score below this.
    int below(Score score) {
        soughtWhole = score.whole();
        soughtFraction = score.fraction();
        hasSoughtKey = false;
        hasChanged = false;
        boolean _ = find();
        return position();
    }

    /// The score of the field at the present entry.
    Score score() {
        return new Score(entry(0), fraction(entry(1)));
    }

    private double fraction(long probe) {
        if (fractions == 0) {
            return 0;
        }
        CellTable table = scratch.partition.table();
        table.read(table.findField(probe), scratch.comparedCell);
        Score score = Score.seen(scratch.comparedCell);
        return score == null ? 0 : score.fraction();
    }

    /// Fills `key` with that of the field at the present entry.
    void openKey(Key key) {
        CellTable table = scratch.partition.table();
        table.openKey(table.findField(entry(1)), key);
    }

    @Override
    boolean isBelow(long[] entries, int index) {
        long whole = entries[index];
        long probe = entries[index + 1];
        if (whole != soughtWhole) {
            return whole < soughtWhole;
        }
        if (hasChanged && probe == soughtProbe) {
            return false;
        }
        double fraction = fraction(probe);
        return fraction == soughtFraction ? hasSoughtKey && isNameBelow(probe) : fraction < soughtFraction;
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
