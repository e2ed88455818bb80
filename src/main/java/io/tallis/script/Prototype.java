package io.tallis.script;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A function of a script, compiled. Immutable, and shared by all threads.
///
/// `chunk` names the script in messages. `code` has the instructions, with operand `a` above the lowest eight bits, and
/// `second` their operand `b`. For messages: `lines`, `producers` (the instruction that pushed the left operand of this
/// one) and the names of the local variables. `ofOuterLocal` tells of each upvalue whether it is a local variable of
/// the outer function, else it is an upvalue of it, and `outerSlots` which.
@SuppressWarnings("ArrayRecordComponent") // Prototypes are not compared.
public record Prototype(
        String chunk,
        int parameters,
        boolean hasVarargs,
        int[] code,
        int[] second,
        int[] lines,
        int[] producers,
        LuaValue[] constants,
        Prototype[] functions,
        boolean[] ofOuterLocal,
        int[] outerSlots,
        String[] upValueNames,
        List<Local> locals,
        int stackSize) {
    static final int OP_BITS = 8;
    static final int OP_MASK = (1 << OP_BITS) - 1;

    /// A local variable: its name and slot, and from which instruction to which it is in scope.
    public record Local(String name, int slot, int from, int to) {}

    /// What the value was called that an instruction pushed, or null: `global 'x'`.
    @Nullable
    String nameOf(int instruction) {
        if (instruction < 0) {
            return null;
        }
        int operand = code[instruction] >>> OP_BITS;
        return switch (code[instruction] & OP_MASK) {
            case Op.GET_LOCAL -> localName(operand, instruction);
            case Op.GET_UPVALUE -> "upvalue '" + upValueNames[operand] + "'";
            case Op.GET_GLOBAL -> "global '" + constants[operand] + "'";
            case Op.FIELD -> "field '" + constants[operand] + "'";
            case Op.INDEX -> "field '?'";
            case Op.SELF -> "method '" + constants[operand] + "'";
            default -> null;
        };
    }

    private @Nullable String localName(int slot, int instruction) {
        for (Local local : locals) {
            if (local.slot == slot && local.from <= instruction && instruction < local.to) {
                return "local '" + local.name + "'";
            }
        }
        return null;
    }

    /// About what it takes in memory, with the functions inside.
    public long bytes() {
        long bytes = 256 + 16L * code.length + 48L * constants.length + 48L * locals.size();
        for (LuaValue constant : constants) {
            bytes += constant instanceof LuaString string ? string.length() : 0;
        }
        for (Prototype function : functions) {
            bytes += function.bytes();
        }
        return bytes;
    }
}
