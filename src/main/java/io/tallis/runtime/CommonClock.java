package io.tallis.runtime;

import java.util.concurrent.TimeUnit;

/// The clock of this machine, whose time of day can be replaced by one that others agree on. From then on it does not
/// jump when the machine's clock is set. Any thread may call.
public final class CommonClock implements Clock {
    private static final long MICROS_PER_MILLI = 1000;

    /// The time of day is that of the machine's clock.
    private static final long UNSET = Long.MIN_VALUE;

    private final Clock own;
    private volatile long startMillis = UNSET;

    public CommonClock(Clock own) {
        this.own = own;
    }

    /// From now on the time of day is this plus the monotonic time.
    public void startsAt(long epochMillis) {
        startMillis = epochMillis;
    }

    /// The time of day by the machine's clock.
    public long ownEpochMillis() {
        return own.epochMillis();
    }

    @Override
    public long nanos() {
        return own.nanos();
    }

    @Override
    public long epochMillis() {
        long start = startMillis;
        return start == UNSET ? own.epochMillis() : start + TimeUnit.NANOSECONDS.toMillis(own.nanos());
    }

    @Override
    public long epochMicros() {
        long start = startMillis;
        return start == UNSET
                ? own.epochMicros()
                : start * MICROS_PER_MILLI + TimeUnit.NANOSECONDS.toMicros(own.nanos());
    }
}
