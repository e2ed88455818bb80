package io.tallis.metrics;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/// A histogram of durations of rare events, in buckets from 0.1 ms to a minute. Any thread may add and read.
///
/// Events of each request are counted by [CommandStats], without contention between threads.
public final class DurationHistogram {
    private static final long[] BOUNDS_MICROS = {
        100,
        250,
        500,
        1_000,
        2_500,
        5_000,
        10_000,
        25_000,
        50_000,
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000,
        30_000_000,
        60_000_000
    };

    private static final long NANOS_PER_MICRO = 1000;

    /// The last one is for all that took longer than the last bound.
    private final AtomicLongArray counts = new AtomicLongArray(BOUNDS_MICROS.length + 1);

    private final AtomicLong nanos = new AtomicLong();

    public void add(long duration) {
        long micros = Math.ceilDiv(Math.max(0, duration), NANOS_PER_MICRO);
        int found = Arrays.binarySearch(BOUNDS_MICROS, micros);
        counts.incrementAndGet(found < 0 ? -found - 1 : found);
        nanos.addAndGet(Math.max(0, duration));
    }

    /// The number of buckets with a bound.
    int buckets() {
        return BOUNDS_MICROS.length;
    }

    /// The longest duration in a bucket.
    static double boundSeconds(int bucket) {
        return BOUNDS_MICROS[bucket] / 1e6;
    }

    /// How many durations are in a bucket; the one after the last is for longer ones.
    long count(int bucket) {
        return counts.get(bucket);
    }

    public long total() {
        long total = 0;
        for (int i = 0; i < counts.length(); i++) {
            total += counts.get(i);
        }
        return total;
    }

    /// The sum of all durations.
    double seconds() {
        return nanos.get() / 1e9;
    }
}
