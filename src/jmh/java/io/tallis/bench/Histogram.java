package io.tallis.bench;

/// How often which latency was seen, in nanoseconds, to within one part in 128.
///
/// ```
/// value    0 .. 127         one bucket each
///          128 .. 255       128 buckets of 1
///          256 .. 511       128 buckets of 2        and so on: the bucket is the exponent
///          512 .. 1023      128 buckets of 4        and the seven bits below the first
/// ```
final class Histogram {
    private static final int PRECISION_BITS = 7;
    private static final int BUCKETS_PER_POWER = 1 << PRECISION_BITS;

    private final long[] counts = new long[(Long.SIZE - PRECISION_BITS) * BUCKETS_PER_POWER];
    private long total;

    void record(long nanos) {
        counts[bucketOf(Math.max(0, nanos))]++;
        total++;
    }

    long total() {
        return total;
    }

    /// The value that `percent` of all recorded ones do not exceed; the upper end of its bucket.
    long percentile(double percent) {
        long rank = Math.max(1, (long) Math.ceil(total * percent / 100));
        long seen = 0;
        for (int bucket = 0; bucket < counts.length; bucket++) {
            seen += counts[bucket];
            if (seen >= rank) {
                return highestOf(bucket);
            }
        }
        throw new IllegalStateException("nothing was recorded");
    }

    /// The share of all recorded values, 0 to 1, that do not exceed this one.
    double shareUpTo(long nanos) {
        long seen = 0;
        for (int bucket = 0; bucket <= bucketOf(nanos); bucket++) {
            seen += counts[bucket];
        }
        return (double) seen / total;
    }

    private static int bucketOf(long value) {
        if (value < BUCKETS_PER_POWER) {
            return (int) value;
        }
        int shift = Long.SIZE - 1 - PRECISION_BITS - Long.numberOfLeadingZeros(value);
        return (shift << PRECISION_BITS) + (int) (value >>> shift);
    }

    private static long highestOf(int bucket) {
        if (bucket < BUCKETS_PER_POWER) {
            return bucket;
        }
        int shift = (bucket >>> PRECISION_BITS) - 1;
        long lowest = (long) (bucket - (shift << PRECISION_BITS)) << shift;
        return lowest + (1L << shift) - 1;
    }
}
