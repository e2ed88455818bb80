package io.tallis.script;

/// The value `nil`.
public enum LuaNil implements LuaValue {
    NIL;

    @Override
    public String typeName() {
        return "nil";
    }

    @Override
    public boolean isTrue() {
        return false;
    }

    @Override
    public boolean isNil() {
        return true;
    }
}
