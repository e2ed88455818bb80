package io.tallis.keyspace;

/// Loads the memory of several cells into the processor's cache before they are read or changed, so that the waits for
/// it overlap.
///
/// Among millions of counters nearly every operation waits for memory, several times in a row: the partition, its
/// index, the record. The operations cannot overlap, since each takes a lock; these loads take none. What they see may
/// be stale or half changed, so nothing is concluded from it: all values are added up and returned only to keep the
/// compiler from leaving the loads out.
///
/// One kind of load is done for all cells before the next kind. In so short a loop the processor starts the loads of
/// several cells before the first has ended.
///
/// Belongs to one thread. Add cells, call one of the methods that load, then do the operations.
public final class Prefetch {
    /// The most cells that are loaded together; what is added beyond is ignored.
    public static final int LIMIT = 32;

    /// Smaller keyspaces stay in the processor's cache by themselves.
    public static final long WORTHWHILE_KEYSPACE_BYTES = 1 << 19;

    private final Keyspace keyspace;
    private final Partition[] partitions = new Partition[LIMIT];
    private final long[] probes = new long[LIMIT];
    private final CellTable[] tables = new CellTable[LIMIT];
    private final int[] slots = new int[LIMIT];
    private final int[] entries = new int[LIMIT];
    private int count;
    private int seen;

    public Prefetch(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    /// Adds the cells of a key, which knows its place from then on.
    public void add(Key key) {
        if (count < LIMIT) {
            partitions[count] = keyspace.partition(keyspace.partitionOf(key));
            probes[count++] = key.probe();
        }
    }

    /// Adds the cell of a partition that was marked last for the replicator, mostly the only marked one. To be loaded
    /// by [#forSending].
    void addMarked(Partition partition) {
        if (count < LIMIT) {
            partitions[count++] = partition;
        }
    }

    /// Loads what reading needs. Returns a number without a meaning, as the others do.
    public int forRead() {
        findByProbe();
        loadRecords();
        return end();
    }

    /// Loads what merging needs.
    public int forMerge() {
        findByProbe();
        loadRecords();
        loadMarks(Keyspace.Consumer.CHECKPOINT);
        return end();
    }

    /// Loads what a change by a client needs, which may stamp the cell.
    public int forChange() {
        findByProbe();
        loadRecords();
        loadMarks(Keyspace.Consumer.CHECKPOINT);
        loadStamps();
        return end();
    }

    /// Loads what sending a marked cell needs. Another thread has just changed it, on another core.
    int forSending() {
        for (int i = 0; i < count; i++) {
            tables[i] = partitions[i].table();
            slots[i] = partitions[i].peekLatestOwnChange();
            seen += partitions[i].isLocked() ? 1 : 0;
        }
        loadRecords();
        loadMarks(Keyspace.Consumer.REPLICATOR);
        loadStamps();
        return end();
    }

    private void findByProbe() {
        for (int i = 0; i < count; i++) {
            tables[i] = partitions[i].table();
        }
        for (int i = 0; i < count; i++) {
            slots[i] = tables[i].peekHome(probes[i]);
        }
    }

    private void loadRecords() {
        for (int i = 0; i < count; i++) {
            entries[i] = tables[i].peekIndex(slots[i]);
        }
        for (int i = 0; i < count; i++) {
            seen += tables[i].peekRecord(entries[i]);
        }
    }

    private void loadMarks(Keyspace.Consumer consumer) {
        for (int i = 0; i < count; i++) {
            seen += tables[i].peekMark(consumer, slots[i]) ? 1 : 0;
        }
    }

    private void loadStamps() {
        for (int i = 0; i < count; i++) {
            seen += tables[i].peekStamp(slots[i]);
        }
    }

    private int end() {
        count = 0;
        return seen;
    }
}
