package io.tallis.cluster.peer;

import java.util.Arrays;

/// A set of frame numbers that arrived ahead of missing ones, stored as ranges in ascending order.
///
/// Holds at most [#MOST] ranges. A number that would need one more is not added; its frame will be asked for again.
final class Ranges {
    static final int MOST = 256;

    private long[] from = new long[4];
    private long[] to = new long[4];
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    /// Adds a number. Returns whether it is in the set now.
    boolean add(long number) {
        int at = place(number);
        if (at < count && from[at] <= number) {
            return true;
        }
        boolean joinsLeft = at > 0 && to[at - 1] == number - 1;
        boolean joinsRight = at < count && from[at] == number + 1;
        if (joinsLeft && joinsRight) {
            to[at - 1] = to[at];
            remove(at, 1);
        } else if (joinsLeft) {
            to[at - 1] = number;
        } else if (joinsRight) {
            from[at] = number;
        } else if (count < MOST) {
            insert(at, number);
        } else {
            return false;
        }
        return true;
    }

    /// All up to `number` are present. Removes the ranges that continue it without a gap, and returns the end of the
    /// last.
    long advance(long number) {
        long reached = number;
        int passed = 0;
        while (passed < count && from[passed] <= reached + 1) {
            reached = Math.max(reached, to[passed]);
            passed++;
        }
        remove(0, passed);
        return reached;
    }

    /// The index of the first range that ends at or after `number`.
    private int place(long number) {
        int at = Arrays.binarySearch(to, 0, count, number);
        return at >= 0 ? at : -at - 1;
    }

    private void insert(int at, long number) {
        if (count == from.length) {
            from = Arrays.copyOf(from, 2 * count);
            to = Arrays.copyOf(to, 2 * count);
        }
        System.arraycopy(from, at, from, at + 1, count - at);
        System.arraycopy(to, at, to, at + 1, count - at);
        from[at] = number;
        to[at] = number;
        count++;
    }

    private void remove(int at, int ranges) {
        System.arraycopy(from, at + ranges, from, at, count - at - ranges);
        System.arraycopy(to, at + ranges, to, at, count - at - ranges);
        count -= ranges;
    }
}
