package io.tallis.metrics;

/// A histogram of durations: eight buckets per power of two, from a quarter of a microsecond to a minute.
///
/// Immutable; [CommandStats] does the counting.
public final class LatencyHistogram {
    static final int BUCKETS = 28 * 8;

    private static final int SUB_BITS = 3;
    private static final int FIRST_OCTAVE = 8;
    private static final long SMALLEST = 1L << FIRST_OCTAVE;
    private static final long LARGEST = (1L << (FIRST_OCTAVE + BUCKETS / 8)) - 1;

    private final long[] counts;
    private final long total;

    LatencyHistogram(long[] counts) {
        this.counts = counts;
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        total = sum;
    }

    /// The bucket of a duration. Durations outside of the range count in the first or the last bucket.
    static int bucketOf(long nanos) {
        long clamped = Math.clamp(nanos, SMALLEST, LARGEST);
        int octave = Long.SIZE - 1 - Long.numberOfLeadingZeros(clamped);
        int sub = (int) (clamped >>> (octave - SUB_BITS)) & ((1 << SUB_BITS) - 1);
        return ((octave - FIRST_OCTAVE) << SUB_BITS) | sub;
    }

    /// The longest duration in a bucket.
    static long upperNanos(int bucket) {
        int octave = (bucket >>> SUB_BITS) + FIRST_OCTAVE;
        long sub = bucket & ((1 << SUB_BITS) - 1);
        return (((1L << SUB_BITS) + sub + 1) << (octave - SUB_BITS)) - 1;
    }

    /// The number of durations.
    public long total() {
        return total;
    }

    /// The duration that `percent` of all did not exceed; 0 without durations.
    public long percentileNanos(double percent) {
        long wanted = (long) Math.ceil(total * percent / 100);
        long seen = 0;
        for (int bucket = 0; bucket < BUCKETS && total > 0; bucket++) {
            seen += counts[bucket];
            if (seen >= wanted && seen > 0) {
                return upperNanos(bucket);
            }
        }
        return 0;
    }

    /// How many of `calls` took at most so long, assuming the distribution of the timed ones.
    public long atMost(long nanos, long calls) {
        return total == 0 ? 0 : Math.round((double) atMost(nanos) / total * calls);
    }

    /// How many durations were at most so long, within the resolution of the buckets.
    public long atMost(long nanos) {
        long seen = 0;
        for (int bucket = 0; bucket < BUCKETS && upperNanos(bucket) <= nanos; bucket++) {
            seen += counts[bucket];
        }
        return seen;
    }
}
