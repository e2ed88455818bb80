package io.tallis.journal;

import java.util.concurrent.TimeUnit;

/// Whether the disk has been quick lately, so that a thread that should not wait may write a little.
///
/// It has when the writes of such threads took a quarter of a millisecond at most in the mean, where the last
/// counts for a sixty-fourth, and when no sync has been under way for [#LONG_SYNC_NANOS]: a single write that took
/// ten milliseconds, because the processor was busy, changes nothing. Else those threads rest, for a second or
/// fifty times as long as the last write took.
///
/// Any thread may ask; [#took] is told by one at a time.
final class Calm {
    private static final long MOST_MEAN_NANOS = TimeUnit.MICROSECONDS.toNanos(250);
    private static final int MEMORY = 64;
    private static final long LEAST_REST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int REST_TIMES = 50;
    private static final long LONG_SYNC_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long NEVER = Long.MIN_VALUE;

    private final Syncs syncs;
    private volatile long restsUntilNanos = NEVER;
    private long meanNanos;

    Calm(Syncs syncs) {
        this.syncs = syncs;
    }

    /// Whether the disk may be written to by a thread that should not wait.
    boolean isNow(long now) {
        return syncs.nanosUnderWay(now) <= LONG_SYNC_NANOS && (restsUntilNanos == NEVER || now - restsUntilNanos >= 0);
    }

    /// A write of such a thread came to its end.
    void took(long nanos, long now) {
        meanNanos += (nanos - meanNanos) / MEMORY;
        if (meanNanos > MOST_MEAN_NANOS) {
            restsUntilNanos = now + Math.max(LEAST_REST_NANOS, REST_TIMES * nanos);
            meanNanos = 0;
        }
    }
}
