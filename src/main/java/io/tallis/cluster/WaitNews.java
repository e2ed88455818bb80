package io.tallis.cluster;

import java.util.concurrent.TimeUnit;

/// Tells people what a session waits for, once for each reason, when it has waited for long.
final class WaitNews {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final EventSink events;
    private String told = "";
    private long since = Long.MAX_VALUE;

    WaitNews(EventSink events) {
        this.events = events;
    }

    /// It waits, now as it may have before.
    void waits(String what, long now) {
        since = Math.min(since, now);
        if (!told.equals(what) && now - since >= LONG_NANOS) {
            told = what;
            events.happened(what);
        }
    }

    /// It waits no more.
    void over() {
        since = Long.MAX_VALUE;
    }

    /// The process has stood still for so long, and has not waited meanwhile.
    void stoodStill(long nanos) {
        since += since == Long.MAX_VALUE ? 0 : nanos;
    }
}
