package io.tallis.journal;

import io.tallis.runtime.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// The rests of who works in the background: as long as was worked, but not for long, and while others have something
/// urgent to do, half of the time at most. For one that rests at a time.
final class Courtesy {
    private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final BooleanSupplier mayRest;
    private final BooleanSupplier others;
    private final Clock clock;
    private final HalfTheTime patience;

    /// Nobody rests where there is no time for it. `others` are waited for as long as they say so.
    Courtesy(BooleanSupplier mayRest, BooleanSupplier others, Clock clock) {
        this.mayRest = mayRest;
        this.others = others;
        this.clock = clock;
        patience = new HalfTheTime(clock.nanos());
    }

    void rest(long workedNanos) {
        if (mayRest.getAsBoolean()) {
            LockSupport.parkNanos(this, Math.min(workedNanos, LONGEST_REST_NANOS));
        }
        patience.passed(false, clock.nanos());
        while (mayRest.getAsBoolean() && patience.leftNanos() > 0 && others.getAsBoolean()) {
            LockSupport.parkNanos(this, LONGEST_REST_NANOS);
            patience.passed(true, clock.nanos());
        }
    }
}
