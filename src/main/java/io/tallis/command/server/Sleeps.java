package io.tallis.command.server;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/// Clients that are kept waiting for as long as they asked for: so many at a time, and none for more than an hour,
/// since each is remembered to its end, whether or not its connection lasts that long.
final class Sleeps {
    static final Duration LONGEST = Duration.ofHours(1);

    /// The most that sleep at a time; others are refused.
    static final int MOST = 1000;

    private final Later later;
    private final AtomicInteger asleep = new AtomicInteger();

    Sleeps(Later later) {
        this.later = later;
    }

    /// Takes a place among those who sleep, which [#until] gives back. Returns whether there was one.
    boolean begin() {
        if (asleep.incrementAndGet() <= MOST) {
            return true;
        }
        asleep.decrementAndGet();
        return false;
    }

    /// Wakes one that has begun when that time is over.
    void until(Duration end, Runnable wake) {
        later.after(end, () -> {
            asleep.decrementAndGet();
            wake.run();
        });
    }
}
