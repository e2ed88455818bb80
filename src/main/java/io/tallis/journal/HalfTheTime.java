package io.tallis.journal;

import java.util.concurrent.TimeUnit;

/// How long somebody may wait for others yet: half of the time, and [#MOST_NANOS] at a stretch. For one thread at once.
final class HalfTheTime {
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private long leftNanos = MOST_NANOS;
    private long lookedAtNanos;

    HalfTheTime(long now) {
        lookedAtNanos = now;
    }

    /// The time since the last call was waited, or not.
    void passed(boolean waited, long now) {
        long nanos = now - lookedAtNanos;
        lookedAtNanos = now;
        leftNanos = waited ? leftNanos - nanos : Math.min(MOST_NANOS, leftNanos + nanos);
    }

    long leftNanos() {
        return leftNanos;
    }
}
