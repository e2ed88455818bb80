package io.tallis.script;

import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/// `math`. `math.random` returns the same numbers for each run of a script, as in Redis.
final class MathLibrary {
    private static final long MULTIPLIER = 0x5DEECE66DL;
    private static final long INCREMENT = 0xB;
    private static final long MASK = (1L << 48) - 1;
    private static final double MOST_RANDOM = Integer.MAX_VALUE;

    private long random;

    /// Begins the sequence of `math.random` anew.
    void seed(int seed) {
        random = ((seed & 0xFFFFFFFFL) << 16) + 0x330E;
    }

    LuaTable make() {
        LuaTable library = new LuaTable();
        of(library, "abs", Math::abs);
        of(library, "acos", Math::acos);
        of(library, "asin", Math::asin);
        of(library, "atan", Math::atan);
        of(library, "ceil", Math::ceil);
        of(library, "cos", Math::cos);
        of(library, "cosh", Math::cosh);
        of(library, "deg", Math::toDegrees);
        of(library, "exp", Math::exp);
        of(library, "floor", Math::floor);
        of(library, "log", Math::log);
        of(library, "log10", Math::log10);
        of(library, "rad", Math::toRadians);
        of(library, "sin", Math::sin);
        of(library, "sinh", Math::sinh);
        of(library, "sqrt", Math::sqrt);
        of(library, "tan", Math::tan);
        of(library, "tanh", Math::tanh);
        ofTwo(library, "atan2", Math::atan2);
        ofTwo(library, "fmod", (left, right) -> left % right);
        ofTwo(library, "mod", (left, right) -> left % right);
        ofTwo(library, "pow", Math::pow);
        ofTwo(library, "ldexp", (size, exponent) -> size * Math.pow(2, (int) exponent));
        BaseLibrary.add(library, "frexp", MathLibrary::fraction);
        BaseLibrary.add(library, "modf", MathLibrary::parts);
        BaseLibrary.add(
                library, "max", call -> Call.results(extreme(call, (found, next) -> next > found ? next : found)));
        BaseLibrary.add(
                library, "min", call -> Call.results(extreme(call, (found, next) -> next < found ? next : found)));
        BaseLibrary.add(library, "random", this::random);
        BaseLibrary.add(library, "randomseed", call -> {
            seed((int) call.integer(1));
            return LuaValue.NONE;
        });
        library.with("pi", LuaNumber.of(Math.PI));
        library.with("huge", LuaNumber.of(Double.POSITIVE_INFINITY));
        return library;
    }

    private static void of(LuaTable library, String name, DoubleUnaryOperator operator) {
        BaseLibrary.add(library, name, call -> Call.results(LuaNumber.of(operator.applyAsDouble(call.number(1)))));
    }

    private static void ofTwo(LuaTable library, String name, DoubleBinaryOperator operator) {
        BaseLibrary.add(
                library,
                name,
                call -> Call.results(LuaNumber.of(operator.applyAsDouble(call.number(1), call.number(2)))));
    }

    private static LuaNumber extreme(Call call, DoubleBinaryOperator operator) {
        double found = call.number(1);
        for (int i = 2; i <= call.count(); i++) {
            found = operator.applyAsDouble(found, call.number(i));
        }
        return LuaNumber.of(found);
    }

    private static LuaValue[] fraction(Call call) {
        double value = call.number(1);
        if (value == 0 || !Double.isFinite(value)) {
            return Call.results(LuaNumber.of(value), LuaNumber.of(0));
        }
        int exponent = Math.getExponent(value) + 1;
        if (exponent <= Double.MIN_EXPONENT) {
            exponent = Math.getExponent(value * 0x1p54) - 53;
        }
        return Call.results(LuaNumber.of(Math.scalb(value, -exponent)), LuaNumber.of(exponent));
    }

    private static LuaValue[] parts(Call call) {
        double value = call.number(1);
        double whole = value < 0 ? Math.ceil(value) : Math.floor(value);
        double rest = Double.isInfinite(value) ? 0 : value - whole;
        return Call.results(LuaNumber.of(whole), LuaNumber.of(rest));
    }

    private double next() {
        random = (random * MULTIPLIER + INCREMENT) & MASK;
        return ((random >>> 17) % Integer.MAX_VALUE) / MOST_RANDOM;
    }

    private LuaValue[] random(Call call) {
        double chance = next();
        if (call.count() == 0) {
            return Call.results(LuaNumber.of(chance));
        }
        if (call.count() > 2) {
            throw new LuaError("wrong number of arguments");
        }
        double least = call.count() == 1 ? 1 : call.integer(1);
        double most = call.integer(call.count());
        if (least > most) {
            throw call.bad(call.count(), "interval is empty");
        }
        return Call.results(LuaNumber.of(Math.floor(chance * (most - least + 1)) + least));
    }
}
