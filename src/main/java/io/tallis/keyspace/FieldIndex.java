package io.tallis.keyspace;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/// Which fields the hashes of a partition have: a sorted list of numbers, one for each living field.
///
/// ```
/// entry    probe hash of the name of the hash (32 bits) | probe hash of the field's key (32 bits)      unsigned order
/// ```
///
/// A table finds a cell by the bits of its entry, so nothing else is kept: no object and no name for a hash, about
/// eleven bytes for a field. The fields of a hash stand together, in an order in which `HSCAN` can go on from where it
/// was, and are counted without looking at them. Two fields may have equal entries; both are in the list. Two hashes of
/// a partition may have names with equal probe hashes: where that happened once, see [#isShared], names are compared.
///
/// Guarded by the partition's lock.
final class FieldIndex extends SortedChunks {
    private final Set<Integer> shared = new HashSet<>();
    private long sought;

    FieldIndex(LongAdder bytesUsed) {
        super(1, bytesUsed);
    }

    static long entry(int hash, int fieldHash) {
        return (long) hash << Integer.SIZE | Integer.toUnsignedLong(fieldHash);
    }

    static int hashOf(long entry) {
        return (int) (entry >>> Integer.SIZE);
    }

    @Override
    boolean isBelow(long[] entries, int index) {
        return Long.compareUnsigned(entries[index], sought) < 0;
    }

    /// Whether fields of several hashes may have been here under this hash of their names since there was none.
    boolean isShared(int hash) {
        return !shared.isEmpty() && shared.contains(hash);
    }

    void share(int hash) {
        shared.add(hash);
    }

    void add(long entry) {
        boolean _ = seek(entry);
        insert(entry);
    }

    /// Removes an entry that is there.
    void remove(long entry) {
        boolean _ = seek(entry);
        remove();
        if (!shared.isEmpty() && !hasAny(hashOf(entry))) {
            shared.remove(hashOf(entry));
        }
    }

    /// Goes to the first entry that is not below this one. Returns whether there is one; [#entry()] is it then.
    boolean seek(long from) {
        sought = from;
        return find();
    }

    /// The entry where the last search has ended.
    long entry() {
        return entry(0);
    }

    /// Whether any entry has this hash of a name.
    boolean hasAny(int hash) {
        return seek(entry(hash, 0)) && hashOf(entry()) == hash;
    }

    /// How many entries have this hash of a name.
    int count(int hash) {
        boolean _ = seek(entry(hash, 0));
        int first = position();
        // The entries of the hash -1 are the last.
        return (hash == -1 || !seek(entry(hash + 1, 0)) ? size() : position()) - first;
    }

    /// The entry with this hash of a name before which there are so many others with it. There must be one.
    long nth(int hash, int index) {
        boolean _ = seek(entry(hash, 0));
        goTo(position() + index);
        return entry();
    }

    /// Shows all entries in their order.
    void forEach(LongConsumer visitor) {
        for (boolean any = seek(0); any; any = forth()) {
            visitor.accept(entry());
        }
    }
}
