package io.tallis.bench;

import io.tallis.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// Waits, within a bound, for what only asking again can tell.
final class Waiting {
    private static final long LEAST_PAUSE_MILLIS = 1;

    /// Whoever asks all the time takes from the asked what is measured, and need not know to better than a hundredth
    /// how
    /// long it took.
    private static final long PAUSES = 100;

    private Waiting() {}

    /// Asks every millisecond at first, and the less often the longer it takes; throws when the time is over.
    static void until(String expected, Duration limit, BooleanSupplier condition) {
        long began = Clock.system().nanos();
        while (!condition.getAsBoolean()) {
            long waited = Clock.system().nanos() - began;
            if (waited > limit.toNanos()) {
                throw new BenchException("waited " + limit.toSeconds() + " s in vain until " + expected);
            }
            pause(Math.max(LEAST_PAUSE_MILLIS, TimeUnit.NANOSECONDS.toMillis(waited) / PAUSES));
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
