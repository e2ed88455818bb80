package io.tallis.script;

import java.util.Locale;
import java.util.function.LongBinaryOperator;

/// `bit`: operations on 32 bits.
final class BitLibrary {
    /// Added to a double, it leaves the lowest bits of the whole part in the mantissa.
    private static final double MAGIC = 6755399441055744.0;

    private static final int MOST_DIGITS = 8;

    private BitLibrary() {}

    static LuaTable make() {
        LuaTable library = new LuaTable();
        BaseLibrary.add(library, "tobit", call -> result(bits(call, 1)));
        BaseLibrary.add(library, "bnot", call -> result(~bits(call, 1)));
        BaseLibrary.add(library, "bswap", call -> result(Integer.reverseBytes(bits(call, 1))));
        BaseLibrary.add(library, "tohex", BitLibrary::hexadecimal);
        fold(library, "band", (left, right) -> left & right);
        fold(library, "bor", (left, right) -> left | right);
        fold(library, "bxor", (left, right) -> left ^ right);
        shift(library, "lshift", (value, by) -> (int) value << by);
        shift(library, "rshift", (value, by) -> (int) value >>> by);
        shift(library, "arshift", (value, by) -> (int) value >> by);
        shift(library, "rol", (value, by) -> Integer.rotateLeft((int) value, (int) by));
        shift(library, "ror", (value, by) -> Integer.rotateRight((int) value, (int) by));
        return library;
    }

    private static int bits(Call call, int number) {
        return (int) Double.doubleToRawLongBits(call.number(number) + MAGIC);
    }

    private static LuaValue[] result(int value) {
        return Call.results(LuaNumber.of(value));
    }

    private static void fold(LuaTable library, String name, LongBinaryOperator operator) {
        BaseLibrary.add(library, name, call -> {
            int value = bits(call, 1);
            for (int i = 2; i <= call.count(); i++) {
                value = (int) operator.applyAsLong(value, bits(call, i));
            }
            return result(value);
        });
    }

    private static void shift(LuaTable library, String name, LongBinaryOperator operator) {
        BaseLibrary.add(library, name, call -> result((int) operator.applyAsLong(bits(call, 1), bits(call, 2) & 31)));
    }

    private static LuaValue[] hexadecimal(Call call) {
        int value = bits(call, 1);
        int wanted = call.has(2) ? bits(call, 2) : MOST_DIGITS;
        int digits = (int) Math.min(Math.abs((long) wanted), MOST_DIGITS);
        String text = String.format("%08x", value).substring(MOST_DIGITS - digits);
        return Call.results(LuaString.of(wanted < 0 ? text.toUpperCase(Locale.ROOT) : text));
    }
}
