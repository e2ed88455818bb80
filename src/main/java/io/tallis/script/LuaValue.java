package io.tallis.script;

/// A value of Lua 5.1. Immutable, except tables and coroutines.
public sealed interface LuaValue
        permits LuaNil, LuaBoolean, LuaNumber, LuaString, LuaTable, LuaFunction, LuaThread, LuaToken {
    LuaValue[] NONE = {};

    /// The name of its type in Lua.
    String typeName();

    /// Whether it counts as true in a condition: all but `nil` and `false` do.
    default boolean isTrue() {
        return true;
    }

    default boolean isNil() {
        return false;
    }
}
