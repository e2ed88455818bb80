package io.tallis.script;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.Arrays;

/// The basic functions of Lua, as far as Redis gives them to scripts.
final class BaseLibrary {
    /// The most values that `unpack` returns.
    private static final int MOST_UNPACKED = 7_999;

    /// More of the name of a chunk is not shown.
    private static final int MOST_NAME = 256;

    private static final Builtin NEXT = new Builtin("next", BaseLibrary::next);
    private static final Builtin NEXT_INDEX = new Builtin("ipairs", BaseLibrary::nextIndex);

    private BaseLibrary() {}

    static void addTo(LuaTable globals) {
        add(globals, "assert", BaseLibrary::check);
        add(globals, "collectgarbage", BaseLibrary::collectGarbage);
        add(globals, "error", BaseLibrary::error);
        add(globals, "gcinfo", _ -> Call.results(LuaNumber.of(0)));
        add(globals, "getmetatable", BaseLibrary::getMetatable);
        add(globals, "ipairs", call -> Call.results(NEXT_INDEX, call.table(1), LuaNumber.of(0)));
        add(globals, "load", BaseLibrary::load);
        add(globals, "loadstring", call -> load(call, call.string(1), call.string(1)));
        globals.with("next", NEXT);
        add(globals, "pairs", call -> Call.results(NEXT, call.table(1), LuaNil.NIL));
        add(globals, "pcall", BaseLibrary::protectedCall);
        add(globals, "rawequal", call -> {
            call.machine().chargeKey(call.any(1));
            return Call.results(LuaBoolean.of(call.any(1).equals(call.any(2))));
        });
        add(globals, "rawget", call -> {
            call.machine().chargeKey(call.any(2));
            return Call.results(call.table(1).get(call.any(2)));
        });
        add(globals, "rawset", BaseLibrary::rawSet);
        add(globals, "select", BaseLibrary::select);
        add(globals, "setmetatable", BaseLibrary::setMetatable);
        add(globals, "tonumber", BaseLibrary::toNumber);
        add(globals, "tostring", call -> Call.results(call.machine().string(call.any(1))));
        add(globals, "type", call -> Call.results(LuaString.of(call.any(1).typeName())));
        add(globals, "unpack", BaseLibrary::unpack);
        add(globals, "xpcall", BaseLibrary::handledCall);
        globals.with("_VERSION", LuaString.of("Lua 5.1"));
    }

    static void add(LuaTable table, String name, Builtin.Body body) {
        table.with(name, new Builtin(name, body));
    }

    private static LuaValue[] check(Call call) {
        if (call.any(1).isTrue()) {
            return call.arguments();
        }
        throw LuaError.positioned(call.has(2) ? call.string(2) : LuaString.of("assertion failed!"));
    }

    private static LuaValue[] collectGarbage(Call call) {
        return Call.results(LuaNumber.of(0));
    }

    private static LuaValue[] error(Call call) {
        long level = call.integer(2, 1);
        LuaValue value = call.value(1);
        if (value instanceof LuaNumber number) {
            call.machine().chargeDigits(number.value());
        }
        if (level == 1) {
            throw LuaError.positioned(value);
        }
        boolean isPlaced = value instanceof LuaString && level > 1 && level <= Integer.MAX_VALUE;
        throw new LuaError(isPlaced ? LuaError.preceded(call.machine().where((int) level), value) : value);
    }

    private static LuaValue[] getMetatable(Call call) {
        LuaTable metatable = call.machine().metatable(call.any(1));
        if (metatable == null) {
            return Call.results(LuaNil.NIL);
        }
        LuaValue shown = metatable.get(Names.METATABLE);
        return Call.results(shown.isNil() ? metatable : shown);
    }

