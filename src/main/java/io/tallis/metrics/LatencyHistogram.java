package io.tallis.metrics;

/// How often which duration was seen: eight buckets for each doubling, from a quarter of a microsecond to a minute.
///
/// Immutable; [CommandStats] counts and hands out the sums.
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

    /// The bucket of a duration; what is shorter or longer than all buckets goes to the first or the last.
    static int bucketOf(long nanos) {
        long clamped = Math.clamp(nanos, SMALLEST, LARGEST);
        int octave = Long.SIZE - 1 - Long.numberOfLeadingZeros(clamped);
        int sub = (int) (clamped >>> (octave - SUB_BITS)) & ((1 << SUB_BITS) - 1);
        return ((octave - FIRST_OCTAVE) << SUB_BITS) | sub;
    }

    /// The longest duration that falls into a bucket.
    static long upperNanos(int bucket) {
        int octave = (bucket >>> SUB_BITS) + FIRST_OCTAVE;
        long sub = bucket & ((1 << SUB_BITS) - 1);
        return (((1L << SUB_BITS) + sub + 1) << (octave - SUB_BITS)) - 1;
    }

    /// How many durations were measured.
    public long total() {
        return total;
    }

    /// The duration that `percent` of those measured did not exceed; 0 when there were none.
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

    /// How many of `calls` took at most so long, if they are spread as those measured are.
    public long atMost(long nanos, long calls) {
        return total == 0 ? 0 : Math.round((double) atMost(nanos) / total * calls);
    }

    /// How many of those measured took at most so long, as exactly as the buckets tell.
    public long atMost(long nanos) {
        long seen = 0;
        for (int bucket = 0; bucket < BUCKETS && upperNanos(bucket) <= nanos; bucket++) {
            seen += counts[bucket];
        }
        return seen;
    }
}
