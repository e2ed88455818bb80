package io.tallis.script;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;

/// Numbers as text, as C reads and writes them.
public final class NumberText {
    /// The digits of a number that becomes a string.
    private static final int DIGITS = 14;

    /// Those that tell every double from any other.
    private static final int DIGITS_OF_DOUBLE = 17;

    /// A whole number below this has no exponent.
    private static final double PLAIN = 1e14;

    /// A longer text is no number. So parsing takes no long time.
    static final int MOST_BYTES = 512;

    private NumberText() {}

    /// `%.14g`
    public static String of(double value) {
        return value == (long) value && Math.abs(value) < PLAIN && (value != 0 || 1 / value > 0)
                ? Long.toString((long) value)
                : general(value, DIGITS, false);
    }

    /// `%.17g`, by which replies have floating-point numbers.
    public static String ofDouble(double value) {
        return general(value, DIGITS_OF_DOUBLE, false);
    }

    private static String special(double value) {
        if (Double.isNaN(value)) {
            return "-nan";
        }
        return value > 0 ? "inf" : "-inf";
    }

    /// `%.<precision>f`
    static String fixed(double value, int precision) {
        if (!Double.isFinite(value)) {
            return special(value);
        }
        String digits = new BigDecimal(Math.abs(value))
                .setScale(precision, RoundingMode.HALF_EVEN)
                .toPlainString();
        return isNegative(value) ? "-" + digits : digits;
    }

    /// `%.<precision>e`
    static String scientific(double value, int precision) {
        if (!Double.isFinite(value)) {
            return special(value);
        }
        BigDecimal rounded =
                new BigDecimal(Math.abs(value)).round(new MathContext(precision + 1, RoundingMode.HALF_EVEN));
        String digits = rounded.unscaledValue().toString();
        int exponent = rounded.signum() == 0 ? 0 : digits.length() - 1 - rounded.scale();
        digits = rounded.signum() == 0 ? "0".repeat(precision + 1) : digits + "0".repeat(Math.max(0, precision + 1));
        digits = digits.substring(0, precision + 1);
        String text = digits.charAt(0) + (precision > 0 ? "." + digits.substring(1) : "") + exponentOf(exponent);
        return isNegative(value) ? "-" + text : text;
    }

    private static String exponentOf(int exponent) {
        int size = Math.abs(exponent);
        return (exponent < 0 ? "e-" : "e+") + (size < 10 ? "0" : "") + size;
    }

    /// `%.<precision>g`, or `%#.<precision>g`, which keeps zeros at the end.
    static String general(double value, int precision, boolean keepZeros) {
        if (!Double.isFinite(value)) {
            return special(value);
        }
        int digits = Math.max(1, precision);
        BigDecimal rounded = new BigDecimal(Math.abs(value)).round(new MathContext(digits, RoundingMode.HALF_EVEN));
        int exponent = rounded.signum() == 0 ? 0 : rounded.precision() - 1 - rounded.scale();
        if (exponent >= -4 && exponent < digits) {
            String text = rounded.setScale(digits - 1 - exponent, RoundingMode.HALF_EVEN)
                    .toPlainString();
            text = keepZeros ? text : withoutZeros(text);
            return isNegative(value) ? "-" + text : text;
        }
        String text = scientific(value, digits - 1);
        int mark = text.indexOf('e');
        return keepZeros ? text : withoutZeros(text.substring(0, mark)) + text.substring(mark);
    }

    private static String withoutZeros(String text) {
        if (text.indexOf('.') < 0) {
            return text;
        }
        int end = text.length();
        while (text.charAt(end - 1) == '0') {
            end--;
        }
        return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
    }

    private static boolean isNegative(double value) {
        return value < 0 || (value == 0 && 1 / value < 0);
    }

    /// The number that a string stands for, white space around it allowed; nil if it is none.
    public static LuaValue parse(LuaString string) {
        if (string.length() > MOST_BYTES) {
            return LuaNil.NIL;
        }
        byte[] bytes = string.beforeZero().bytes();
        int from = 0;
        int to = bytes.length;
        while (from < to && Letters.isSpace(bytes[from])) {
            from++;
        }
        while (to > from && Letters.isSpace(bytes[to - 1])) {
            to--;
        }
        if (from == to) {
            return LuaNil.NIL;
        }
        return parse(bytes, from, to);
    }

    private static LuaValue parse(byte[] bytes, int from, int to) {
        if (to - from <= 9) {
            int value = 0;
            int at = from;
            while (at < to && Letters.isDigit(bytes[at])) {
                value = value * 10 + bytes[at++] - '0';
            }
            if (at == to) {
                return LuaNumber.of(value);
            }
        }
        String text = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
        int sign = text.charAt(0) == '-' || text.charAt(0) == '+' ? 1 : 0;
        double size = unsigned(text.substring(sign));
        return Double.isNaN(size) ? nanOrNil(text.substring(sign)) : LuaNumber.of(text.charAt(0) == '-' ? -size : size);
    }

    private static LuaValue nanOrNil(String text) {
        return text.equalsIgnoreCase("nan") ? LuaNumber.of(Double.NaN) : LuaNil.NIL;
    }

    private static double unsigned(String text) {
        if (text.equalsIgnoreCase("inf") || text.equalsIgnoreCase("infinity")) {
            return Double.POSITIVE_INFINITY;
        }
        if (text.startsWith("0x") || text.startsWith("0X")) {
            return hexadecimal(text);
        }
        if (text.isEmpty() || !(Letters.isDigit(text.charAt(0)) || text.charAt(0) == '.')) {
            return Double.NaN;
        }
        // Java takes a type behind the digits, C does not.
        char last = text.charAt(text.length() - 1);
        if (!Letters.isDigit(last) && last != '.') {
            return Double.NaN;
        }
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException _) {
            return Double.NaN;
        }
    }

    private static double hexadecimal(String text) {
        double value = 0;
        if (text.length() == 2) {
            return Double.NaN;
        }
        for (int i = 2; i < text.length(); i++) {
            int digit = Letters.digit(text.charAt(i));
            if (digit < 0 || digit > 15) {
                return Double.NaN;
            }
            value = value * 16 + digit;
        }
        return value;
    }
}
