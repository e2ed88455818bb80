package io.tallis.journal.log;

import io.tallis.metrics.DurationHistogram;
import io.tallis.runtime.Clock;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// Syncs the journal, on the calling thread, and keeps times and counts of syncs. Several may be under way.
public final class Syncs {
    /// A sync that takes longer delays the one of the next second.
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LogWriter log;
    private final Clock clock;
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicLong late = new AtomicLong();
    private final DurationHistogram durations = new DurationHistogram();
    private volatile long sinceNanos;
    private volatile long lastNanos;

    Syncs(LogWriter log, Clock clock) {
        this.log = log;
        this.clock = clock;
        lastNanos = clock.nanos();
    }

    void sync() throws IOException {
        long began = begin();
        try {
            log.sync();
            lastNanos = clock.nanos();
        } finally {
            end(began);
        }
    }

    long begin() {
        long now = clock.nanos();
        if (underWay.get() == 0) {
            sinceNanos = now;
        }
        underWay.incrementAndGet();
        return now;
    }

    void end(long began) {
        underWay.decrementAndGet();
        long nanos = clock.nanos() - began;
        durations.add(nanos);
        if (nanos > LATE_NANOS) {
            late.incrementAndGet();
        }
    }

    public boolean anyUnderWay() {
        return underWay.get() > 0;
    }

    /// For how long at least one sync has been under way, 0 when none is.
    long nanosUnderWay(long now) {
        return anyUnderWay() ? now - sinceNanos : 0;
    }

    /// For how long syncs have been under way and none has succeeded, 0 when none is under way.
    long nanosWithoutSuccess(long now) {
        return anyUnderWay() ? now - Math.max(sinceNanos, lastNanos) : 0;
    }

    /// When a sync last succeeded; at first when the journal began.
    public long lastNanos() {
        return lastNanos;
    }

    /// How long syncs took, failed ones too.
    public DurationHistogram durations() {
        return durations;
    }

    /// How many syncs took longer than a second.
    public long late() {
        return late.get();
    }
}
