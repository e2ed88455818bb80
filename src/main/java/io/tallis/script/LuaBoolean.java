package io.tallis.script;

/// The values `true` and `false`.
public enum LuaBoolean implements LuaValue {
    FALSE,
    TRUE;

    public static LuaBoolean of(boolean value) {
        return value ? TRUE : FALSE;
    }

    @Override
    public String typeName() {
        return "boolean";
    }

    @Override
    public boolean isTrue() {
        return this == TRUE;
    }
}
