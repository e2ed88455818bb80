package io.tallis.sim;

import io.tallis.testing.Gen;

/// What a seed stands for as far as keys expire: how fast the clocks of the day go, how much they differ, how long the
/// grace is, and how often clients use keys that expire.
///
/// The clocks go `rate` times as fast as simulated time; the grace is longer than a frame is late on its way.
record Expiring(
        boolean happens,
        long rate,
        long graceMillis,
        long skewMillis,
        boolean clocksAreSet,
        int reusedKeys,
        long windowMillis,
        long clientNanos,
        long activeNanos) {
    private static final long MILLISECOND = 1_000_000;
    private static final long SECOND_MILLIS = 1_000;

    /// How long in terms of the clocks of the day the faults last at least.
    private static final long ACTIVE_MILLIS = 40 * SECOND_MILLIS;

    static final Expiring NONE = new Expiring(false, 1, 60 * SECOND_MILLIS, 0, false, 0, 1, 1, 0);

    static Expiring draw(Gen gen) {
        long rate = gen.pick(1, 4, 4, 16, 16, 16);
        long active = gen.between(ACTIVE_MILLIS, 3 * ACTIVE_MILLIS) / rate;
        return new Expiring(
                true,
                rate,
                Math.max(gen.pick(2, 5, 20), rate) * SECOND_MILLIS,
                gen.pick(0L, 500L, 2_000L),
                gen.chance(25),
                gen.pick(1, 3, 12),
                gen.pick(500, 2_000, 8_000),
                gen.pick(10, 30, 100) * MILLISECOND,
                active * MILLISECOND);
    }

    /// In simulated time.
    long graceNanos() {
        return graceMillis * MILLISECOND / rate;
    }
}
