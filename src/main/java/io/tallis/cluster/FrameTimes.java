package io.tallis.cluster;

/// A table of when this session's DELTA frames were sent, so that a peer's lag in frames can be shown as a time.
///
/// A ring of [#ENTRIES] pairs of frame and time, at most one for each [#GRAIN_NANOS], so that it reaches back almost
/// seven minutes at any rate. A lag beyond that is shown as the age of the oldest pair.
final class FrameTimes {
    static final int ENTRIES = 4096;
    static final long GRAIN_NANOS = 100_000_000;

    private static final int MASK = ENTRIES - 1;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long[] frames = new long[ENTRIES];
    private final long[] times = new long[ENTRIES];
    private long count;

    /// Frame `frame` is sent; numbers grow.
    void sent(long frame, long nowNanos) {
        if (count > 0 && nowNanos - times[(int) (count - 1) & MASK] < GRAIN_NANOS) {
            return;
        }
        frames[(int) count & MASK] = frame;
        times[(int) count & MASK] = nowNanos;
        count++;
    }

    /// How long ago frame `frame` was sent, or up to [#GRAIN_NANOS] more; 0 when none was sent.
    long ageMillis(long frame, long nowNanos) {
        if (count == 0) {
            return 0;
        }
        long low = Math.max(0, count - ENTRIES);
        long high = count - 1;
        while (low < high) {
            long middle = (low + high + 1) >>> 1;
            if (frames[(int) middle & MASK] <= frame) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return (nowNanos - times[(int) low & MASK]) / NANOS_PER_MILLI;
    }

    /// The lag behind `head` of a peer that acknowledged all frames up to `acknowledged`.
    PeerStatus.Lag lag(long acknowledged, long head, long nowNanos) {
        return acknowledged >= head
                ? new PeerStatus.Lag(0, 0)
                : new PeerStatus.Lag(head - acknowledged, ageMillis(acknowledged + 1, nowNanos));
    }
}
