package io.tallis.keyspace;

/// Looks at the memory of cells that will be asked for soon, so that the waits for it overlap.
///
/// Among millions of counters nearly every operation waits for memory, several times in a row: the partition, its
/// index, the record. The operations themselves cannot overlap, since each takes a lock; these looks take none.
/// What they see may be stale or half changed, so nothing is concluded from it: whatever a look returns is only
/// summed up, at the end, to keep the compiler from leaving it out.
///
/// One kind of look is taken at all keys before the next kind: in so short a loop the processor gets to the looks
/// at several keys before the first has ended.
///
/// Belongs to one thread. Announce keys with [#add], then call one of the others, then do the
/// operations.
public final class Anticipation {
    /// How many keys are looked at together; more than this are left to chance.
    public static final int LIMIT = 32;

    /// Smaller keyspaces stay in the processor's cache by themselves.
    public static final long WORTHWHILE_KEYSPACE_BYTES = 1 << 19;

    private final Keyspace keyspace;
    private final int[] partitions = new int[LIMIT];
    private final long[] probes = new long[LIMIT];
    private final CellTable[] tables = new CellTable[LIMIT];
    private final int[] entries = new int[LIMIT];
    private int count;
    private int seen;

    public Anticipation(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    /// Announces a key, which knows its place from then on.
    public void add(Key key) {
        if (count < LIMIT) {
            partitions[count] = keyspace.partitionOf(key);
            probes[count++] = key.probe();
        }
    }

    /// Looks at all that reading the counters of the keys announced will need. Returns a number without a meaning.
    public int finish() {
        look();
        return end();
    }

    /// The same for merging something into them.
    public int finishForMerge() {
        look();
        lookAtMarks();
        return end();
    }

    /// The same for changing them, which may stamp them.
    public int finishForChange() {
        look();
        lookAtMarks();
        for (int i = 0; i < count; i++) {
            seen += tables[i].glanceStampOf(probes[i]);
        }
        return end();
    }

    private void look() {
        for (int i = 0; i < count; i++) {
            tables[i] = keyspace.partition(partitions[i]).table();
        }
        for (int i = 0; i < count; i++) {
            entries[i] = tables[i].glance(probes[i]);
        }
        for (int i = 0; i < count; i++) {
            seen += tables[i].glanceAt(entries[i]);
        }
    }

    private void lookAtMarks() {
        for (int i = 0; i < count; i++) {
            seen += tables[i].glanceMarkOf(probes[i]);
        }
    }

    private int end() {
        count = 0;
        return seen;
    }
}
