package io.tallis.cluster;

import io.tallis.runtime.Clock;

/// A clock that shows what it was set to.
final class SteppedClock implements Clock {
    private long millis;

    void set(long epochMillis) {
        millis = epochMillis;
    }

    @Override
    public long nanos() {
        return millis * 1_000_000;
    }

    @Override
    public long epochMillis() {
        return millis;
    }
}
