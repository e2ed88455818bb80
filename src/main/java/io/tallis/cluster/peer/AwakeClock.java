package io.tallis.cluster.peer;

import java.util.concurrent.TimeUnit;

/// The clock of the replicator: it counts the time in which this process was running. It advances with the system's
/// clock, but by at most [#MOST_STEP_NANOS] a call.
///
/// A process that was paused (SIGSTOP, a suspended virtual machine, a long garbage collection) received nothing in that
/// time. On this clock the pause lasts one step, so no timeout of the replicator expires because of it: peers do not
/// become unreachable, requests are not given up, and a node that joins does not take silence for an empty cluster. In
/// return the clock has to be advanced at least once a step.
public final class AwakeClock {
    /// The interval of beats, so that a pause counts as one missed beat.
    public static final long MOST_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private long now;
    private long systemNanos;
    private boolean started;

    /// Advances to the time `nanos` of the system's clock. Returns the time on this clock, which starts at 1.
    public long advanceTo(long nanos) {
        if (started) {
            now += Math.clamp(nanos - systemNanos, 0, MOST_STEP_NANOS);
        } else {
            started = true;
            now = 1;
        }
        systemNanos = nanos;
        return now;
    }
}
