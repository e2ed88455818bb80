package io.tallis.script;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// `string.format`: formats as C's `sprintf` does.
final class Formatter {
    private static final String FLAGS = "-+ #0";
    private static final double TWO_TO_63 = 0x1p63;
    /// A text of so many bytes is copied whole when no precision is asked for.
    private static final int LONG_TEXT = 100;

    private final Call call;
    private final byte[] format;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private int at;
    private int argument = 1;

    private String flags = "";
    private int width;
    private int precision;

    Formatter(Call call) {
        this.call = call;
        format = call.string(1).bytes();
    }

    LuaString format() {
        while (at < format.length) {
            call.machine().step();
            byte letter = format[at++];
            if (letter != '%') {
                out.write(letter);
            } else if (at < format.length && format[at] == '%') {
                out.write('%');
                at++;
            } else {
                readSpecification();
                writeItem();
            }
        }
        return LuaString.of(out.toByteArray());
    }

    private void readSpecification() {
        int start = at;
        while (at - start <= FLAGS.length() && at < format.length && FLAGS.indexOf(format[at]) >= 0) {
            at++;
        }
        if (at - start > FLAGS.length()) {
            throw new LuaError("invalid format (repeated flags)");
        }
        flags = new String(format, start, at - start, StandardCharsets.ISO_8859_1);
        width = readNumber(0);
        precision = -1;
        if (at < format.length && format[at] == '.') {
            at++;
            precision = readNumber(0);
        }
        if (at < format.length && Letters.isDigit(format[at])) {
            throw new LuaError("invalid format (width or precision too long)");
        }
    }

    /// At most two digits.
    private int readNumber(int otherwise) {
        int number = otherwise;
        for (int i = 0; i < 2 && at < format.length && Letters.isDigit(format[at]); i++) {
            number = number * 10 + format[at++] - '0';
        }
        return number;
    }

    private void writeItem() {
        int kind = at < format.length ? format[at++] : 0;
        argument++;
        if (argument > call.count()) {
            throw call.bad(argument, "no value");
        }
        switch (kind) {
            case 'c' -> pad(new byte[] {(byte) call.integer(argument)}, false);
            case 'd', 'i' -> writeInteger(Long.toString(signed()));
            case 'u' -> writeInteger(Long.toUnsignedString(unsigned()));
            case 'o' -> writeInteger(prefixed("0", Long.toOctalString(unsigned())));
            case 'x' -> writeInteger(prefixed("0x", Long.toHexString(unsigned())));
            case 'X' ->
                writeInteger(prefixed("0x", Long.toHexString(unsigned())).toUpperCase(Locale.ROOT));
            case 'e', 'E', 'f', 'g', 'G' -> writeReal(kind, call.number(argument));
            case 'q' -> writeQuoted(call.string(argument).bytes());
            case 's' -> writeString(call.string(argument));
            default -> throw new LuaError("invalid option '%" + (kind == 0 ? "" : (char) kind) + "' to 'format'");
        }
    }

    /// As C on a processor of Intel's: what does not fit becomes the smallest number.
    private long signed() {
        double value = call.number(argument);
        return Math.abs(value) < TWO_TO_63 ? (long) value : Long.MIN_VALUE;
    }

    private long unsigned() {
        double value = call.number(argument);
        if (value < TWO_TO_63 || Double.isNaN(value)) {
            return signed();
        }
        return value < 2 * TWO_TO_63 ? (long) (value - TWO_TO_63) ^ Long.MIN_VALUE : 0;
    }

    private boolean has(char flag) {
        return flags.indexOf(flag) >= 0;
    }

    private String prefixed(String prefix, String digits) {
        return has('#') && !digits.equals("0") ? prefix + digits : digits;
    }

    private void writeInteger(String plain) {
        boolean isNegative = plain.startsWith("-");
        String digits = isNegative ? plain.substring(1) : plain;
        digits = precision == 0 && digits.equals("0") ? "" : digits;
        digits = "0".repeat(Math.max(0, precision - digits.length())) + digits;
        pad((sign(isNegative) + digits).getBytes(StandardCharsets.ISO_8859_1), precision < 0);
    }

    private String sign(boolean isNegative) {
        if (isNegative) {
            return "-";
        }
        if (has('+')) {
            return "+";
        }
        return has(' ') ? " " : "";
    }

    private void writeReal(int kind, double value) {
        int digits = precision < 0 ? 6 : precision;
        call.machine().chargeDigits(value);
        call.machine().charge(8L * digits);
        String text = switch (kind) {
            case 'f' -> NumberText.fixed(value, digits);
            case 'e', 'E' -> NumberText.scientific(value, digits);
            default -> NumberText.general(value, digits, has('#'));
        };
        call.machine().chargeBytes(4L * text.length());
        text = Letters.isUpper(kind) ? text.toUpperCase(Locale.ROOT) : text;
        boolean isNegative = text.startsWith("-");
        text = isNegative ? text : sign(false) + text;
        pad(text.getBytes(StandardCharsets.ISO_8859_1), Double.isFinite(value));
    }

    private void writeString(LuaString text) {
        boolean isWhole = precision < 0 && text.length() >= LONG_TEXT;
        int most = isWhole || precision < 0 ? text.length() : Math.min(precision, text.length());
        LuaString part = text.part(0, most);
        call.machine().chargeBytes(2L * most);
        pad((isWhole ? part : part.beforeZero()).bytes(), false);
    }

    private void pad(byte[] text, boolean mayHaveZeros) {
        int missing = Math.max(0, width - text.length);
        if (has('-')) {
            out.writeBytes(text);
            fill(' ', missing);
        } else if (has('0') && mayHaveZeros) {
            int signs = text.length > 0 && "+- ".indexOf(text[0]) >= 0 ? 1 : 0;
            signs = text.length > 1 && text[0] == '0' && (text[1] | 32) == 'x' ? 2 : signs;
            out.write(text, 0, signs);
            fill('0', missing);
            out.write(text, signs, text.length - signs);
        } else {
            fill(' ', missing);
            out.writeBytes(text);
        }
    }

    private void fill(char letter, int count) {
        for (int i = 0; i < count; i++) {
            out.write(letter);
        }
    }

    private void writeQuoted(byte[] text) {
        call.machine().chargeBytes(4L * text.length);
        out.write('"');
        for (byte letter : text) {
            switch (letter) {
                case '"', '\\', '\n' -> {
                    out.write('\\');
                    out.write(letter);
                }
                case '\r' -> out.writeBytes("\\r".getBytes(StandardCharsets.ISO_8859_1));
                case 0 -> out.writeBytes("\\000".getBytes(StandardCharsets.ISO_8859_1));
                default -> out.write(letter);
            }
        }
        out.write('"');
    }
}
