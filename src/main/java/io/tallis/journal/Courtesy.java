package io.tallis.journal;

import io.tallis.runtime.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// The rests of who works in the background: as long as was worked, but not for long, and while others have something
/// urgent to do, half of the time at most. For one that rests at a time.
final class Courtesy {
    private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long MOST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final BooleanSupplier mayRest;
    private final BooleanSupplier others;
    private final Clock clock;

    /// For how long others are waited for at most: less by what they were, more by what passed otherwise.
    private long patienceNanos = MOST_PATIENCE_NANOS;

    private long restedAtNanos;

    /// Nobody rests where there is no time for it. `others` are waited for as long as they say so.
    Courtesy(BooleanSupplier mayRest, BooleanSupplier others, Clock clock) {
        this.mayRest = mayRest;
        this.others = others;
        this.clock = clock;
        restedAtNanos = clock.nanos();
    }

    void rest(long workedNanos) {
        if (mayRest.getAsBoolean()) {
            LockSupport.parkNanos(this, Math.min(workedNanos, LONGEST_REST_NANOS));
        }
        long now = clock.nanos();
        patienceNanos = Math.min(MOST_PATIENCE_NANOS, patienceNanos + now - restedAtNanos);
        restedAtNanos = now;
        while (mayRest.getAsBoolean() && restedAtNanos - now < patienceNanos && others.getAsBoolean()) {
            LockSupport.parkNanos(this, LONGEST_REST_NANOS);
            restedAtNanos = clock.nanos();
        }
        patienceNanos -= restedAtNanos - now;
    }
}
