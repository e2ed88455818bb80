package io.tallis.cluster;

import java.util.concurrent.TimeUnit;

/// Whether much of what nodes differ in passes at present, so that long tasks had better wait: until it is over, the
/// values that clients read are those of before, and it is seldom. What lost frames cost all the time is not much.
///
/// Belongs to the replicator's thread, but any may ask.
final class Repairs {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /// In the time between two looks.
    private static final long MUCH_BYTES = 1 << 16;

    /// Who gets or gives much may have to wait for the processor itself.
    private static final long LASTS_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    private long lookedAt;
    private long muchAt = -LASTS_NANOS;
    private long bytesThen;
    private volatile boolean much;

    /// So many bytes of it have passed by now.
    void look(long bytes, long now) {
        if (now - lookedAt >= LOOK_NANOS) {
            if (bytes - bytesThen >= MUCH_BYTES) {
                muchAt = now;
            }
            much = now - muchAt < LASTS_NANOS;
            lookedAt = now;
            bytesThen = bytes;
        }
    }

    boolean areMany() {
        return much;
    }
}
