package io.tallis.script;

import java.util.Arrays;

/// `coroutine`
final class CoroutineLibrary {
    /// The interpreter carries this one out.
    static final Builtin YIELD = new Builtin("yield", _ -> {
        throw new LuaError(LuaString.of("attempt to yield across metamethod/C-call boundary"));
    });

    private CoroutineLibrary() {}

    static LuaTable make() {
        LuaTable library = new LuaTable();
        BaseLibrary.add(library, "create", call -> Call.results(call.machine().newThread(call.luaFunction(1))));
        BaseLibrary.add(library, "resume", CoroutineLibrary::resume);
        BaseLibrary.add(library, "running", CoroutineLibrary::running);
        BaseLibrary.add(library, "status", CoroutineLibrary::status);
        BaseLibrary.add(library, "wrap", CoroutineLibrary::wrap);
        library.with("yield", YIELD);
        return library;
    }

    private static LuaThread thread(Call call) {
        if (call.value(1) instanceof LuaThread thread) {
            return thread;
        }
        throw call.bad(1, "coroutine expected");
    }

    private static LuaValue[] rest(Call call) {
        return Arrays.copyOfRange(call.arguments(), 1, call.count());
    }

    private static LuaValue[] resume(Call call) {
        return BaseLibrary.outcome(call.machine().resume(thread(call), rest(call)));
    }

    private static LuaValue[] running(Call call) {
        LuaThread running = call.machine().thread();
        return Call.results(running == call.machine().mainThread() ? LuaNil.NIL : running);
    }

    private static LuaValue[] status(Call call) {
        return Call.results(LuaString.of(
                switch (thread(call).status) {
                    case SUSPENDED -> "suspended";
                    case RUNNING -> "running";
                    case NORMAL -> "normal";
                    case DEAD -> "dead";
                }));
    }

    private static LuaValue[] wrap(Call call) {
        LuaThread thread = call.machine().newThread(call.luaFunction(1));
        return Call.results(new Builtin("wrap", inner -> {
            Machine.Outcome outcome = inner.machine().resume(thread, inner.arguments());
            LuaError error = outcome.error();
            if (error != null) {
                throw LuaError.positioned(error.value());
            }
            return outcome.results();
        }));
    }
}
