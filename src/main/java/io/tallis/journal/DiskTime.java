package io.tallis.journal;

import java.util.concurrent.TimeUnit;

/// Whether the disk has had its time to answer.
///
/// Who looks, once a second, and comes late has stood still, mostly with all of the process: then the disk had no time
/// to answer either, and gets all of it from now on. Not again and again, or one that hangs would never be noticed.
final class DiskTime {
    /// Looks are a second apart.
    private static final long STANDSTILL_NANOS = TimeUnit.SECONDS.toNanos(3);

    /// In how many times its time the disk gets all of it once more at most.
    private static final int GRACE_EACH = 2;

    private final long nanos;
    private long lookedAt;
    private long since;

    /// It has so long, and had it before `now`.
    DiskTime(long nanos, long now) {
        this.nanos = nanos;
        lookedAt = now;
        since = now - GRACE_EACH * nanos - 1;
    }

    void look(long now) {
        if (now - lookedAt > STANDSTILL_NANOS && now - since > GRACE_EACH * nanos) {
            since = now;
        }
        lookedAt = now;
    }

    boolean isOver(long now) {
        return now - since > nanos;
    }
}
