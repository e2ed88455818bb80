package io.tallis.testing;

import io.tallis.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/// A clock that a test sets.
public final class FakeClock implements Clock {
    private final AtomicLong nanos = new AtomicLong();

    public void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Override
    public long nanos() {
        return nanos.get();
    }

    @Override
    public long epochMillis() {
        return nanos.get() / 1_000_000;
    }
}
