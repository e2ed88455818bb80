package io.tallis.sim;

import io.tallis.testing.Gen;
import java.util.EnumSet;
import java.util.Set;

/// What a seed stands for as far as sessions are folded: after how long, how long the faults last at least, so that
/// folds fall among them, and how often an operator folds at once or forgets a node that is gone.
record Folding(
        Gen gen,
        boolean happens,
        long afterNanos,
        long activeNanos,
        long operatorNanos,
        int lostPercent,
        boolean keepsLosses,
        int pausePercent,
        int disturbedPercent) {
    private static final long MILLISECOND = 1_000_000;
    private static final long LITTLE_NANOS = 2_000 * MILLISECOND;
    private static final Set<Trouble> LOSSES = EnumSet.of(Trouble.WIPED, Trouble.CLONED, Trouble.JOIN_CUT_SHORT);

    static final Folding NONE =
            new Folding(new Gen(0), false, Long.MAX_VALUE / 4, 0, Long.MAX_VALUE / 4, 0, true, 0, 0);

    /// Folds fall where they may, often after all faults.
    static Folding draw(Gen gen) {
        if (gen.chance(30)) {
            return NONE;
        }
        return new Folding(
                gen,
                true,
                after(gen),
                0,
                gen.pick(300, 4_000, 1_000_000) * MILLISECOND,
                gen.pick(0, 0, 10),
                true,
                0,
                0);
    }

    /// Sessions end and are folded again and again, and faults fall among the steps of that.
    static Folding drawOften(Gen gen) {
        return new Folding(
                gen,
                true,
                after(gen),
                gen.between(5_000L, 25_000L) * MILLISECOND,
                gen.pick(300, 1_000, 4_000) * MILLISECOND,
                gen.pick(0, 0, 10),
                gen.chance(30),
                gen.pick(10, 30, 60),
                gen.pick(0, 15, 30));
    }

    private static long after(Gen gen) {
        return gen.pick(0L, gen.between(0, 300L), gen.between(0, 2_000L)) * MILLISECOND;
    }

    /// The same where the files of known nodes stay.
    Folding withAllNodes(Gen other) {
        return new Folding(
                other, happens, afterNanos, activeNanos, operatorNanos, 0, keepsLosses, pausePercent, disturbedPercent);
    }

    /// Sessions end in most of the simulations, and no node is lost or copied in many: those could not fold.
    Scenario scenario(Scenario drawn) {
        if (activeNanos == 0) {
            return drawn;
        }
        Set<Trouble> troubles = EnumSet.noneOf(Trouble.class);
        drawn.troubles().stream()
                .filter(trouble -> !LOSSES.contains(trouble) || keepsLosses)
                .forEach(troubles::add);
        if (gen.chance(30)) {
            troubles.add(Trouble.LAST_WORDS);
        }
        if (gen.chance(80)) {
            troubles.add(gen.pick(Trouble.KILLED, Trouble.POWER_LOST, Trouble.STOPPED, Trouble.ALL_KILLED));
        }
        return drawn.with(troubles);
    }

    boolean isPauseDue() {
        return gen.chance(pausePercent);
    }

    /// How long nodes have to fold.
    long pauseNanos() {
        return afterNanos + LITTLE_NANOS;
    }

    /// Whether a fault follows this step of a fold.
    boolean isDisturbed() {
        return gen.chance(disturbedPercent);
    }

    @Override
    public String toString() {
        return "Folding[%s, after %,d ms, active %,d ms, operator %,d ms, nodes lost %d %%]"
                .formatted(
                        happens,
                        afterNanos / MILLISECOND,
                        activeNanos / MILLISECOND,
                        operatorNanos / MILLISECOND,
                        lostPercent);
    }
}