    private static LuaValue[] setMetatable(Call call) {
        LuaTable table = call.table(1);
        if (call.count() < 2 || !(call.has(2) || call.value(2).isNil()) || notTableNorNil(call.value(2))) {
            throw call.bad(2, "nil or table expected");
        }
        LuaTable before = table.metatable();
        if (before != null && !before.get(Names.METATABLE).isNil()) {
            throw new LuaError("cannot change a protected metatable");
        }
        if (table.isReadOnly()) {
            throw LuaError.ofInstruction("Attempt to modify a readonly table");
        }
        table.metatable(call.value(2) instanceof LuaTable metatable ? metatable : null);
        return Call.results(table);
    }

    private static boolean notTableNorNil(LuaValue value) {
        return !(value instanceof LuaTable) && !value.isNil();
    }

    private static LuaValue[] load(Call call) {
        LuaFunction reader = call.function(1);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        while (true) {
            LuaValue[] pieces = call.machine().call(reader);
            LuaValue piece = pieces.length == 0 ? LuaNil.NIL : pieces[0];
            if (piece.isNil()) {
                break;
            }
            if (!(piece instanceof LuaString string)) {
                return Call.results(LuaNil.NIL, LuaString.of("reader function must return a string"));
            }
            if (string.length() == 0) {
                break;
            }
            call.machine().chargeBytes(string.length());
            text.writeBytes(string.bytes());
        }
        return load(call, LuaString.of(text.toByteArray()), LuaString.of("=(load)"));
    }

    private static LuaValue[] load(Call call, LuaString text, LuaString defaultName) {
        LuaString name = call.count() >= 2 && call.has(2) ? call.string(2) : defaultName;
        if (text.length() > 0 && text.bytes()[0] == 27) {
            return Call.results(LuaNil.NIL, LuaString.of("attempt to load chunk with wrong mode"));
        }
        // A letter may become an instruction with its notes, and an empty text becomes a function too.
        call.machine().chargeBytes(1024 + 32L * text.length());
        try {
            Prototype prototype = Parser.compile(
                    text.bytes(),
                    shownName(name.part(0, Math.min(name.length(), MOST_NAME)).toString()));
            return Call.results(new LuaClosure(prototype, new UpValue[0]));
        } catch (LuaError error) {
            return Call.results(LuaNil.NIL, error.value());
        }
    }

    /// How messages name a chunk.
    static String shownName(String name) {
        if (name.startsWith("=") || name.startsWith("@")) {
            return name.substring(1, Math.min(name.length(), 60));
        }
        int end = name.indexOf('\n');
        int length = Math.min(end < 0 ? name.length() : end, 44);
        return "[string \"" + name.substring(0, length) + (length < name.length() ? "..." : "") + "\"]";
    }

    private static LuaValue[] next(Call call) {
        LuaTable table = call.table(1);
        call.machine().chargeKey(call.value(2));
        int position = table.next(call.value(2));
        if (position == -2) {
            throw LuaError.ofInstruction("invalid key to 'next'");
        }
        call.machine().charge(table.skipped() / 4);
        return position < 0 ? Call.results(LuaNil.NIL) : Call.results(table.keyAt(position), table.valueAt(position));
    }

    private static LuaValue[] nextIndex(Call call) {
        int index = (int) call.integer(2) + 1;
        LuaValue value = call.table(1).get(index);
        return value.isNil() ? Call.results(LuaNil.NIL) : Call.results(LuaNumber.of(index), value);
    }

    private static LuaValue[] rawSet(Call call) {
        call.machine().rawSet(call.table(1), call.any(2), call.any(3));
        return Call.results(call.value(1));
    }

    private static LuaValue[] select(Call call) {
        if (call.value(1) instanceof LuaString string && string.length() > 0 && string.bytes()[0] == '#') {
            return Call.results(LuaNumber.of(call.count() - 1));
        }
        long from = call.integer(1);
        long start = from < 0 ? call.count() + from : from;
        if (start < 1) {
            throw call.bad(1, "index out of range");
        }
        return start >= call.count() ? LuaValue.NONE : Arrays.copyOfRange(call.arguments(), (int) start, call.count());
    }

