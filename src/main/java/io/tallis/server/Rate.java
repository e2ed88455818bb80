package io.tallis.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/// The growth of a count per second, over its last 16 samples.
final class Rate {
    private static final int SAMPLES = 16;

    @GuardedBy("this")
    private final long[] totals = new long[SAMPLES];

    @GuardedBy("this")
    private final long[] nanos = new long[SAMPLES];

    @GuardedBy("this")
    private int taken;

    synchronized void sample(long total, long now) {
        totals[taken % SAMPLES] = total;
        nanos[taken % SAMPLES] = now;
        taken++;
    }

    synchronized double perSecond() {
        if (taken < 2) {
            return 0;
        }
        int last = (taken - 1) % SAMPLES;
        int first = taken < SAMPLES ? 0 : taken % SAMPLES;
        double seconds = (nanos[last] - nanos[first]) / 1e9;
        // A count that was reset in between would give a negative rate.
        return seconds <= 0 ? 0 : Math.max(0, (totals[last] - totals[first]) / seconds);
    }
}
