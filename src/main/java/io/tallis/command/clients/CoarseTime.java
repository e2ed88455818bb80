package io.tallis.command.clients;

import io.tallis.runtime.Clock;

/// The time as of the last tick, which is ten times a second. For code that needs the time so often that reading the
/// clock would show in a profile. Any thread may read it.
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
