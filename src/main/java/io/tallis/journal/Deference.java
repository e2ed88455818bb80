package io.tallis.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.runtime.Clock;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// What works in the background gives way to others who have something urgent to do: checkpoints and copies by their
/// [Courtesy], the database's own threads by being held back. All of them half of the time at most.
///
/// Others say when they are asked whether it is urgent, and have those threads held back, or let go, by calling [#look]
/// a few times a second while it is, and once when it is over. Any thread may call. Threads are held back and let go
/// under the lock: none are after [#end] has returned, when the database may be closed.
final class Deference {
    /// Once the time for it is used up nobody is held back for so long.
    private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final BooleanSupplier mayRest;
    private final Consumer<Boolean> holdBack;
    private final Clock clock;

    @GuardedBy("this")
    private final HalfTheTime patience;

    private volatile BooleanSupplier others = () -> false;
    private volatile boolean ended;

    @GuardedBy("this")
    private boolean heldBack;

    /// Nobody gives way where there is no time for it.
    Deference(BooleanSupplier mayRest, Consumer<Boolean> holdBack, Clock clock) {
        this.mayRest = mayRest;
        this.holdBack = holdBack;
        this.clock = clock;
        patience = new HalfTheTime(clock.nanos());
    }

    /// From now on these are the others.
    void yieldTo(BooleanSupplier others) {
        this.others = others;
    }

    /// For one that rests at a time.
    Courtesy newCourtesy() {
        return new Courtesy(this::mayRest, () -> others.getAsBoolean(), clock);
    }

    private boolean mayRest() {
        return !ended && mayRest.getAsBoolean();
    }

    synchronized void look() {
        patience.passed(heldBack, clock.nanos());
        boolean wanted = patience.leftNanos() > (heldBack ? 0 : LEAST_NANOS) && others.getAsBoolean() && mayRest();
        if (wanted != heldBack) {
            heldBack = wanted;
            holdBack.accept(wanted);
        }
    }

    /// Nobody gives way any more.
    void end() {
        ended = true;
        look();
    }
}
