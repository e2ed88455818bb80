package io.tallis.script;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/// `string`
final class StringLibrary {
    private static final String SPECIALS = "^$*+?.([%-";

    private StringLibrary() {}

    static LuaTable make() {
        LuaTable library = new LuaTable();
        BaseLibrary.add(library, "byte", StringLibrary::bytes);
        BaseLibrary.add(library, "char", StringLibrary::letters);
        BaseLibrary.add(library, "dump", _ -> {
            throw new LuaError("unable to dump given function");
        });
        BaseLibrary.add(library, "find", call -> find(call, true));
        BaseLibrary.add(library, "format", call -> Call.results(new Formatter(call).format()));
        BaseLibrary.add(library, "gfind", _ -> {
            throw new LuaError("'string.gfind' was renamed to 'string.gmatch'");
        });
        BaseLibrary.add(library, "gmatch", StringLibrary::matches);
        BaseLibrary.add(library, "gsub", StringLibrary::replace);
        BaseLibrary.add(
                library, "len", call -> Call.results(LuaNumber.of(call.string(1).length())));
        BaseLibrary.add(library, "lower", StringLibrary::lower);
        BaseLibrary.add(library, "match", call -> find(call, false));
        BaseLibrary.add(library, "rep", StringLibrary::repeat);
        BaseLibrary.add(library, "reverse", StringLibrary::reverse);
        BaseLibrary.add(library, "sub", StringLibrary::part);
        BaseLibrary.add(library, "upper", StringLibrary::upper);
        return library;
    }

    /// A position from the end becomes one from the start.
    private static long position(long position, int length) {
        return position >= 0 ? position : Math.max(0, position + length + 1);
    }

    private static LuaValue[] part(Call call) {
        LuaString text = call.string(1);
        long from = Math.max(1, position(call.integer(2), text.length()));
        long to = Math.min(text.length(), position(call.integer(3, -1), text.length()));
        if (from > to) {
            return Call.results(LuaString.EMPTY);
        }
        call.machine().chargeBytes(to - from);
        return Call.results(text.part((int) from - 1, (int) to));
    }

    private static LuaValue[] bytes(Call call) {
        LuaString text = call.string(1);
        long first = call.integer(2, 1);
        long from = Math.max(1, position(first, text.length()));
        long to = Math.min(text.length(), position(call.integer(3, position(first, text.length())), text.length()));
        if (from > to) {
            return LuaValue.NONE;
        }
        call.machine().charge(to - from);
        LuaValue[] values = new LuaValue[(int) (to - from + 1)];
        for (int i = 0; i < values.length; i++) {
            values[i] = LuaNumber.of(text.bytes()[(int) from - 1 + i] & 0xFF);
        }
        return values;
    }

    private static LuaValue[] letters(Call call) {
        byte[] text = new byte[call.count()];
        for (int i = 0; i < text.length; i++) {
            long code = call.integer(i + 1);
            if (code < 0 || code > 255) {
                throw call.bad(i + 1, "invalid value");
            }
            text[i] = (byte) code;
        }
        return Call.results(LuaString.of(text));
    }

