package io.tallis.cluster.frame;

/// A bound on bytes a second, with something saved up for a burst.
public final class Pace {
    private static final double NANOS_PER_SECOND = 1e9;

    private final double bytesPerNano;
    private final double mostSaved;
    private double saved;
    private long filledAt;

    public Pace(long bytesPerSecond, long mostSaved) {
        bytesPerNano = bytesPerSecond / NANOS_PER_SECOND;
        this.mostSaved = mostSaved;
        saved = mostSaved;
    }

    /// Whether something may be sent now: what it takes may go beyond what is saved, and is made up for later.
    public boolean allows(long now) {
        fill(now);
        return saved > 0;
    }

    private void fill(long now) {
        if (now > filledAt) {
            saved = Math.min(mostSaved, saved + (now - filledAt) * bytesPerNano);
            filledAt = now;
        }
    }

    public void spend(long bytes) {
        saved -= bytes;
    }

    /// In how many nanoseconds something may be sent again.
    public long nanosToWait(long now) {
        fill(now);
        return saved > 0 ? 0 : (long) ((1 - saved) / bytesPerNano);
    }
}
