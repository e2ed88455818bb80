package io.tallis.script;

import java.util.Arrays;

/// An error of a script, which `pcall` catches. The value of it is any value of Lua.
public final class LuaError extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// Whose position precedes the message: that of the function in Lua which is running.
    private enum Position {
        NONE,
        /// If that function itself failed.
        OF_INSTRUCTION,
        /// If it called the function in Java which failed.
        OF_CALL
    }

    private transient LuaValue value;
    private Position position = Position.NONE;
    private int line;

    /// An error with this value.
    public LuaError(LuaValue value) {
        super(null, null, false, false);
        this.value = value;
    }

    /// An error of a function of a library: the message is preceded by the position of its caller.
    public LuaError(String message) {
        this(LuaString.of(message));
        position = Position.OF_CALL;
    }

    /// An error of an instruction, which gets no position when a library carries the instruction out.
    static LuaError ofInstruction(String message) {
        LuaError error = new LuaError(LuaString.of(message));
        error.position = Position.OF_INSTRUCTION;
        return error;
    }

    /// An error whose value is preceded by the position of the caller, if it is a string.
    static LuaError positioned(LuaValue value) {
        LuaError error = new LuaError(value);
        error.position = value instanceof LuaString || value instanceof LuaNumber ? Position.OF_CALL : Position.NONE;
        return error;
    }

    public LuaValue value() {
        return value;
    }

    /// The line where it was raised; 0 when it is not known.
    public int line() {
        return line;
    }

    /// Completes what was raised while the innermost function in Lua was at a line of a chunk.
    LuaError calledAt(String chunk, int callerLine) {
        if (position != Position.NONE) {
            value = preceded(chunk + ":" + callerLine + ": ", value);
        }
        position = Position.NONE;
        line = callerLine;
        return this;
    }

    /// Notes that it passes a function in Java.
    void leavesLibrary() {
        if (position == Position.OF_INSTRUCTION) {
            position = Position.NONE;
        }
    }

    /// The text of a message with a position in front.
    static LuaString preceded(String position, LuaValue message) {
        byte[] before = LuaString.of(position).bytes();
        byte[] after = (message instanceof LuaString string ? string : LuaString.of(message.toString())).bytes();
        byte[] both = Arrays.copyOf(before, before.length + after.length);
        System.arraycopy(after, 0, both, before.length, after.length);
        return LuaString.of(both);
    }

    @Override
    public String getMessage() {
        return switch (value) {
            case LuaString string -> string.toString();
            case LuaNumber number -> number.toString();
            case LuaBoolean bool -> bool.isTrue() ? "true" : "false";
            default -> value.typeName();
        };
    }
}
