package io.tallis.sim;

import io.tallis.crdt.CounterType;
import io.tallis.testing.Gen;
import java.util.EnumSet;
import java.util.Set;

/// What a seed stands for as far as deleted counters are purged: how long the faults last at least, so that purges fall
/// among them, what clients do, and how often an operator purges, or forgets a node.
record Purging(
        Gen gen,
        boolean happens,
        long activeNanos,
        int keys,
        long hotNanos,
        long clientNanos,
        int deletePercent,
        long operatorNanos,
        boolean keepsLosses,
        int forgottenPercent,
        int pausePercent,
        int disturbedPercent) {
    private static final long MILLISECOND = 1_000_000;

    /// The time of day of two machines differs by at most two seconds.
    private static final long MOST_SKEW_MILLIS = 1_000;

    /// A node is ready five seconds after its marks; some time more for the rest of a purge.
    private static final long LEAST_PAUSE_NANOS = 6_000 * MILLISECOND;

    private static final long MOST_PAUSE_NANOS = 9_000 * MILLISECOND;

    /// About the most turns of clients whose keys are not purged.
    private static final int MOST_TURNS_OF_OTHERS = 500;

    private static final int MANY_KEYS = 24;
    private static final int ANY_PERCENT = 10;
    private static final int HOT_PART = 5;
    private static final int LONG_TURN_PERCENT = 10;
    private static final int FEW_ACTS = 3;
    private static final int MOST_ACTS = 12;

    private static final Set<Trouble> LOSSES =
            EnumSet.of(Trouble.WIPED, Trouble.CLONED, Trouble.RESTORED, Trouble.LAST_WORDS, Trouble.JOIN_CUT_SHORT);

    static final Purging NONE = new Purging(new Gen(0), false, 0, 1, 1, 1, 0, Long.MAX_VALUE / 4, true, 0, 0, 0);

    static Purging draw(Gen gen) {
        return new Purging(
                gen,
                true,
                gen.between(10_000L, 60_000L) * MILLISECOND,
                gen.pick(2, 6, 12, MANY_KEYS),
                gen.pick(1_000, 2_000, 4_000) * MILLISECOND,
                gen.pick(100, 300, 600) * MILLISECOND,
                gen.pick(20, 35, 50),
                gen.pick(300, 1_000, 4_000) * MILLISECOND,
                gen.chance(50),
                gen.pick(0, 0, 10, 30),
                gen.pick(20, 50, 80),
                gen.pick(0, 15, 30, 60));
    }

    /// Sessions end in most of the simulations, and no disk is lost or copied in many: there all that is acknowledged
    /// has to be there, and all that is deleted has to be gone.
    Scenario scenario(Scenario drawn) {
        if (!happens) {
            return drawn;
        }
        Set<Trouble> troubles = EnumSet.noneOf(Trouble.class);
        drawn.troubles().stream()
                .filter(trouble -> !LOSSES.contains(trouble) || keepsLosses)
                .forEach(troubles::add);
        if (gen.chance(70)) {
            troubles.add(gen.pick(Trouble.KILLED, Trouble.POWER_LOST, Trouble.STOPPED, Trouble.ALL_KILLED));
        }
        if (keepsLosses && gen.chance(50)) {
            troubles.add(gen.pick(Trouble.RESTORED, Trouble.CLONED, Trouble.WIPED));
        }
        return drawn.with(troubles).withClientsAtMostEvery(activeNanos / MOST_TURNS_OF_OTHERS);
    }

    /// The offset of a machine's clock.
    long skewMillis(long drawn) {
        return happens ? Math.clamp(drawn, -MOST_SKEW_MILLIS, MOST_SKEW_MILLIS) : drawn;
    }

    /// A key to be used now. In turn some of them are used much, and none for long: a deleted counter has to stay as it
    /// is for more than five seconds to be dropped.
    int anyKey(long now) {
        long first = gen.chance(ANY_PERCENT) ? gen.between(0, keys - 1) : now / hotNanos;
        return (int) ((first + gen.between(0, keys / HOT_PART)) % keys);
    }

    /// Whether counters of this type get a deadline far ahead before they are deleted: some of them, where there are
    /// many.
    boolean expires(CounterType type) {
        return keys == MANY_KEYS && type == CounterType.FIELD;
    }

    /// How many acts a turn of a client has: many make frames that do not get through everywhere.
    int acts() {
        return gen.between(1, gen.chance(LONG_TURN_PERCENT) ? MOST_ACTS : FEW_ACTS);
    }

    /// How long a fault lasts: long enough, at times, for a whole purge.
    long faultNanos() {
        return gen.between(1, gen.pick(20, 300, 3_000, 12_000)) * MILLISECOND;
    }

    boolean isPauseDue() {
        return gen.chance(pausePercent);
    }

    /// How long nodes have to purge.
    long pauseNanos() {
        return gen.between(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS);
    }

    /// Whether a fault follows this step of a purge.
    boolean isDisturbed() {
        return gen.chance(disturbedPercent);
    }

    /// Whether an operator forgets a node that may only be cut off.
    boolean isForgottenNow() {
        return gen.chance(forgottenPercent);
    }

    @Override
    public String toString() {
        return "Purging[%s, active %,d ms, %d keys, clients %,d ms, deletes %d %%, operator %,d ms]"
                .formatted(
                        happens,
                        activeNanos / MILLISECOND,
                        keys,
                        clientNanos / MILLISECOND,
                        deletePercent,
                        operatorNanos / MILLISECOND);
    }
}
