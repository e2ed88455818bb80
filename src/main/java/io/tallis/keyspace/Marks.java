package io.tallis.keyspace;

import java.util.Arrays;

/// The marks of a table's cells: sets of bits, one bit a slot.
///
/// One set for each consumer of changes: the cells that it has not seen in their present state. Two more sets for the
/// cells that were reset since the last rotation but one of the journal: the journal may still lack the reset, and
/// until it has it, each change of such a cell is recorded whole (I8). Two for the cells that are young: made so lately
/// that no copy of them lies on a disk that has not heard of their present life, see [Expiry]. One for deleted cells
/// that have not changed since a purge was prepared, see [DeletedCells]. A set takes memory from its first mark on.
/// Guarded by the partition's lock.
final class Marks {
    private static final int RESET_NOW = Keyspace.Consumer.values().length;
    private static final int RESET_BEFORE = RESET_NOW + 1;
    private static final int YOUNG_NOW = RESET_BEFORE + 1;
    private static final int YOUNG_BEFORE = YOUNG_NOW + 1;
    private static final int SETTLED = YOUNG_BEFORE + 1;
    private static final int SETS = SETTLED + 1;

    private final int slots;
    private final long[][] sets = new long[SETS][];
    private final int[] marked = new int[SETS];

    Marks(int slots) {
        this.slots = slots;
    }

    /// Marks a cell for the checkpoint: after every change.
    void changed(int slot) {
        mark(Keyspace.Consumer.CHECKPOINT.set(), slot);
        unmark(SETTLED, slot);
    }

    /// Marks a cell for a consumer that comes and goes, while it is there.
    void mark(Keyspace.Consumer consumer, int slot) {
        mark(consumer.set(), slot);
    }

    /// Forgets which cells were marked for the consumer.
    void noneIsMarked(Keyspace.Consumer consumer) {
        forget(consumer.set());
    }

    /// Marks a cell for the replicator: after a change by a client of this node.
    void ownChange(int slot) {
        mark(Keyspace.Consumer.REPLICATOR.set(), slot);
    }

    void reset(int slot) {
        mark(RESET_NOW, slot);
    }

    /// Whether the journal may still lack a reset of the cell.
    boolean resetRecently(int slot) {
        return isMarked(RESET_NOW, slot) || isMarked(RESET_BEFORE, slot);
    }

    /// The first slot from `from` on with such a cell, or -1.
    int nextReset(int from) {
        int now = next(RESET_NOW, from);
        int before = next(RESET_BEFORE, from);
        return now < 0 || before < 0 ? Math.max(now, before) : Math.min(now, before);
    }

    /// The journal was rotated, and has all that was recorded before. Forgets the resets from before the rotation
    /// before this one, which are surely in it.
    void rotateResets() {
        rotate(RESET_NOW, RESET_BEFORE);
    }

    /// The cell was made just now.
    void young(int slot) {
        mark(YOUNG_NOW, slot);
    }

    boolean isYoung(int slot) {
        return isMarked(YOUNG_NOW, slot) || isMarked(YOUNG_BEFORE, slot);
    }

    /// Cells that were young at the last call but one are young no longer.
    void age() {
        if (marked[YOUNG_NOW] + marked[YOUNG_BEFORE] > 0) {
            rotate(YOUNG_NOW, YOUNG_BEFORE);
        }
    }

    private void rotate(int now, int before) {
        long[] spare = sets[before];
        sets[before] = sets[now];
        marked[before] = marked[now];
        if (spare != null) {
            Arrays.fill(spare, 0);
        }
        sets[now] = spare;
        marked[now] = 0;
    }

    /// The deleted cell is to be purged, unless it changes.
    void settled(int slot) {
        mark(SETTLED, slot);
    }

    /// The first slot from `from` on with a deleted cell that is to be purged, or -1.
    int nextSettled(int from) {
        return next(SETTLED, from);
    }

    void noneIsSettled() {
        forget(SETTLED);
    }

    private void forget(int set) {
        sets[set] = null;
        marked[set] = 0;
    }

    int count(Keyspace.Consumer consumer) {
        return marked[consumer.set()];
    }

    /// The first slot from `from` on that is marked for the consumer, or -1.
    int next(Keyspace.Consumer consumer, int from) {
        return next(consumer.set(), from);
    }

    private int next(int set, int from) {
        long[] bits = sets[set];
        if (bits == null || from >= slots) {
            return -1;
        }
        int word = from >> 6;
        long left = bits[word] & -1L << from;
        while (left == 0) {
            if (++word == bits.length) {
                return -1;
            }
            left = bits[word];
        }
        return (word << 6) + Long.numberOfTrailingZeros(left);
    }

    boolean isMarked(Keyspace.Consumer consumer, int slot) {
        return slot < slots && isMarked(consumer.set(), slot);
    }

    void unmark(Keyspace.Consumer consumer, int slot) {
        unmark(consumer.set(), slot);
    }

    private void unmark(int set, int slot) {
        long[] bits = sets[set];
        if (bits != null && isMarked(set, slot)) {
            bits[slot >> 6] &= ~(1L << slot);
            marked[set]--;
        }
    }

    /// Carries over the marks of a cell that stood at `before` in the table before it was resized.
    void moved(Marks old, int before, int slot) {
        for (int set = 0; set < SETS; set++) {
            if (old.isMarked(set, before)) {
                mark(set, slot);
            }
        }
    }

    /// Carries over the marks of a cell to the slot that it moves to; the slot that it leaves has none then.
    void move(int from, int to) {
        for (int set = 0; set < SETS; set++) {
            boolean was = isMarked(set, from);
            unmark(set, from);
            unmark(set, to);
            if (was) {
                mark(set, to);
            }
        }
    }

    /// Takes away all marks of a slot.
    void clear(int slot) {
        for (int set = 0; set < SETS; set++) {
            unmark(set, slot);
        }
    }

    private boolean isMarked(int set, int slot) {
        long[] bits = sets[set];
        return bits != null && (bits[slot >> 6] & 1L << slot) != 0;
    }

    private void mark(int set, int slot) {
        long[] bits = sets[set];
        if (bits == null) {
            bits = new long[(slots + 63) >> 6];
            sets[set] = bits;
        }
        long bit = 1L << slot;
        if ((bits[slot >> 6] & bit) == 0) {
            bits[slot >> 6] |= bit;
            marked[set]++;
        }
    }
}
