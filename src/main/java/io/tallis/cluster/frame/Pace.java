package io.tallis.cluster.frame;

/// A token bucket: bounds bytes a second, and allows bursts.
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

    /// Whether a frame may be sent now. It may be larger than what is left: then the bucket is in debt, and the next
    /// frame waits longer.
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

    /// In how many nanoseconds a frame may be sent.
    public long nanosToWait(long now) {
        fill(now);
        return saved > 0 ? 0 : (long) ((1 - saved) / bytesPerNano);
    }
}
