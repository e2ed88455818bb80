package io.tallis.journal.checkpoint;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.journal.disk.Pause;
import io.tallis.runtime.Clock;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Slows checkpoints, backups and the database's own threads while a repair between nodes moves much data: clients wait
/// for the repair, not for those.
///
/// One budget bounds it, so that a repair that never ends cannot keep the journal from being shortened: background work
/// is slowed for at most half of the time, and for [#MOST_NANOS] at a stretch.
///
/// ```
/// budget   grows with the time that is not throttled, up to MOST_NANOS; shrinks with the time that is
///          0 ──at least LEAST_NANOS──▶ throttling may begin ──used up──▶ ends
/// ```
///
/// Any thread may call. The database is slowed and freed under the lock: after [#end] has returned it is free.
public final class Throttle {
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// Throttling does not begin again with less, or it would flicker.
    private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final BooleanSupplier mayWait;
    private final Consumer<Boolean> throttleDatabase;
    private final Clock clock;

    private volatile BooleanSupplier repairing = () -> false;
    private volatile boolean ended;

    @GuardedBy("this")
    private long budgetNanos = MOST_NANOS;

    @GuardedBy("this")
    private long updatedNanos;

    @GuardedBy("this")
    private boolean throttling;

    /// Nothing is throttled while `mayWait` is false.
    public Throttle(BooleanSupplier mayWait, Consumer<Boolean> throttleDatabase, Clock clock) {
        this.mayWait = mayWait;
        this.throttleDatabase = throttleDatabase;
        this.clock = clock;
        updatedNanos = clock.nanos();
    }

    /// Says how to ask whether a repair moves much.
    public void throttleWhile(BooleanSupplier repairing) {
        this.repairing = repairing;
    }

    /// Throttles or frees the database's threads. To be called a few times a second during a repair, and once when it
    /// is over. Returns whether background work is throttled now.
    public synchronized boolean update() {
        long now = clock.nanos();
        long passed = now - updatedNanos;
        updatedNanos = now;
        budgetNanos = throttling ? budgetNanos - passed : Math.min(MOST_NANOS, budgetNanos + passed);
        boolean wanted = budgetNanos > (throttling ? 0 : LEAST_NANOS) && mayWait() && repairing.getAsBoolean();
        if (wanted != throttling) {
            throttling = wanted;
            throttleDatabase.accept(wanted);
        }
        return throttling;
    }

    private boolean mayWait() {
        return !ended && mayWait.getAsBoolean();
    }

    /// Called by background work after each step, of which it is told how long it took: waits as long, but at most 20
    /// ms, and then while work is throttled.
    public void pause(long workedNanos) {
        if (mayWait()) {
            LockSupport.parkNanos(this, Math.min(workedNanos, LONGEST_PAUSE_NANOS));
        }
        while (update()) {
            LockSupport.parkNanos(this, LONGEST_PAUSE_NANOS);
        }
    }

    /// For a task that runs on one thread: a pause after each step, and what ends the task early.
    public Pause pauses(Condition goesOn) {
        long[] steppedNanos = {clock.nanos()};
        return () -> {
            goesOn.require();
            pause(clock.nanos() - steppedNanos[0]);
            steppedNanos[0] = clock.nanos();
        };
    }

    /// Throws when a task is to be given up.
    @FunctionalInterface
    public interface Condition {
        void require() throws IOException;
    }

    /// Ends all throttling for good: the node stops.
    public void end() {
        ended = true;
        boolean _ = update();
    }
}
