package io.tallis.script;

import io.tallis.runtime.Randomness;

/// A number: always a double, as in Lua 5.1.
public final class LuaNumber implements LuaValue {
    /// Mixed into every hash, as in [LuaString].
    private static final long SEED = Randomness.secure().nextLong() | 1;

    private static final int LEAST_KEPT = -128;
    private static final int MOST_KEPT = 1023;
    private static final LuaNumber[] KEPT = new LuaNumber[MOST_KEPT - LEAST_KEPT + 1];

    static {
        for (int i = 0; i < KEPT.length; i++) {
            KEPT[i] = new LuaNumber(i + LEAST_KEPT);
        }
    }

    private final double value;

    private LuaNumber(double value) {
        this.value = value;
    }

    public static LuaNumber of(double value) {
        int whole = (int) value;
        // The bits tell 0 and -0 apart.
        return whole >= LEAST_KEPT
                        && whole <= MOST_KEPT
                        && Double.doubleToRawLongBits(whole) == Double.doubleToRawLongBits(value)
                ? KEPT[whole - LEAST_KEPT]
                : new LuaNumber(value);
    }

    public double value() {
        return value;
    }

    @Override
    public String typeName() {
        return "number";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LuaNumber number && number.value == value;
    }

    @Override
    public int hashCode() {
        long mixed = (Double.doubleToLongBits(value == 0 ? 0 : value) ^ SEED) * SEED;
        return (int) (((mixed ^ (mixed >>> 29)) * SEED) >>> 32);
    }

    @Override
    public String toString() {
        return NumberText.of(value);
    }
}
