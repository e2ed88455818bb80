package io.tallis.runtime;

import java.time.Instant;

/// The time, of two kinds that must not be mixed.
public interface Clock {
    /// Nanoseconds since some moment; never goes back, says nothing about the date.
    long nanos();

    /// Milliseconds since 1970 as the machine believes; may jump. For people, never for order.
    long epochMillis();

    /// The same in microseconds, as far as this clock is that fine.
    default long epochMicros() {
        return epochMillis() * 1000;
    }

    static Clock system() {
        return SystemClock.INSTANCE;
    }

    /// The clock of the machine.
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
