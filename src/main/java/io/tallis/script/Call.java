package io.tallis.script;

/// A call of a [Builtin]: its arguments, with the checks and messages of Lua. Arguments are numbered from 1.
public final class Call {
    private final Machine machine;
    private final String function;
    private final LuaValue[] arguments;

    Call(Machine machine, String function, LuaValue[] arguments) {
        this.machine = machine;
        this.function = function;
        this.arguments = arguments;
    }

    public Machine machine() {
        return machine;
    }

    public int count() {
        return arguments.length;
    }

    public LuaValue[] arguments() {
        return arguments;
    }

    /// The argument, or nil.
    public LuaValue value(int number) {
        return number <= arguments.length ? arguments[number - 1] : LuaNil.NIL;
    }

    public boolean has(int number) {
        return !value(number).isNil();
    }

    LuaValue any(int number) {
        if (number > arguments.length) {
            throw bad(number, "value expected");
        }
        return arguments[number - 1];
    }

    public LuaString string(int number) {
        LuaValue value = value(number);
        if (value instanceof LuaString string) {
            return string;
        }
        if (value instanceof LuaNumber) {
            return machine.text(value);
        }
        throw wrongType(number, "string");
    }

    public double number(int number) {
        if (value(number) instanceof LuaNumber value) {
            return value.value();
        }
        if (machine.toNumber(value(number)) instanceof LuaNumber value) {
            return value.value();
        }
        throw wrongType(number, "number");
    }

    public long integer(int number) {
        return (long) number(number);
    }

    long integer(int number, long otherwise) {
        return has(number) ? integer(number) : otherwise;
    }

    public LuaTable table(int number) {
        if (value(number) instanceof LuaTable table) {
            return table;
        }
        throw wrongType(number, "table");
    }

    LuaFunction function(int number) {
        if (value(number) instanceof LuaFunction value) {
            return value;
        }
        throw wrongType(number, "function");
    }

    LuaFunction luaFunction(int number) {
        if (value(number) instanceof LuaClosure value) {
            return value;
        }
        throw bad(number, "Lua function expected");
    }

    LuaError wrongType(int number, String expected) {
        String got = number <= arguments.length ? value(number).typeName() : "no value";
        return bad(number, expected + " expected, got " + got);
    }

    public LuaError bad(int number, String message) {
        return new LuaError("bad argument #" + number + " to '" + function + "' (" + message + ")");
    }

    static LuaValue[] results(LuaValue... values) {
        return values;
    }
}
