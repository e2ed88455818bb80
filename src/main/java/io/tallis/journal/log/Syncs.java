package io.tallis.journal.log;

import io.tallis.runtime.Clock;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// Syncs the journal, on whichever thread wants it, and remembers how that went. Several may be under way.
public final class Syncs {
    /// One that takes longer makes the sync of the next second late.
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LogWriter log;
    private final Clock clock;
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicLong late = new AtomicLong();
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
        if (clock.nanos() - began > LATE_NANOS) {
            late.incrementAndGet();
        }
    }

    public boolean anyUnderWay() {
        return underWay.get() > 0;
    }

    /// For how long at least one has been under way, 0 when none is.
    long nanosUnderWay(long now) {
        return anyUnderWay() ? now - sinceNanos : 0;
    }

    /// For how long one has been under way without any that went well, 0 when none is.
    long nanosWithoutSuccess(long now) {
        return anyUnderWay() ? now - Math.max(sinceNanos, lastNanos) : 0;
    }

    /// When one last went well; at first when the journal began.
    public long lastNanos() {
        return lastNanos;
    }

    /// How many took longer than a second.
    public long late() {
        return late.get();
    }
}
