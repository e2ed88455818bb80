package io.tallis.cluster;

import java.util.concurrent.TimeUnit;

/// Measures whether repair traffic (answers and pulled cells, in either direction) is heavy at present.
///
/// Background work such as checkpoints pauses while it is: until the repair is over clients read values that are too
/// low, so it comes first. The steady trickle that repairs single lost frames does not count as heavy.
///
/// Updated by the replicator's thread; any thread may read.
final class RepairLoad {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /// The load is high when so many bytes passed in one interval.
    private static final long HIGH_BYTES = 1 << 16;

    /// The load stays high for so long after the last heavy interval: a node that repairs may itself wait for the
    /// processor between two frames.
    private static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    private long updatedAt;
    private long highAt = -HOLD_NANOS;
    private long bytesThen;
    private volatile boolean high;

    /// Takes note that `bytes` of repair traffic have passed since the process started.
    void update(long bytes, long now) {
        if (now - updatedAt >= INTERVAL_NANOS) {
            if (bytes - bytesThen >= HIGH_BYTES) {
                highAt = now;
            }
            high = now - highAt < HOLD_NANOS;
            updatedAt = now;
            bytesThen = bytes;
        }
    }

    boolean isHigh() {
        return high;
    }
}
