package io.tallis.script;

/// Where scripts run: a [Machine] with the libraries that Redis gives to scripts, none of which reaches files, the
/// process or the clock. What scripts share is read-only. Belongs to one thread, except [#kill].
public final class Sandbox {
    private static final LuaString KEYS = LuaString.of("KEYS");
    private static final LuaString ARGUMENTS = LuaString.of("ARGV");

    private final Machine machine = new Machine();
    private final MathLibrary math = new MathLibrary();
    private final JsonLibrary json = new JsonLibrary();
    private final Host host;

    public Sandbox(Host host) {
        this.host = host;
        LuaTable globals = machine.globals();
        BaseLibrary.addTo(globals);
        LuaTable strings = StringLibrary.make().readOnly();
        globals.with("string", strings);
        globals.with("table", TableLibrary.make().readOnly());
        globals.with("math", math.make().readOnly());
        globals.with("coroutine", CoroutineLibrary.make().readOnly());
        globals.with("bit", BitLibrary.make().readOnly());
        globals.with("cjson", json.make().readOnly());
        globals.with("cmsgpack", MessagePackLibrary.make().readOnly());
        globals.with("struct", StructLibrary.make().readOnly());
        globals.with("redis", new RedisLibrary(host).make().readOnly());
        globals.with("_G", globals);
        globals.metatable(new LuaTable()
                .with("__index", new Builtin("__index", Sandbox::undefined))
                .readOnly());
        globals.readOnly();
        machine.stringMetatable().with("__index", strings).readOnly();
    }

    private static LuaValue[] undefined(Call call) {
        throw new LuaError("Script attempted to access nonexistent global variable '"
                + call.machine().string(call.value(2)) + "'");
    }

    /// Compiles a script.
    ///
    /// @throws LuaError if it is none
    public static Prototype compile(byte[] text) {
        return Parser.compile(text, "user_script");
    }

    /// Runs a script and returns its result.
    ///
    /// @throws LuaError if the script fails
    /// @throws ScriptStopped if it was killed, or takes more than `mostSteps`
    public LuaValue run(Prototype script, LuaTable keys, LuaTable arguments, long mostSteps) {
        math.seed(0);
        json.reset();
        host.protocol(2);
        machine.globals().set(KEYS, keys);
        machine.globals().set(ARGUMENTS, arguments);
        try {
            return machine.run(script, mostSteps);
        } finally {
            machine.globals().set(KEYS, LuaNil.NIL);
            machine.globals().set(ARGUMENTS, LuaNil.NIL);
        }
    }

    /// The machine, for what is done with the result of a script.
    public Machine machine() {
        return machine;
    }
}
