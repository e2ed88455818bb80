package io.tallis.bench;

import io.tallis.runtime.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/// Waits, within a bound, for what only asking again can tell.
final class Waiting {
    private static final long PAUSE_MILLIS = 1;

    private Waiting() {}

    /// Asks every millisecond; throws when the time is over.
    static void until(String expected, Duration limit, BooleanSupplier condition) {
        long deadline = Clock.system().nanos() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (Clock.system().nanos() - deadline > 0) {
                throw new BenchException("waited " + limit.toSeconds() + " s in vain until " + expected);
            }
            pause(PAUSE_MILLIS);
        }
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted while waiting", interrupted);
        }
    }
}
