package io.tallis.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/// A source of values for one try of a [Property]: the same seed gives the same values in the same order.
///
/// Bounds include both ends. Used by one thread.
public final class Gen {
    private static final int EDGE_PERCENT = 25;
    private static final long[] EDGES = {
        0,
        1,
        -1,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE,
        Long.MIN_VALUE + 1,
        Long.MIN_VALUE
    };

    private final SplittableRandom random;

    /// The values that belong to `seed`.
    public Gen(long seed) {
        random = new SplittableRandom(seed);
    }

    public int between(int low, int high) {
        return Math.toIntExact(between((long) low, (long) high));
    }

    public long between(long low, long high) {
        if (low > high) {
            throw new IllegalArgumentException("low is " + low + ", expected at most high, which is " + high);
        }
        return high == Long.MAX_VALUE ? upToTheLargest(low) : random.nextLong(low, high + 1);
    }

    /// Any long: often one where arithmetic goes wrong, else any size of number with equal chance.
    public long anyLong() {
        if (chance(EDGE_PERCENT)) {
            return EDGES[between(0, EDGES.length - 1)];
        }
        return random.nextLong() >> between(0, Long.SIZE - 1);
    }

    /// Any long from 0.
    public long anyCount() {
        return anyLong() & Long.MAX_VALUE;
    }

    /// True in `percent` of a hundred cases.
    public boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    public <T> T pick(List<T> choices) {
        return choices.get(between(0, choices.size() - 1));
    }

    @SafeVarargs
    public final <T> T pick(T... choices) {
        return choices[between(0, choices.length - 1)];
    }

    /// Up to `maxLength` bytes of any value.
    public byte[] bytes(int maxLength) {
        byte[] bytes = new byte[between(0, maxLength)];
        random.nextBytes(bytes);
        return bytes;
    }

    /// Up to `maxSize` elements, each asked of `element`.
    public <T> List<T> listOf(int maxSize, Supplier<T> element) {
        int size = between(0, maxSize);
        List<T> list = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            list.add(element.get());
        }
        return list;
    }

    /// `nextLong(low, high)` leaves `high` out, and there is nothing above the largest long.
    private long upToTheLargest(long low) {
        return low == Long.MIN_VALUE ? random.nextLong() : random.nextLong(low - 1, Long.MAX_VALUE) + 1;
    }
}
