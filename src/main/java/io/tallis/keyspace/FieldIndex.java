package io.tallis.keyspace;

import java.util.Arrays;
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
final class FieldIndex {
    /*
     * The list is divided into chunks of up to 512 entries, so that an insertion moves a few kilobytes at most, even
     * among millions. A full chunk is divided; an empty one leaves, and one that fits its neighbour joins it.
     */

    private static final int SMALLEST = 4;
    private static final int LARGEST = 512;
    private static final int HEAD_BYTES = 16;
    private static final long[] NONE = {};

    private final LongAdder bytesUsed;
    private final Set<Integer> shared = new HashSet<>();
    private long[][] chunks = new long[1][];
    private int[] sizes = new int[1];
    private int count;

    // Where the last search has ended

    private int chunk;
    private int at;

    FieldIndex(LongAdder bytesUsed) {
        this.bytesUsed = bytesUsed;
    }

    static long entry(int hash, int fieldHash) {
        return (long) hash << Integer.SIZE | Integer.toUnsignedLong(fieldHash);
    }

    static int hashOf(long entry) {
        return (int) (entry >>> Integer.SIZE);
    }

    boolean isEmpty() {
        return count == 0;
    }

    /// Whether fields of several hashes may have been here under this hash of their names since there was none.
    boolean isShared(int hash) {
        return !shared.isEmpty() && shared.contains(hash);
    }

    void share(int hash) {
        shared.add(hash);
    }

    void add(long entry) {
        find(entry);
        if (count == 0) {
            insertChunk(0, new long[SMALLEST], 0);
        } else if (chunk == count) {
            chunk--;
            at = sizes[chunk];
        }
        if (sizes[chunk] == LARGEST) {
            divide();
        }
        if (sizes[chunk] == chunks[chunk].length) {
            resize(chunk, Math.min(LARGEST, sizes[chunk] + (sizes[chunk] >> 1)));
        }
        long[] entries = chunks[chunk];
        System.arraycopy(entries, at, entries, at + 1, sizes[chunk] - at);
        entries[at] = entry;
        sizes[chunk]++;
    }

    private void divide() {
        int half = LARGEST / 2;
        long[] upper = Arrays.copyOfRange(chunks[chunk], half, LARGEST + half / 2);
        sizes[chunk] = half;
        resize(chunk, half + half / 2);
        insertChunk(chunk + 1, upper, half);
        if (at > half) {
            chunk++;
            at -= half;
        }
    }

    /// Removes an entry that is there.
    void remove(long entry) {
        find(entry);
        long[] entries = chunks[chunk];
        sizes[chunk]--;
        System.arraycopy(entries, at + 1, entries, at, sizes[chunk] - at);
        if (sizes[chunk] == 0) {
            removeChunk(chunk);
        } else if (chunk + 1 < count && sizes[chunk] + sizes[chunk + 1] <= LARGEST / 2) {
            join();
        } else if (sizes[chunk] < chunks[chunk].length / 4) {
            resize(chunk, Math.max(SMALLEST, chunks[chunk].length / 2));
        }
        if (!shared.isEmpty() && count(hashOf(entry)) == 0) {
            shared.remove(hashOf(entry));
        }
    }

    private void join() {
        int size = sizes[chunk];
        int more = sizes[chunk + 1];
        resize(chunk, Math.max(chunks[chunk].length, size + more));
        System.arraycopy(chunks[chunk + 1], 0, chunks[chunk], size, more);
        sizes[chunk] += more;
        removeChunk(chunk + 1);
    }

    private void resize(int number, int length) {
        bytesUsed.add((long) (length - chunks[number].length) * Long.BYTES);
        chunks[number] = Arrays.copyOf(chunks[number], length);
    }

    private void insertChunk(int number, long[] entries, int size) {
        if (count == chunks.length) {
            chunks = Arrays.copyOf(chunks, count + (count >> 1) + 1);
            sizes = Arrays.copyOf(sizes, chunks.length);
        }
        System.arraycopy(chunks, number, chunks, number + 1, count - number);
        System.arraycopy(sizes, number, sizes, number + 1, count - number);
        chunks[number] = entries;
        sizes[number] = size;
        count++;
        bytesUsed.add(HEAD_BYTES + (long) entries.length * Long.BYTES);
    }

    private void removeChunk(int number) {
        bytesUsed.add(-HEAD_BYTES - (long) chunks[number].length * Long.BYTES);
        count--;
        System.arraycopy(chunks, number + 1, chunks, number, count - number);
        System.arraycopy(sizes, number + 1, sizes, number, count - number);
        chunks[count] = NONE;
    }

    /// Goes to the first entry that is not below this one. Returns whether there is one; [#entry()] is it then.
    boolean seek(long from) {
        find(from);
        return chunk < count;
    }

    /// The entry where the last search has ended.
    long entry() {
        return chunks[chunk][at];
    }

    /// How many entries have this hash of a name.
    int count(int hash) {
        find(entry(hash, 0));
        int number = chunk;
        int before = at;
        findEnd(hash);
        int entries = at - before;
        for (; number < chunk; number++) {
            entries += sizes[number];
        }
        return entries;
    }

    /// The entry with this hash of a name before which there are so many others with it. There must be one.
    long nth(int hash, int index) {
        find(entry(hash, 0));
        int left = index + at;
        while (left >= sizes[chunk]) {
            left -= sizes[chunk++];
        }
        return chunks[chunk][left];
    }

    /// Shows all entries in their order.
    void forEach(LongConsumer visitor) {
        for (int i = 0; i < count; i++) {
            Arrays.stream(chunks[i], 0, sizes[i]).forEach(visitor);
        }
    }

    private void findEnd(int hash) {
        if (hash == -1) {
            chunk = count;
            at = 0;
        } else {
            find(entry(hash + 1, 0));
        }
    }

    /// Sets `chunk` and `at` to the first entry that is not below this one; behind the last chunk if there is none.
    private void find(long entry) {
        int low = 0;
        int high = count;
        // The first chunk whose last entry is not below it.
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(chunks[middle][sizes[middle] - 1], entry) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        chunk = low;
        at = low == count ? 0 : lowerBound(chunks[low], sizes[low], entry);
    }

    private static int lowerBound(long[] entries, int size, long entry) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(entries[middle], entry) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
