package io.tallis.runtime;

import java.time.Instant;

/// Monotonic time and the time of day, which must not be mixed.
public interface Clock {
    /// Monotonic: nanoseconds since an arbitrary moment, for durations and timeouts.
    long nanos();

    /// The time of day in milliseconds since 1970. It can jump. It is shown to people, says when deadlines have come,
    /// and orders assignments; nothing else depends on it.
    long epochMillis();

    /// The time of day in microseconds, as far as the resolution of the clock goes.
    default long epochMicros() {
        return epochMillis() * 1000;
    }

    static Clock system() {
        return SystemClock.INSTANCE;
    }

    /// The clock of the operating system.
    enum SystemClock implements Clock {
        INSTANCE;

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long epochMillis() {
            return System.currentTimeMillis();
        }

        @Override
        public long epochMicros() {
            Instant now = Instant.now();
            return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
        }
    }
}
