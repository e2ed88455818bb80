package io.tallis.journal.log;

import java.util.concurrent.TimeUnit;

/// Decides whether event loops may write to the journal themselves: only while the disk is fast. An event loop that
/// waits for a slow disk serves none of its clients, not even those that only read.
///
/// The disk is fast when the writes of event loops took a quarter of a millisecond at most in the mean, where the last
/// counts for a sixty-fourth, and when no sync has been under way for [#LONG_SYNC_NANOS]. So a single write of ten
/// milliseconds, on a busy processor, changes nothing. When the mean is exceeded event loops do not write for a second,
/// or fifty times as long as the last write took. A disk that hangs is mostly noticed by the sync of each second, which
/// no event loop waits for.
///
/// Any thread may ask; one at a time reports writes.
final class DiskSpeed {
    private static final long MOST_MEAN_NANOS = TimeUnit.MICROSECONDS.toNanos(250);
    private static final int WEIGHT = 64;
    private static final long LEAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int PAUSE_PER_WRITE = 50;
    private static final long LONG_SYNC_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long NEVER = Long.MIN_VALUE;

    private final Syncs syncs;
    private volatile long slowUntilNanos = NEVER;
    private long meanNanos;

    DiskSpeed(Syncs syncs) {
        this.syncs = syncs;
    }

    /// Whether an event loop may write to the disk.
    boolean isFast(long now) {
        return syncs.nanosUnderWay(now) <= LONG_SYNC_NANOS && (slowUntilNanos == NEVER || now - slowUntilNanos >= 0);
    }

    /// A write of an event loop took so long.
    void report(long nanos, long now) {
        meanNanos += (nanos - meanNanos) / WEIGHT;
        if (meanNanos > MOST_MEAN_NANOS) {
            slowUntilNanos = now + Math.max(LEAST_PAUSE_NANOS, PAUSE_PER_WRITE * nanos);
            meanNanos = 0;
        }
    }
}
