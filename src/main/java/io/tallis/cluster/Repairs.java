package io.tallis.cluster;

import java.util.concurrent.TimeUnit;

/// Whether much of what nodes differ in passes at present, so that long tasks had better wait: until it is over, the
/// values that clients read are those of before, and it is seldom. What lost frames cost all the time is not much, and
/// what goes on for longer than [#LONGEST_NANOS] nobody waits for.
///
/// Belongs to the replicator's thread, but any may ask.
final class Repairs {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// In the time between two looks.
    private static final long MUCH_BYTES = 1 << 18;

    private long lookedAt;
    private long bytesThen;
    private long since;
    private boolean much;
    private volatile boolean waitedFor;

    /// So many bytes of it have passed by now.
    void look(long bytes, long now) {
        if (now - lookedAt < LOOK_NANOS) {
            return;
        }
        boolean before = much;
        much = bytes - bytesThen >= MUCH_BYTES;
        lookedAt = now;
        bytesThen = bytes;
        if (much && !before) {
            since = now;
        }
        waitedFor = much && now - since < LONGEST_NANOS;
    }

    boolean areWaitedFor() {
        return waitedFor;
    }
}
