package io.tallis.script;

/// A function written in Lua, with the variables of outer functions that it uses.
final class LuaClosure extends LuaFunction {
    final Prototype prototype;
    final UpValue[] upValues;

    LuaClosure(Prototype prototype, UpValue[] upValues) {
        this.prototype = prototype;
        this.upValues = upValues;
    }
}
