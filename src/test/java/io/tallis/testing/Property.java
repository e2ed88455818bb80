package io.tallis.testing;

/// A law that must hold for every value: it is tried with many generated ones.
///
/// Try number n draws all its values from seed n, so each build tries the same ones and `-Dtries=100000` continues
/// where the build stops. A failure names its seed; `-Dseed=17` tries that one alone.
public final class Property {
    private static final int TRIES = 1_000;

    /// The law: returns when it holds for the values that it takes from `gen`, else throws.
    @FunctionalInterface
    public interface Law {
        void check(Gen gen) throws Throwable;
    }

    private final long firstSeed;
    private final long lastSeed;

    private Property(long firstSeed, long lastSeed) {
        this.firstSeed = firstSeed;
        this.lastSeed = lastSeed;
    }

    /// Tries `law` as often as `-Dtries` says, or with `-Dseed` only.
    public static void forAll(Law law) {
        Long seed = Long.getLong("seed");
        Property property = seed == null ? ofTries(Integer.getInteger("tries", TRIES)) : ofSeed(seed);
        property.check(law);
    }

    static Property ofTries(int tries) {
        if (tries < 1) {
            throw new IllegalArgumentException("tries is " + tries + ", expected at least 1");
        }
        return new Property(1, tries);
    }

    static Property ofSeed(long seed) {
        return new Property(seed, seed);
    }

    void check(Law law) {
        for (long seed = firstSeed; seed <= lastSeed; seed++) {
            try {
                law.check(new Gen(seed));
            } catch (Throwable failure) {
                throw new AssertionError("fails with -Dseed=" + seed + ": " + failure.getMessage(), failure);
            }
        }
    }
}
