package io.tallis.script;

/// The instructions of the virtual machine, a stack machine. `a` and `b` are their operands; local variables are the
/// lowest slots of a function's stack.
final class Op {
    /// Pushes `a` times nil.
    static final int NIL = 0;
    static final int TRUE = 1;
    static final int FALSE = 2;
    /// Pushes constant `a`.
    static final int CONSTANT = 3;
    static final int GET_LOCAL = 4;
    /// Pops into slot `a`.
    static final int SET_LOCAL = 5;
    static final int GET_UPVALUE = 6;
    static final int SET_UPVALUE = 7;
    /// Pushes the global that constant `a` names.
    static final int GET_GLOBAL = 8;
    static final int SET_GLOBAL = 9;
    /// table, key -> value
    static final int INDEX = 10;
    /// table -> value; constant `a` is the key
    static final int FIELD = 11;
    /// object -> method, object; constant `a` is the key
    static final int SELF = 12;
    /// Pops a value into the table of slot `a`, under the key of slot `a` + 1. With `b` 1 both slots are popped too.
    static final int SET_INDEX = 13;
    static final int NEW_TABLE = 14;
    /// Pops all above slot `a`, the slot of a table, into its places from `b` on.
    static final int SET_LIST = 15;
    /// key, value -> ; `a` is the slot of the table.
    static final int SET_ENTRY = 16;
    static final int ADD = 17;
    static final int SUBTRACT = 18;
    static final int MULTIPLY = 19;
    static final int DIVIDE = 20;
    static final int MODULO = 21;
    static final int POWER = 22;
    static final int CONCAT = 23;
    static final int EQUAL = 24;
    static final int NOT_EQUAL = 25;
    static final int LESS = 26;
    static final int LESS_EQUAL = 27;
    static final int GREATER = 28;
    static final int GREATER_EQUAL = 29;
    static final int NOT = 30;
    static final int NEGATE = 31;
    static final int LENGTH = 32;
    static final int JUMP = 33;
    /// Pops a condition, and jumps to `a` if it is false.
    static final int JUMP_UNLESS = 34;
    /// Jumps to `a` if the condition on top is false, and pops it otherwise.
    static final int AND = 35;
    static final int OR = 36;
    /// Calls the function in slot `a` with all above it. Leaves `b` results there, all if `b` is -1.
    static final int CALL = 37;
    /// Returns all from slot `a` on.
    static final int RETURN = 38;
    /// Has the function in slot `a`, if it is written in Lua, return in place of this one; else like CALL.
    static final int TAIL_CALL = 39;
    /// Pushes `b` further arguments, all if `b` is -1.
    static final int VARARGS = 40;
    static final int CLOSURE = 41;
    /// Closes the upvalues from slot `a` on.
    static final int CLOSE = 42;
    /// Pops down to slot `a`.
    static final int SET_TOP = 43;
    /// Slots `a` to `a` + 2 are value, limit and step of a loop. Jumps to `b`, where FOR_LOOP is.
    static final int FOR_PREPARE = 44;
    /// Pushes the next value and jumps to `b`, unless the loop has ended.
    static final int FOR_LOOP = 45;
    /// Calls the iterator in slot `a`, and pushes `b` results.
    static final int FOR_CALL = 46;
    /// Jumps to `b` with the control variable set, unless the first result, in slot `a` + 3, is nil.
    static final int FOR_EACH = 47;

    private Op() {}
}
