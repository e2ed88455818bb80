package io.tallis.script;

/// A value that scripts can only compare and pass on, as C's pointers are to Lua.
public enum LuaToken implements LuaValue {
    /// `cjson.null`.
    JSON_NULL;

    @Override
    public String typeName() {
        return "userdata";
    }
}
