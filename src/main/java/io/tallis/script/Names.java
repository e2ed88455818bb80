package io.tallis.script;

/// Names that the machine itself looks up.
final class Names {
    static final LuaString INDEX = LuaString.of("__index");
    static final LuaString NEW_INDEX = LuaString.of("__newindex");
    static final LuaString CALL = LuaString.of("__call");
    static final LuaString EQUAL = LuaString.of("__eq");
    static final LuaString LESS = LuaString.of("__lt");
    static final LuaString LESS_EQUAL = LuaString.of("__le");
    static final LuaString CONCAT = LuaString.of("__concat");
    static final LuaString NEGATE = LuaString.of("__unm");
    static final LuaString LENGTH = LuaString.of("__len");
    static final LuaString TO_STRING = LuaString.of("__tostring");
    static final LuaString METATABLE = LuaString.of("__metatable");

    /// By instruction, from [Op#ADD] on.
    private static final LuaString[] ARITHMETIC = {
        LuaString.of("__add"),
        LuaString.of("__sub"),
        LuaString.of("__mul"),
        LuaString.of("__div"),
        LuaString.of("__mod"),
        LuaString.of("__pow")
    };

    private Names() {}

    static LuaString arithmetic(int op) {
        return ARITHMETIC[op - Op.ADD];
    }
}
