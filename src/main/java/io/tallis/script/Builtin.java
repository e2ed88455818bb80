package io.tallis.script;

/// A function of a library, written in Java.
public final class Builtin extends LuaFunction {
    /// The code of a function.
    @FunctionalInterface
    public interface Body {
        /// Returns the results of a call; throws [LuaError] when it fails. `call` must not be kept.
        LuaValue[] run(Call call);
    }

    private final String name;
    private final Body body;

    public Builtin(String name, Body body) {
        this.name = name;
        this.body = body;
    }

    /// The name that errors show.
    String name() {
        return name;
    }

    LuaValue[] run(Machine machine, LuaValue[] arguments) {
        try {
            return body.run(new Call(machine, name, arguments));
        } catch (LuaError error) {
            error.leavesLibrary();
            throw error;
        }
    }
}
