package io.tallis.script;

/// A function, which is written in Lua or in Java.
public abstract sealed class LuaFunction implements LuaValue permits LuaClosure, Builtin {
    @Override
    public final String typeName() {
        return "function";
    }
}
