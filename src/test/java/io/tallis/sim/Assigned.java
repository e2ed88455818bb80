package io.tallis.sim;

import java.util.Comparator;

/// The register of a cell: what was assigned last, and whether that was reset since. Of two the larger is kept.
record Assigned(long stamp, boolean reset, long number) implements Comparable<Assigned> {
    static final Assigned NEVER = new Assigned(0, false, 0);

    private static final int STAMP_BITS = 16;

    /// What a session assigns that sees this. `replica` are bits of its id.
    Assigned next(long epochMillis, long replica, long number) {
        long lower = replica & (1L << STAMP_BITS) - 1;
        long mine = Math.max(0, epochMillis) << STAMP_BITS | lower;
        long above = ((stamp >>> STAMP_BITS) + 1) << STAMP_BITS | lower;
        return new Assigned(mine > stamp ? mine : above, false, number);
    }

    Assigned whenReset() {
        return stamp == 0 ? this : new Assigned(stamp, true, 0);
    }

    Assigned max(Assigned other) {
        return compareTo(other) >= 0 ? this : other;
    }

    @Override
    public int compareTo(Assigned other) {
        return Comparator.comparingLong(Assigned::stamp)
                .thenComparing(Assigned::reset)
                .thenComparingLong(Assigned::number)
                .compare(this, other);
    }
}
