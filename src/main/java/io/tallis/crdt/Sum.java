package io.tallis.crdt;

/// The sum of a counter's totals, a signed number of 192 bits: 2^24 replicas with totals of 2^128 stay below 2^153, so
/// it cannot wrap.
final class Sum {
    private long high;
    private long middle;
    private long low;

    /// Begins with a signed number of 64 bits.
    void set(long number) {
        high = number >> 63;
        middle = high;
        low = number;
    }

    /// Adds an unsigned number of 128 bits, which is 0 for most totals.
    void plus(long upper, long lower) {
        if ((upper | lower) == 0) {
            return;
        }
        long newLow = low + lower;
        long carry = Long.compareUnsigned(newLow, lower) < 0 ? 1 : 0;
        long partial = middle + upper;
        long newMiddle = partial + carry;
        high += (Long.compareUnsigned(partial, upper) < 0 ? 1 : 0)
                + (Long.compareUnsigned(newMiddle, carry) < 0 ? 1 : 0);
        middle = newMiddle;
        low = newLow;
    }

    /// Takes an unsigned number of 128 bits away.
    void minus(long upper, long lower) {
        if ((upper | lower) == 0) {
            return;
        }
        long borrow = Long.compareUnsigned(low, lower) < 0 ? 1 : 0;
        long partial = middle - upper;
        high -= (Long.compareUnsigned(middle, upper) < 0 ? 1 : 0) + (Long.compareUnsigned(partial, borrow) < 0 ? 1 : 0);
        middle = partial - borrow;
        low -= lower;
    }

    /// The nearest number of 64 signed bits.
    long clamped() {
        if (fits()) {
            return low;
        }
        return high < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }

    /// The sum as a number of 64 **unsigned** bits, the largest when it is larger. It may not be negative.
    long clampedUnsigned() {
        return high == 0 && middle == 0 ? low : -1L;
    }

    /// Whether adding `delta` would lead out of 64 signed bits, or further out.
    boolean leavesRange(long delta) {
        if (fits()) {
            long result = low + delta;
            return ((low ^ result) & (delta ^ result)) < 0;
        }
        return high < 0 ? delta < 0 : delta > 0;
    }

    /// Whether 64 signed bits hold it.
    private boolean fits() {
        long sign = low >> 63;
        return middle == sign && high == sign;
    }
}
