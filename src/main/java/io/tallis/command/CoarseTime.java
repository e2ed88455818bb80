package io.tallis.command;

import io.tallis.runtime.Clock;

/// The time as of the last tick, for those who would ask so often that asking the clock would show.
///
/// Somebody ticks ten times a second. Any thread may ask.
public final class CoarseTime {
    private final Clock clock;
    private volatile long nanos;

    public CoarseTime(Clock clock) {
        this.clock = clock;
        nanos = clock.nanos();
    }

    public long nanos() {
        return nanos;
    }

    public void tick() {
        nanos = clock.nanos();
    }
}
