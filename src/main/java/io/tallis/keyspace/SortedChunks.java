package io.tallis.keyspace;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/// A sorted list of entries of one or more longs each, in which entries are found, added and removed in a time that
/// grows with the logarithm of their number. A subclass knows the order.
///
/// Guarded by the lock of the partition.
abstract class SortedChunks {
    /*
     * The list is divided into chunks of up to 512 entries, so that an insertion moves a few kilobytes at most, even
     * among millions. A full chunk is divided; an empty one leaves, and one that fits its neighbour joins it.
     */

    private static final int SMALLEST = 4;
    private static final int LARGEST = 512;
    private static final int HEAD_BYTES = 16;
    private static final long[] NONE = {};

    /// How many longs an entry has.
    private final int width;

    private final LongAdder bytesUsed;
    private long[][] chunks = new long[1][];
    private int[] sizes = new int[1];
    private int count;

    /// How many entries all chunks have.
    private int size;

    // Where the last search has ended

    private int chunk;
    private int at;

    SortedChunks(int width, LongAdder bytesUsed) {
        this.width = width;
        this.bytesUsed = bytesUsed;
    }

    /// Whether the entry that begins at `index` is below the one that is sought.
    abstract boolean isBelow(long[] entries, int index);

    final boolean isEmpty() {
        return count == 0;
    }

    /// Goes to the first entry that is not below the one that is sought. Returns whether there is one.
    final boolean find() {
        int low = 0;
        int high = count;
        // The first chunk whose last entry is not below it.
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (isBelow(chunks[middle], (sizes[middle] - 1) * width)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        chunk = low;
        at = low == count ? 0 : lowerBound(chunks[low], sizes[low]);
        return low < count;
    }

    private int lowerBound(long[] entries, int size) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (isBelow(entries, middle * width)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /// A long of the entry where the last search has ended. There must be one.
    final long entry(int part) {
        return chunks[chunk][at * width + part];
    }

    /// How many entries there are before it.
    final int position() {
        return at + (chunk <= count / 2 ? sum(0, chunk) : size - sum(chunk, count));
    }

    /// How many entries these chunks have.
    private int sum(int from, int to) {
        int sum = 0;
        for (int i = from; i < to; i++) {
            sum += sizes[i];
        }
        return sum;
    }

    /// Goes to the entry before which there are so many others. There must be one.
    final void goTo(int position) {
        if (position < size / 2) {
            chunk = 0;
            at = position;
            while (at >= sizes[chunk]) {
                at -= sizes[chunk++];
            }
        } else {
            chunk = count - 1;
            at = position - size + sizes[chunk];
            while (at < 0) {
                at += sizes[--chunk];
            }
        }
    }

    /// Goes to the next entry. Returns whether there is one.
    final boolean forth() {
        if (++at == sizes[chunk]) {
            chunk++;
            at = 0;
        }
        return chunk < count;
    }

    /// Goes to the entry before. Returns whether there is one.
    final boolean back() {
        if (--at < 0) {
            if (--chunk < 0) {
                return false;
            }
            at = sizes[chunk] - 1;
        }
        return true;
    }

    /// How many entries there are.
    final int size() {
        return size;
    }

    /// Adds an entry of one long where the last search has ended.
    final void insert(long entry) {
        int start = open();
        chunks[chunk][start] = entry;
    }

    /// Adds an entry of two longs where the last search has ended.
    final void insert(long first, long second) {
        int start = open();
        chunks[chunk][start] = first;
        chunks[chunk][start + 1] = second;
    }

    /// Makes room for one entry. Returns where it begins in its chunk.
    private int open() {
        if (count == 0) {
            insertChunk(0, new long[SMALLEST * width], 0);
        } else if (chunk == count) {
            chunk--;
            at = sizes[chunk];
        }
        if (sizes[chunk] == LARGEST) {
            divide();
        }
        if (sizes[chunk] * width == chunks[chunk].length) {
            resize(chunk, Math.min(LARGEST, sizes[chunk] + (sizes[chunk] >> 1)));
        }
        long[] entries = chunks[chunk];
        int start = at * width;
        System.arraycopy(entries, start, entries, start + width, sizes[chunk] * width - start);
        sizes[chunk]++;
        size++;
        return start;
    }

    private void divide() {
        int half = LARGEST / 2;
        long[] upper = Arrays.copyOfRange(chunks[chunk], half * width, (LARGEST + half / 2) * width);
        sizes[chunk] = half;
        resize(chunk, half + half / 2);
        insertChunk(chunk + 1, upper, half);
        if (at > half) {
            chunk++;
            at -= half;
        }
    }

    /// Removes the entry where the last search has ended.
    final void remove() {
        long[] entries = chunks[chunk];
        sizes[chunk]--;
        size--;
        int start = at * width;
        System.arraycopy(entries, start + width, entries, start, sizes[chunk] * width - start);
        if (sizes[chunk] == 0) {
            removeChunk(chunk);
        } else if (chunk + 1 < count && sizes[chunk] + sizes[chunk + 1] <= LARGEST / 2) {
            join();
        } else if (sizes[chunk] < chunks[chunk].length / width / 4) {
            resize(chunk, Math.max(SMALLEST, chunks[chunk].length / width / 2));
        }
    }

    private void join() {
        int size = sizes[chunk];
        int more = sizes[chunk + 1];
        resize(chunk, Math.max(chunks[chunk].length / width, size + more));
        System.arraycopy(chunks[chunk + 1], 0, chunks[chunk], size * width, more * width);
        sizes[chunk] += more;
        removeChunk(chunk + 1);
    }

    private void resize(int number, int entries) {
        int length = entries * width;
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

    /// Removes all entries.
    final void clear() {
        while (count > 0) {
            removeChunk(count - 1);
        }
        size = 0;
    }
}
