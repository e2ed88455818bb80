package io.tallis.journal.log;

import java.util.concurrent.TimeUnit;

/// Whether the disk has had enough time to answer for its silence to count as a hang.
///
/// It is updated once a second. An update that comes late shows that the thread, and mostly the whole process, stood
/// still: then the disk had no time to answer either, and gets all of it from now on. Not again and again, or a disk
/// that hangs would never be noticed.
final class HangTimer {
    /// Updates are a second apart.
    private static final long STANDSTILL_NANOS = TimeUnit.SECONDS.toNanos(3);

    /// The time begins anew at most once in so many times its length.
    private static final int GRACE_EACH = 2;

    private final long nanos;
    private long updatedNanos;
    private long sinceNanos;

    /// The disk has `nanos` to answer, and had them before `now`.
    HangTimer(long nanos, long now) {
        this.nanos = nanos;
        updatedNanos = now;
        sinceNanos = now - GRACE_EACH * nanos - 1;
    }

    void update(long now) {
        if (now - updatedNanos > STANDSTILL_NANOS && now - sinceNanos > GRACE_EACH * nanos) {
            sinceNanos = now;
        }
        updatedNanos = now;
    }

    boolean isOver(long now) {
        return now - sinceNanos > nanos;
    }
}