    private static LuaValue[] lower(Call call) {
        LuaString text = call.string(1);
        call.machine().chargeBytes(text.length());
        byte[] bytes = text.bytes().clone();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = Letters.lower(bytes[i]);
        }
        return Call.results(LuaString.of(bytes));
    }

    private static LuaValue[] upper(Call call) {
        LuaString text = call.string(1);
        call.machine().chargeBytes(text.length());
        byte[] bytes = text.bytes().clone();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = Letters.upper(bytes[i]);
        }
        return Call.results(LuaString.of(bytes));
    }

    private static LuaValue[] reverse(Call call) {
        LuaString text = call.string(1);
        call.machine().chargeBytes(text.length());
        byte[] bytes = new byte[text.length()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = text.bytes()[bytes.length - 1 - i];
        }
        return Call.results(LuaString.of(bytes));
    }

    private static LuaValue[] repeat(Call call) {
        LuaString text = call.string(1);
        long times = call.integer(2);
        if (times <= 0 || text.length() == 0) {
            return Call.results(LuaString.EMPTY);
        }
        long length = Math.min(times, Integer.MAX_VALUE) * text.length();
        call.machine().chargeBytes(length);
        byte[] bytes = new byte[(int) length];
        for (int at = 0; at < bytes.length; at += text.length()) {
            System.arraycopy(text.bytes(), 0, bytes, at, text.length());
        }
        return Call.results(LuaString.of(bytes));
    }

    private static LuaValue[] find(Call call, boolean wantsPositions) {
        LuaString source = call.string(1);
        LuaString pattern = call.string(2);
        long start = position(call.integer(3, 1), source.length()) - 1;
        int from = Math.clamp(start, 0, source.length());
        if (wantsPositions && (call.value(4).isTrue() || isPlain(call, pattern))) {
            return findPlain(call, source.bytes(), pattern.bytes(), from);
        }
        boolean isAnchored = pattern.length() > 0 && pattern.bytes()[0] == '^';
        Pattern matcher = new Pattern(call.machine(), source.bytes(), pattern.bytes());
        for (int at = from; at <= source.length(); at++) {
            int end = matcher.matchAt(at, isAnchored ? 1 : 0);
            if (end >= 0) {
                return wantsPositions ? positions(matcher, at, end) : matcher.all(at, end, true);
            }
            if (isAnchored) {
                break;
            }
        }
        return Call.results(LuaNil.NIL);
    }

    private static LuaValue[] positions(Pattern matcher, int start, int end) {
        LuaValue[] captures = matcher.all(start, end, false);
        return BaseLibrary.preceded(LuaNumber.of(start + 1), BaseLibrary.preceded(LuaNumber.of(end), captures));
    }

    private static boolean isPlain(Call call, LuaString pattern) {
        call.machine().charge(pattern.length() / 4);
        for (byte letter : pattern.bytes()) {
            if (SPECIALS.indexOf(letter) >= 0) {
                return false;
            }
        }
        return true;
    }

    private static LuaValue[] findPlain(Call call, byte[] source, byte[] wanted, int from) {
        for (int at = from; at + wanted.length <= source.length; at++) {
            call.machine().step();
            int mismatch = Arrays.mismatch(source, at, at + wanted.length, wanted, 0, wanted.length);
            call.machine().chargeBytes(mismatch < 0 ? wanted.length : mismatch);
            if (mismatch < 0) {
                return Call.results(LuaNumber.of(at + 1), LuaNumber.of(at + wanted.length));
            }
        }
        return Call.results(LuaNil.NIL);
    }

    private static LuaValue[] matches(Call call) {
        LuaString source = call.string(1);
        LuaString pattern = call.string(2);
        int[] next = {0};
        return Call.results(new Builtin("gmatch", inner -> {
            Pattern matcher = new Pattern(inner.machine(), source.bytes(), pattern.bytes());
            for (int at = next[0]; at <= source.length(); at++) {
                int end = matcher.matchAt(at, 0);
                if (end >= 0) {
                    next[0] = end == at ? end + 1 : end;
                    return matcher.all(at, end, true);
                }
            }
            next[0] = source.length() + 1;
            return Call.results(LuaNil.NIL);
        }));
    }

    private static LuaValue[] replace(Call call) {
        LuaString source = call.string(1);
        LuaString pattern = call.string(2);
        LuaValue by = call.value(3);
        boolean isValid = by instanceof LuaString
                || by instanceof LuaNumber
                || by instanceof LuaTable
                || by instanceof LuaFunction;
        if (!isValid) {
            throw call.bad(3, "string/function/table expected");
        }
        long most = call.integer(4, source.length() + 1L);
        boolean isAnchored = pattern.length() > 0 && pattern.bytes()[0] == '^';
        Pattern matcher = new Pattern(call.machine(), source.bytes(), pattern.bytes());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int at = 0;
        int count = 0;
        while (count < most) {
            int end = matcher.matchAt(at, isAnchored ? 1 : 0);
            if (end >= 0) {
                count++;
                append(call, replacement(call, matcher, by, at, end), out);
            }
            if (end > at) {
                at = end;
            } else if (at < source.length()) {
                call.machine().step();
                out.write(source.bytes()[at++]);
            } else {
                break;
            }
            if (isAnchored) {
                break;
            }
        }
        if (at < source.length()) {
            call.machine().chargeBytes(source.length());
            out.write(source.bytes(), at, source.length() - at);
        }
        return Call.results(LuaString.of(out.toByteArray()), LuaNumber.of(count));
    }

    private static void append(Call call, LuaString text, ByteArrayOutputStream out) {
        call.machine().chargeBytes(2L * text.length());
        out.writeBytes(text.bytes());
    }

    private static LuaString replacement(Call call, Pattern matcher, LuaValue by, int start, int end) {
        LuaValue value;
        switch (by) {
            case LuaTable table -> value = call.machine().index(table, matcher.capture(0, start, end), null);
            case LuaFunction function -> {
                LuaValue[] results = call.machine().call(function, matcher.all(start, end, true));
                value = results.length == 0 ? LuaNil.NIL : results[0];
            }
            default -> {
                return expanded(call, matcher, call.machine().text(by).bytes(), start, end);
            }
        }
        if (!value.isTrue()) {
            return call.string(1).part(start, end);
        }
        if (value instanceof LuaString || value instanceof LuaNumber) {
            return call.machine().text(value);
        }
        throw new LuaError("invalid replacement value (a " + value.typeName() + ")");
    }

    private static LuaString expanded(Call call, Pattern matcher, byte[] by, int start, int end) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int at = 0;
        while (at < by.length) {
            call.machine().step();
            byte first = by[at++];
            if (first != '%') {
                out.write(first);
                continue;
            }
            int letter = at < by.length ? by[at++] : 0;
            if (!Letters.isDigit(letter)) {
                out.write(letter);
            } else if (letter == '0') {
                append(call, call.string(1).part(start, end), out);
            } else {
                append(call, call.machine().text(matcher.capture(letter - '1', start, end)), out);
            }
        }
        return LuaString.of(out.toByteArray());
    }
}
