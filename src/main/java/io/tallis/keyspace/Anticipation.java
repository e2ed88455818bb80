package io.tallis.keyspace;

/// Looks at the memory of cells that will be asked for soon, so that the waits for it overlap.
///
/// Among millions of counters nearly every operation waits for memory, several times in a row: the partition, its
/// index, the record. The operations themselves cannot overlap, since each takes a lock; these looks take none. What
/// they see may be stale or half changed, so nothing is concluded from it: whatever a look returns is only summed up,
/// in [#finish], to keep the compiler from leaving it out.
///
/// Belongs to one thread. Announce keys with [#add], then call [#finish], then do the operations.
public final class Anticipation {
    /// How many keys are looked at together; more than this are left to chance.
    public static final int LIMIT = 32;

    private final Keyspace keyspace;
    private final Key key = new Key();
    private final CellTable[] tables = new CellTable[LIMIT];
    private final int[] entries = new int[LIMIT];
    private int count;
    private int seen;

    public Anticipation(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    /// Announces a key: looks at its partition and at its place in the index.
    public void add(byte[] array, int offset, int length) {
        if (count < LIMIT && length > 0) {
            CellTable table = keyspace.partition(keyspace.partitionOf(key.set(array, offset, length)))
                    .table();
            tables[count] = table;
            entries[count++] = table.glance(key.probe());
        }
    }

    /// Looks at the records that the index named. Returns a number without a meaning.
    public int finish() {
        for (int i = 0; i < count; i++) {
            seen += tables[i].glanceAt(entries[i]);
        }
        count = 0;
        return seen;
    }
}
