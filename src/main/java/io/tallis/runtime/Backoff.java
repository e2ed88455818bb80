package io.tallis.runtime;

/// The time to the next attempt after failures: it doubles with each failure, up to a bound.
///
/// One thread reports failures, any success; any thread may ask.
public final class Backoff {
    private final Clock clock;
    private final long firstNanos;
    private final long longestNanos;
    private volatile int failuresInARow;
    private volatile long retryAtNanos;

    public Backoff(Clock clock, long firstNanos, long longestNanos) {
        this.clock = clock;
        this.firstNanos = firstNanos;
        this.longestNanos = longestNanos;
    }

    public void failed() {
        int before = failuresInARow;
        long wait = firstNanos;
        for (int i = 0; i < before && wait < longestNanos; i++) {
            wait *= 2;
        }
        retryAtNanos = clock.nanos() + Math.min(longestNanos, wait);
        failuresInARow = before + 1;
    }

    public void succeeded() {
        failuresInARow = 0;
    }

    public int failuresInARow() {
        return failuresInARow;
    }

    /// The time until the next attempt; 0 when it may be made.
    public long nanosToRetry() {
        return failuresInARow == 0 ? 0 : Math.max(0, retryAtNanos - clock.nanos());
    }
}
