package io.tallis.command.script;

import io.tallis.command.Reply;
import io.tallis.script.LuaBoolean;
import io.tallis.script.LuaError;
import io.tallis.script.LuaNil;
import io.tallis.script.LuaNumber;
import io.tallis.script.LuaString;
import io.tallis.script.LuaTable;
import io.tallis.script.LuaValue;
import io.tallis.script.Machine;
import io.tallis.script.NumberText;

/// Writes what a script returned as its reply.
///
/// It is looked through first: tables may contain each other, so that a small value is an endless reply. What is
/// written costs steps as what the script itself does.
final class ReplyWriter {
    private static final int MOST_DEPTH = 200;

    private static final LuaString ERR = LuaString.of("err");
    private static final LuaString OK = LuaString.of("ok");
    private static final LuaString DOUBLE = LuaString.of("double");
    private static final LuaString MAP = LuaString.of("map");
    private static final LuaString SET = LuaString.of("set");
    private static final LuaString BIG_NUMBER = LuaString.of("big_number");
    private static final LuaString VERBATIM = LuaString.of("verbatim_string");
    private static final LuaString STRING = LuaString.of("string");

    private ReplyWriter() {}

    /// Takes the steps for writing a value. Afterwards [#write] cannot fail.
    static void charge(LuaValue value, Machine machine) {
        charge(value, machine, 0);
    }

    private static void charge(LuaValue value, Machine machine, int depth) {
        machine.charge(1);
        switch (value) {
            case LuaString string -> machine.chargeBytes(string.length());
            case LuaTable table -> {
                if (depth == MOST_DEPTH) {
                    throw new LuaError(LuaString.of("reached lua stack limit"));
                }
                chargeElements(table, machine, depth + 1);
            }
            default -> {}
        }
    }

    private static void chargeElements(LuaTable table, Machine machine, int depth) {
        for (LuaString name : new LuaString[] {ERR, OK, MAP, SET, BIG_NUMBER, VERBATIM}) {
            LuaValue field = table.get(name);
            if (field instanceof LuaTable elements && (name.equals(MAP) || name.equals(SET))) {
                chargeEntries(elements, machine, depth);
                return;
            }
            if (field instanceof LuaString text) {
                machine.chargeBytes(text.length());
                return;
            }
        }
        if (table.get(DOUBLE) instanceof LuaNumber number) {
            machine.chargeDigits(number.value());
            return;
        }
        for (int i = 1; !table.get(i).isNil(); i++) {
            charge(table.get(i), machine, depth);
        }
    }

    private static void chargeEntries(LuaTable table, Machine machine, int depth) {
        machine.charge(table.places());
        LuaValue key = LuaNil.NIL;
        for (int at = table.next(key); at >= 0; at = table.next(key)) {
            key = table.keyAt(at);
            charge(key, machine, depth);
            charge(table.valueAt(at), machine, depth);
        }
    }

    static void write(LuaValue value, Reply reply) {
        switch (value) {
            case LuaString string -> reply.bulk(string.bytes());
            case LuaNumber number -> reply.integer(integer(number.value()));
            case LuaBoolean bool -> {
                if (bool.isTrue()) {
                    reply.integer(1);
                } else {
                    reply.nil();
                }
            }
            case LuaTable table -> writeTable(table, reply);
            default -> reply.nil();
        }
    }

    /// As C on a processor of Intel's: what does not fit becomes the smallest number.
    private static long integer(double value) {
        return value < 0x1p63 ? (long) value : Long.MIN_VALUE;
    }

    private static void writeTable(LuaTable table, Reply reply) {
        if (table.get(ERR) instanceof LuaString text) {
            reply.error(text.beforeZero().toString());
        } else if (table.get(OK) instanceof LuaString text) {
            reply.status(oneLine(text));
        } else if (table.get(DOUBLE) instanceof LuaNumber number) {
            reply.bulk(NumberText.ofDouble(number.value()));
        } else if (table.get(MAP) instanceof LuaTable map) {
            writeMap(map, reply);
        } else if (table.get(SET) instanceof LuaTable set) {
            writeSet(set, reply);
        } else if (table.get(BIG_NUMBER) instanceof LuaString digits) {
            reply.bulk(digits.bytes());
        } else if (table.get(VERBATIM) instanceof LuaTable text && text.get(STRING) instanceof LuaString string) {
            reply.bulk(string.bytes());
        } else {
            writeArray(table, reply);
        }
    }

    private static String oneLine(LuaString text) {
        return text.beforeZero().toString().replace('\r', ' ').replace('\n', ' ');
    }

    private static void writeArray(LuaTable table, Reply reply) {
        int count = 0;
        while (!table.get(count + 1).isNil()) {
            count++;
        }
        reply.array(count);
        for (int i = 1; i <= count; i++) {
            write(table.get(i), reply);
        }
    }

    private static int entries(LuaTable table) {
        int count = 0;
        LuaValue key = LuaNil.NIL;
        for (int at = table.next(key); at >= 0; at = table.next(key)) {
            key = table.keyAt(at);
            count++;
        }
        return count;
    }

    private static void writeMap(LuaTable table, Reply reply) {
        reply.map(entries(table));
        LuaValue key = LuaNil.NIL;
        for (int at = table.next(key); at >= 0; at = table.next(key)) {
            key = table.keyAt(at);
            write(key, reply);
            write(table.valueAt(at), reply);
        }
    }

    private static void writeSet(LuaTable table, Reply reply) {
        reply.set(entries(table));
        LuaValue key = LuaNil.NIL;
        for (int at = table.next(key); at >= 0; at = table.next(key)) {
            key = table.keyAt(at);
            write(key, reply);
        }
    }
}
