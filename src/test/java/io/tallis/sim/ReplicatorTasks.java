package io.tallis.sim;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// The replicator's thread of a simulated process: runs what it is given one after the other, and the state machine's
/// own work soon after, and when that is due by itself. May be slow, and stand still.
final class ReplicatorTasks {
    /// The time of a task on a process that is not slow.
    static final long QUICK_NANOS = 5_000;

    /// What may be dropped is dropped beyond this, as a socket does with a full buffer.
    private static final int FULL = 500;

    private static final int FRAMES_BETWEEN_TICKS = 16;
    private static final long LOOK_WHEN_CONGESTED_NANOS = 5_000_000;

    /// A bound on runs without time passing: a state machine that always wants to be called again at once has a bug.
    private static final int MOST_TICKS_A_MILLISECOND = 400;

    private final EventQueue events;
    private final Runnable clock;
    private final LongSupplier tick;
    private final BooleanSupplier congested;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final Deque<Runnable> frames = new ArrayDeque<>();
    private final Deque<Runnable> framesWithCells = new ArrayDeque<>();
    private long costNanos = QUICK_NANOS;
    private boolean frozen;
    private boolean ended;
    private boolean busy;
    private int framesSinceTick;
    private long wakeUpAt = Long.MAX_VALUE;
    private long tickMillis;
    private int ticks;

    /// `tick` does all that is due and says in how many nanoseconds there will be more; while `congested`, frames that
    /// bring cells wait.
    ReplicatorTasks(EventQueue events, Runnable clock, LongSupplier tick, BooleanSupplier congested) {
        this.events = events;
        this.clock = clock;
        this.tick = tick;
        this.congested = congested;
        wakeUp(0);
    }

    void cost(long nanos) {
        costNanos = nanos;
    }

    boolean frozen() {
        return frozen;
    }

    void freeze() {
        frozen = true;
    }

    void thaw() {
        frozen = false;
        goOn();
    }

    void end() {
        ended = true;
        tasks.clear();
        frames.clear();
        framesWithCells.clear();
    }

    void add(Runnable task) {
        if (!ended) {
            tasks.add(task);
            goOn();
        }
    }

    void addFrame(Runnable frame, boolean bringsCells, boolean mayDrop) {
        if (!ended && (frames.size() + framesWithCells.size() < FULL || !mayDrop)) {
            // Those that came while others waited for the disk come behind them.
            boolean waits = bringsCells && (congested.getAsBoolean() || !framesWithCells.isEmpty());
            (waits ? framesWithCells : frames).add(frame);
            goOn();
        }
    }

    /// Schedules the state machine's own work soon.
    void wake() {
        wakeUp(costNanos);
    }

    private void goOn() {
        boolean isDue = !tasks.isEmpty() || mayTakeFrame() || wakeUpAt <= events.now();
        if (isDue && !busy && !frozen && !ended) {
            busy = true;
            events.in(costNanos, this::step);
        }
    }

    private boolean mayTakeFrame() {
        return !frames.isEmpty() || (!framesWithCells.isEmpty() && !congested.getAsBoolean());
    }

    private Runnable nextFrame() {
        return framesWithCells.isEmpty() || congested.getAsBoolean() ? frames.remove() : framesWithCells.remove();
    }

    private void step() {
        busy = false;
        if (ended || frozen) {
            return;
        }
        clock.run();
        if (!tasks.isEmpty()) {
            tasks.remove().run();
        } else if (mayTakeFrame()) {
            nextFrame().run();
            framesSinceTick++;
        }
        if (framesSinceTick >= FRAMES_BETWEEN_TICKS || (tasks.isEmpty() && !mayTakeFrame())) {
            runReplicator();
        }
        goOn();
    }

    private void runReplicator() {
        framesSinceTick = 0;
        countTick();
        wakeUpAt = Long.MAX_VALUE;
        long nanos = tick.getAsLong();
        wakeUp(framesWithCells.isEmpty() ? nanos : Math.min(nanos, LOOK_WHEN_CONGESTED_NANOS));
    }

    private void countTick() {
        long millis = events.now() / 1_000_000;
        ticks = millis == tickMillis ? ticks + 1 : 0;
        tickMillis = millis;
        if (ticks > MOST_TICKS_A_MILLISECOND) {
            throw new Violation("the replicator spins");
        }
    }

    private void wakeUp(long nanos) {
        long at = events.now() + Math.max(0, Math.min(nanos, Long.MAX_VALUE / 4));
        if (at < wakeUpAt && !ended) {
            wakeUpAt = at;
            events.in(at - events.now(), this::goOn);
        }
    }
}
