package io.tallis.cluster.peer;

import java.util.concurrent.TimeUnit;

/// The time in which this process was awake: it advances with the system's clock, but by at most [#MOST_STEP_NANOS] a
/// call.
///
/// A process that was stopped (SIGSTOP, a suspended virtual machine, a long pause of the collector) heard nobody in
/// that
/// time and waited for nothing. On this clock the pause lasts one step, so no timeout of the replicator ends because of
/// it: its peers do not become unreachable, questions are not given up, and a node that joins does not take silence for
/// an empty cluster. The price is that whoever drives the replicator calls it at least once a step.
public final class AwakeClock {
    /// A beat, so that a pause counts as one beat that was missed.
    public static final long MOST_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private long now;
    private long systemNanos;
    private boolean started;

    /// The system's clock shows `nanos`. Returns the time on this clock, which began at 1.
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
