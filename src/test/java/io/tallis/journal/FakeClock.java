package io.tallis.journal;

import io.tallis.runtime.Clock;
import java.time.Duration;

/// A clock that moves when it is told to.
final class FakeClock implements Clock {
    private long nanos;

    void advance(Duration time) {
        nanos += time.toNanos();
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public long epochMillis() {
        return nanos / 1_000_000;
    }
}