    private static LuaValue[] toNumber(Call call) {
        long base = call.integer(2, 10);
        if (base == 10) {
            return Call.results(call.machine().toNumber(call.any(1)));
        }
        LuaString text = call.string(1);
        if (base < 2 || base > 36) {
            throw call.bad(2, "base out of range");
        }
        call.machine().chargeBytes(text.length());
        String digits = text.length() > NumberText.MOST_BYTES
                ? ""
                : text.beforeZero().toString().strip();
        return Call.results(parse(digits, (int) base));
    }

    private static LuaValue parse(String text, int base) {
        boolean isNegative = text.startsWith("-");
        String digits = isNegative || text.startsWith("+") ? text.substring(1) : text;
        digits = base == 16 && (digits.startsWith("0x") || digits.startsWith("0X")) ? digits.substring(2) : digits;
        if (digits.isEmpty() || !digits.chars().allMatch(letter -> isDigit(letter, base))) {
            return LuaNil.NIL;
        }
        BigInteger value = new BigInteger(digits, base);
        if (value.bitLength() > Long.SIZE) {
            return LuaNumber.of(0x1p64);
        }
        // Lua 5.1 parses an unsigned number, so a negative one wraps around.
        boolean wraps = isNegative && value.signum() > 0;
        return LuaNumber.of((wraps ? BigInteger.TWO.pow(Long.SIZE).subtract(value) : value).doubleValue());
    }

    private static boolean isDigit(int letter, int base) {
        int digit = Letters.digit(letter);
        return digit >= 0 && digit < base;
    }

    private static LuaValue[] unpack(Call call) {
        LuaTable table = call.table(1);
        long from = call.integer(2, 1);
        long to = call.has(3) ? call.integer(3) : table.length();
        if (from > to) {
            return LuaValue.NONE;
        }
        if (to - from < 0 || to - from >= MOST_UNPACKED) {
            throw new LuaError("too many results to unpack");
        }
        LuaValue[] values = new LuaValue[(int) (to - from + 1)];
        call.machine().charge(values.length);
        for (int i = 0; i < values.length; i++) {
            values[i] = table.get(LuaNumber.of((double) from + i));
        }
        return values;
    }

    private static LuaValue[] protectedCall(Call call) {
        LuaValue function = call.any(1);
        LuaValue[] arguments = Arrays.copyOfRange(call.arguments(), 1, call.count());
        Machine.Outcome outcome = call.machine().protectedCall(function, arguments);
        LuaError error = outcome.error();
        if (error == null) {
            return preceded(LuaBoolean.TRUE, outcome.results());
        }
        // As in Redis: an error reply becomes its text.
        LuaValue text = RedisLibrary.errorOf(error.value());
        return Call.results(LuaBoolean.FALSE, text.isNil() ? error.value() : text);
    }

    static LuaValue[] outcome(Machine.Outcome outcome) {
        LuaError error = outcome.error();
        return error != null
                ? Call.results(LuaBoolean.FALSE, error.value())
                : preceded(LuaBoolean.TRUE, outcome.results());
    }

    static LuaValue[] preceded(LuaValue first, LuaValue[] rest) {
        LuaValue[] all = new LuaValue[rest.length + 1];
        all[0] = first;
        System.arraycopy(rest, 0, all, 1, rest.length);
        return all;
    }

    private static LuaValue[] handledCall(Call call) {
        LuaValue handler = call.any(2);
        Machine.Outcome outcome = call.machine().protectedCall(call.any(1));
        LuaError error = outcome.error();
        if (error == null) {
            return preceded(LuaBoolean.TRUE, outcome.results());
        }
        Machine.Outcome handled = call.machine().protectedCall(handler, error.value());
        return preceded(LuaBoolean.FALSE, handled.error() == null ? handled.results() : LuaValue.NONE);
    }
}
