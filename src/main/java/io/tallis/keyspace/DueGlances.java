package io.tallis.keyspace;

/// Looks at the memory of cells that are due to be sent, so that the waits for it overlap, as [Anticipation] does for
/// requests: another thread has just changed them, on another core. What is seen is stale or half changed at worst, and
/// means nothing.
///
/// Belongs to one thread.
final class DueGlances {
    /// How many partitions are looked at together.
    static final int LIMIT = 16;

    private final Partition[] partitions = new Partition[LIMIT];
    private final CellTable[] tables = new CellTable[LIMIT];
    private final int[] slots = new int[LIMIT];
    private final int[] entries = new int[LIMIT];
    private int count;
    private int seen;

    /// Announces a partition that has a cell which is due.
    void add(Partition partition) {
        partitions[count++] = partition;
    }

    /// Looks at the cell of each partition announced that was marked last, which nearly always is the only one that
    /// is due. Returns a number without a meaning, to keep the compiler from leaving the looks out.
    int finish() {
        for (int i = 0; i < count; i++) {
            tables[i] = partitions[i].table();
            slots[i] = partitions[i].glanceOwnChange();
            seen += partitions[i].isLocked() ? 1 : 0;
        }
        for (int i = 0; i < count; i++) {
            entries[i] = tables[i].glanceIndex(slots[i]);
        }
        for (int i = 0; i < count; i++) {
            seen += tables[i].glanceAt(entries[i]);
        }
        for (int i = 0; i < count; i++) {
            seen += tables[i].glanceMark(slots[i]) ? 1 : 0;
        }
        for (int i = 0; i < count; i++) {
            seen += tables[i].glanceStamp(slots[i]);
        }
        count = 0;
        return seen;
    }
}
