package io.tallis.cluster;

/// When this session's frames left, so that a number of frames can be told as a time.
///
/// A ring of [#ENTRIES] pairs, one for each [#GRAIN_NANOS] in which frames left, so that it reaches back some minutes
/// however many they are. What lags further behind is told as the age of the oldest pair.
final class FrameTimes {
    static final int ENTRIES = 4096;
    static final long GRAIN_NANOS = 100_000_000;

    private static final int MASK = ENTRIES - 1;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long[] frames = new long[ENTRIES];
    private final long[] times = new long[ENTRIES];
    private long count;

    /// Frame `frame` leaves; numbers grow.
    void sent(long frame, long nowNanos) {
        if (count > 0 && nowNanos - times[(int) (count - 1) & MASK] < GRAIN_NANOS) {
            return;
        }
        frames[(int) count & MASK] = frame;
        times[(int) count & MASK] = nowNanos;
        count++;
    }

    /// For how long frame `frame` has been out, to within [#GRAIN_NANOS] too much; 0 when none was sent.
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

    /// How far behind `head` somebody is who has all up to frame `has`.
    PeerStatus.Lag lag(long has, long head, long nowNanos) {
        return has >= head ? new PeerStatus.Lag(0, 0) : new PeerStatus.Lag(head - has, ageMillis(has + 1, nowNanos));
    }
}
