package io.tallis.keyspace;

import io.tallis.runtime.Invariant;
import io.tallis.wire.ByteWriter;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The wire forms of the cells of one partition, in the order of place and bytes once they are sorted.
///
/// They stand one behind the other in a few large arrays, and what is sorted are numbers: a partition has thousands,
/// and its digest is made of all of them. Belongs to one thread.
final class WireForms {
    /// A page is begun where the last has as much: no array must hold all of a partition of very long keys.
    private static final int PAGE_BYTES = 1 << 20;

    private static final int LEAST = 16;
    private static final int AVERAGE_FORM = 32;
    private static final long INDEX_MASK = 0xFFFF_FFFFL;

    private final List<ByteWriter> pages = new ArrayList<>();
    private long[] places;
    private int[] starts;
    private int[] ends;
    private int[] pageOf;
    private long[] order = new long[0];
    private int count;

    WireForms(int expected) {
        int capacity = Math.max(LEAST, expected);
        places = new long[capacity];
        starts = new int[capacity];
        ends = new int[capacity];
        pageOf = new int[capacity];
        pages.add(new ByteWriter(Math.min(capacity, PAGE_BYTES / AVERAGE_FORM) * AVERAGE_FORM));
    }

    int count() {
        return count;
    }

    /// Where the form of the next cell is to be written to; [#end] must follow.
    ByteWriter begin() {
        if (pages.getLast().position() >= PAGE_BYTES) {
            pages.add(new ByteWriter(PAGE_BYTES));
        }
        if (count == places.length) {
            grow();
        }
        starts[count] = pages.getLast().position();
        return pages.getLast();
    }

    /// The form of a cell with this place hash was written.
    void end(long place) {
        ends[count] = pages.getLast().position();
        pageOf[count] = pages.size() - 1;
        places[count++] = place;
    }

    private void grow() {
        int capacity = count + (count >> 1);
        places = Arrays.copyOf(places, capacity);
        starts = Arrays.copyOf(starts, capacity);
        ends = Arrays.copyOf(ends, capacity);
        pageOf = Arrays.copyOf(pageOf, capacity);
    }

    /// Sorts by 32 bits of the place, those behind what is the same in all of a partition; what they leave equal,
    /// both counters of a key for one, by all that orders.
    void sort() {
        order = new long[count];
        for (int i = 0; i < count; i++) {
            long bits = places[i] << Keyspace.PARTITION_BITS & ~INDEX_MASK;
            order[i] = (bits | i) ^ Long.MIN_VALUE;
        }
        Arrays.sort(order);
        for (int from = 0; from < count; ) {
            int to = from + 1;
            while (to < count && (order[from] ^ order[to]) >>> 32 == 0) {
                to++;
            }
            if (to - from > 1) {
                sortEqual(from, to);
            }
            from = to;
        }
    }

    private void sortEqual(int from, int to) {
        long[] sorted = Arrays.stream(order, from, to)
                .boxed()
                .sorted((left, right) -> compare((int) (long) left, (int) (long) right))
                .mapToLong(Long::longValue)
                .toArray();
        System.arraycopy(sorted, 0, order, from, sorted.length);
    }

    private int compare(int left, int right) {
        int byPlace = Long.compareUnsigned(places[left], places[right]);
        return byPlace != 0
                ? byPlace
                : Arrays.compareUnsigned(page(left), starts[left], ends[left], page(right), starts[right], ends[right]);
    }

    private byte[] page(int index) {
        return pages.get(pageOf[index]).array();
    }

    /// The place hash of the cell at this position of the order.
    long place(int position) {
        return places[index(position)];
    }

    /// Adds the form at this position of the order to a digest.
    void digest(int position, MessageDigest digest) {
        int index = index(position);
        digest.update(page(index), starts[index], ends[index] - starts[index]);
    }

    private int index(int position) {
        Invariant.check(order.length == count, "sorted");
        return (int) order[position];
    }
}
