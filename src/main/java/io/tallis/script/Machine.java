package io.tallis.script;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Runs scripts, one at a time: the globals that they see, and what bounds them. Belongs to one thread, except
/// [#kill].
public final class Machine {
    /// So many bytes of memory cost as much as an instruction.
    static final int BYTES_PER_STEP = 16;

    /// Nested calls from Java, as many as Lua allows from C.
    private static final int MOST_NESTED = 200;

    /// Steps between two looks at whether the script is to be killed.
    private static final int PIECE = 10_000;

    private static final int STEPS_OF_DIGITS = 8;

    private static final int MOST_INDEX_STEPS = 100;

    /// A comparison of so many bytes takes no longer than a step.
    private static final int SHORT = 256;

    /// So many values are copied in the time of a step.
    private static final int VALUES_PER_STEP = 16;

    private final LuaTable globals = new LuaTable();
    private final LuaTable stringMetatable = new LuaTable();
    private final Interpreter interpreter = new Interpreter(this);
    private LuaThread thread;
    private LuaThread mainThread;
    private int nested;
    private long steps;
    private int piece;
    private volatile boolean killed;

    Machine() {
        mainThread = newMainThread();
        thread = mainThread;
    }

    /// The names that all scripts see. Scripts cannot change it.
    public LuaTable globals() {
        return globals;
    }

    /// What strings have as metatable.
    public LuaTable stringMetatable() {
        return stringMetatable;
    }

    /// Runs a script and returns its first result. `mostSteps` bounds it; see [#stepsLeft].
    ///
    /// @throws LuaError if the script fails
    /// @throws ScriptStopped if it was killed, or takes more steps
    public LuaValue run(Prototype script, long mostSteps) {
        steps = mostSteps;
        piece = 0;
        try {
            LuaValue[] results = call(new LuaClosure(script, new UpValue[0]));
            return results.length == 0 ? LuaNil.NIL : results[0];
        } finally {
            begin();
        }
    }

    /// Begins with an empty stack, and lets go of what the last script has left.
    private void begin() {
        mainThread = newMainThread();
        thread = mainThread;
        nested = 0;
    }

    private static LuaThread newMainThread() {
        LuaThread made = new LuaThread();
        made.status = LuaThread.Status.RUNNING;
        return made;
    }

    /// The steps that the script may still take.
    public long stepsLeft() {
        return Math.max(0, steps + piece);
    }

    /// Ends the script that runs now or begins, until [#spare] is called. Any thread may call this.
    public void kill() {
        killed = true;
    }

    /// The next script is not to be killed.
    public void spare() {
        killed = false;
    }

    /// Takes steps for work.
    public void charge(long work) {
        steps -= work;
        if (steps < 0 || killed) {
            stop();
        }
    }

    /// Takes steps for memory that is about to be allocated.
    public void chargeBytes(long bytes) {
        charge(bytes / BYTES_PER_STEP);
    }

    /// Takes steps for looking up a key, with which an equal one is compared byte by byte.
    void chargeKey(LuaValue key) {
        if (key instanceof LuaString string && string.length() > SHORT) {
            chargeBytes(string.length());
        }
    }

    /// Takes steps for values that are copied from one place to another.
    void chargeValues(int count) {
        if (count >= VALUES_PER_STEP) {
            charge(count / VALUES_PER_STEP);
        }
    }

    /// Takes steps for an error that the script goes on after: its message was made for it.
    private LuaError caught(LuaError error) {
        if (error.value() instanceof LuaString message) {
            chargeBytes(message.length());
        }
        return error;
    }

    /// Takes one step.
    void step() {
        if (--piece < 0) {
            piece = 0;
            charge(PIECE);
            piece = PIECE - 1;
        }
    }

    private void stop() {
        if (killed) {
            throw new ScriptStopped("ERR Script killed by user with SCRIPT KILL.");
        }
        steps = -1;
        throw new ScriptStopped("ERR Script stopped: it takes more steps than script-max-steps allows.");
    }

    LuaThread thread() {
        return thread;
    }

    LuaThread mainThread() {
        return mainThread;
    }

    // Calls from Java

    /// Calls a function and returns its results.
    public LuaValue[] call(LuaValue function, LuaValue... arguments) {
        step();
        if (nested >= MOST_NESTED) {
            throw LuaError.ofInstruction("C stack overflow");
        }
        nested++;
        try {
            return switch (function) {
                case Builtin builtin -> builtin.run(this, arguments);
                case LuaClosure closure -> callClosure(closure, arguments);
                default -> callValue(function, arguments);
            };
        } finally {
            nested--;
        }
    }

    private LuaValue[] callClosure(LuaClosure closure, LuaValue[] arguments) {
        LuaThread caller = thread;
        int slot = caller.top;
        chargeBytes(caller.ensure(slot, arguments.length + 1));
        caller.stack[slot] = closure;
        System.arraycopy(arguments, 0, caller.stack, slot + 1, arguments.length);
        caller.nested++;
        try {
            int floor = caller.depth;
            interpreter.enter(caller, closure, slot, arguments.length, -1);
            caller.frame().calledFromJava = true;
            interpreter.run(caller, floor);
            LuaValue[] results = Arrays.copyOfRange(caller.stack, slot, caller.top);
            caller.top = slot;
            return results;
        } finally {
            caller.nested--;
        }
    }

    private LuaValue[] callValue(LuaValue value, LuaValue[] arguments) {
        LuaValue handler = metamethod(value, Names.CALL);
        if (handler.isNil()) {
            throw LuaError.ofInstruction("attempt to call a " + value.typeName() + " value");
        }
        LuaValue[] more = new LuaValue[arguments.length + 1];
        more[0] = value;
        System.arraycopy(arguments, 0, more, 1, arguments.length);
        return call(handler, more);
    }

    /// What a call in protected mode came to: its results, or the error that ended it.
    static final class Outcome {
        private final LuaValue[] results;
        private final @Nullable LuaError error;

        Outcome(LuaValue[] results, @Nullable LuaError error) {
            this.results = results;
            this.error = error;
        }

        LuaValue[] results() {
            return results;
        }

        @Nullable
        LuaError error() {
            return error;
        }
    }

    Outcome protectedCall(LuaValue function, LuaValue... arguments) {
        LuaThread caller = thread;
        int depth = caller.depth;
        int top = caller.top;
        int nestedBefore = nested;
        int nestedInCaller = caller.nested;
        try {
            return new Outcome(call(function, arguments), null);
        } catch (LuaError error) {
            thread = caller;
            nested = nestedBefore;
            caller.nested = nestedInCaller;
            caller.unwind(depth, top);
            return new Outcome(LuaValue.NONE, caught(error));
        }
    }

    private LuaValue first(LuaValue function, LuaValue... arguments) {
        LuaValue[] results = call(function, arguments);
        return results.length == 0 ? LuaNil.NIL : results[0];
    }

    /// The position of a function that is running, as messages begin with: 1 is the innermost one in Lua.
    String where(int level) {
        int left = level;
        for (int index = thread.depth - 1; index >= 0; index--) {
            step();
            LuaThread.Frame frame = thread.frames[index];
            if (--left == 0) {
                return frame.running().prototype.chunk() + ":" + frame.line() + ": ";
            }
            // A function in Java has a level too, and no position.
            left -= frame.calledFromJava ? 1 : 0;
            if (left <= 0) {
                return "";
            }
        }
        return "";
    }

    // Coroutines

    LuaThread newThread(LuaFunction body) {
        chargeBytes(1024);
        LuaThread made = new LuaThread();
        made.stack[0] = body;
        made.top = 1;
        return made;
    }

    Outcome resume(LuaThread coroutine, LuaValue[] arguments) {
        if (coroutine.status != LuaThread.Status.SUSPENDED) {
            String state = coroutine.status == LuaThread.Status.DEAD ? "dead" : "running";
            return new Outcome(LuaValue.NONE, new LuaError(LuaString.of("cannot resume " + state + " coroutine")));
        }
        LuaThread resumer = thread;
        int nestedBefore = nested;
        if (nested >= MOST_NESTED) {
            return new Outcome(LuaValue.NONE, new LuaError(LuaString.of("C stack overflow")));
        }
        nested++;
        resumer.status = LuaThread.Status.NORMAL;
        coroutine.status = LuaThread.Status.RUNNING;
        thread = coroutine;
        try {
            return new Outcome(goOn(coroutine, arguments), null);
        } catch (LuaError error) {
            coroutine.status = LuaThread.Status.DEAD;
            return new Outcome(LuaValue.NONE, caught(error));
        } finally {
            thread = resumer;
            nested = nestedBefore;
            resumer.status = LuaThread.Status.RUNNING;
        }
    }

    private LuaValue[] goOn(LuaThread coroutine, LuaValue[] arguments) {
        if (coroutine.yielded != null) {
            coroutine.yielded = null;
            interpreter.deliver(coroutine, coroutine.yieldSlot, coroutine.yieldWanted, arguments);
            interpreter.run(coroutine, 0);
        } else if (coroutine.stack[0] instanceof LuaClosure closure) {
            chargeBytes(coroutine.ensure(0, arguments.length + 1));
            System.arraycopy(arguments, 0, coroutine.stack, 1, arguments.length);
            interpreter.enter(coroutine, closure, 0, arguments.length, -1);
            interpreter.run(coroutine, 0);
        } else {
            LuaValue[] results = call(coroutine.stack[0], arguments);
            coroutine.status = LuaThread.Status.DEAD;
            return results;
        }
        LuaValue[] yielded = coroutine.yielded;
        if (yielded != null) {
            coroutine.status = LuaThread.Status.SUSPENDED;
            return yielded;
        }
        coroutine.status = LuaThread.Status.DEAD;
        return Arrays.copyOfRange(coroutine.stack, 0, coroutine.top);
    }

    // Values

    @Nullable
    LuaTable metatable(LuaValue value) {
        return switch (value) {
            case LuaTable table -> table.metatable();
            case LuaString _ -> stringMetatable;
            default -> null;
        };
    }

    LuaValue metamethod(LuaValue value, LuaString name) {
        LuaTable metatable = metatable(value);
        return metatable == null ? LuaNil.NIL : metatable.get(name);
    }

    /// `object[key]`; `name` is what messages call the object, or null.
    LuaValue index(LuaValue object, LuaValue key, @Nullable String name) {
        LuaValue now = object;
        for (int i = 0; i < MOST_INDEX_STEPS; i++) {
            LuaValue handler;
            if (now instanceof LuaTable table) {
                chargeKey(key);
                LuaValue value = table.get(key);
                LuaTable metatable = table.metatable();
                if (metatable == null || !value.isNil()) {
                    return value;
                }
                handler = metatable.get(Names.INDEX);
                if (handler.isNil()) {
                    return value;
                }
            } else {
                handler = metamethod(now, Names.INDEX);
                if (handler.isNil()) {
                    throw typeError("index", now, i == 0 ? name : null);
                }
            }
            if (handler instanceof LuaFunction) {
                return first(handler, now, key);
            }
            step();
            now = handler;
        }
        throw LuaError.ofInstruction("loop in gettable");
    }

    void setIndex(LuaValue object, LuaValue key, LuaValue value, @Nullable String name) {
        LuaValue now = object;
        for (int i = 0; i < MOST_INDEX_STEPS; i++) {
            LuaValue handler;
            if (now instanceof LuaTable table) {
                LuaTable metatable = table.metatable();
                chargeKey(key);
                if (metatable == null || !table.get(key).isNil()) {
                    rawSet(table, key, value);
                    return;
                }
                handler = metatable.get(Names.NEW_INDEX);
                if (handler.isNil()) {
                    rawSet(table, key, value);
                    return;
                }
            } else {
                handler = metamethod(now, Names.NEW_INDEX);
                if (handler.isNil()) {
                    throw typeError("index", now, i == 0 ? name : null);
                }
            }
            if (handler instanceof LuaFunction) {
                call(handler, now, key, value);
                return;
            }
            step();
            now = handler;
        }
        throw LuaError.ofInstruction("loop in settable");
    }

    /// Sets an entry of a table without regard to its metatable.
    public void rawSet(LuaTable table, LuaValue key, LuaValue value) {
        if (table.isReadOnly()) {
            throw LuaError.ofInstruction("Attempt to modify a readonly table");
        }
        if (key.isNil()) {
            throw LuaError.ofInstruction("table index is nil");
        }
        if (key instanceof LuaNumber number && Double.isNaN(number.value())) {
            throw LuaError.ofInstruction("table index is NaN");
        }
        chargeKey(key);
        int bytes = table.set(key, value);
        if (bytes > 0) {
            chargeBytes(bytes);
        }
    }

    LuaTable newTable() {
        chargeBytes(LuaTable.BYTES);
        return new LuaTable();
    }

    LuaError typeError(String action, LuaValue value, @Nullable String name) {
        String what = "a " + value.typeName() + " value";
        return LuaError.ofInstruction("attempt to " + action + " " + (name == null ? what : name + " (" + what + ")"));
    }

    /// The number that a value is or stands for, or nil.
    LuaValue toNumber(LuaValue value) {
        return switch (value) {
            case LuaNumber number -> number;
            case LuaString string -> {
                charge(STEPS_OF_DIGITS * (long) Math.min(string.length(), NumberText.MOST_BYTES));
                yield NumberText.parse(string);
            }
            default -> LuaNil.NIL;
        };
    }

    LuaValue arithmetic(int op, LuaValue left, LuaValue right, @Nullable String leftName, @Nullable String rightName) {
        if (toNumber(left) instanceof LuaNumber a && toNumber(right) instanceof LuaNumber b) {
            return LuaNumber.of(Interpreter.compute(op, a.value(), b.value()));
        }
        LuaString name = Names.arithmetic(op);
        LuaValue handler = metamethod(left, name);
        handler = handler.isNil() ? metamethod(right, name) : handler;
        if (!handler.isNil()) {
            return first(handler, left, right);
        }
        boolean leftIsWrong = toNumber(left).isNil();
        throw typeError("perform arithmetic on", leftIsWrong ? left : right, leftIsWrong ? leftName : rightName);
    }

    LuaValue negate(LuaValue value, @Nullable String name) {
        if (toNumber(value) instanceof LuaNumber number) {
            return LuaNumber.of(-number.value());
        }
        LuaValue handler = metamethod(value, Names.NEGATE);
        if (handler.isNil()) {
            throw typeError("perform arithmetic on", value, name);
        }
        return first(handler, value, value);
    }

    LuaValue length(LuaValue value, @Nullable String name) {
        return switch (value) {
            case LuaString string -> LuaNumber.of(string.length());
            case LuaTable table -> LuaNumber.of(table.length());
            default -> throw typeError("get length of", value, name);
        };
    }

    private static boolean isText(LuaValue value) {
        return value instanceof LuaString || value instanceof LuaNumber;
    }

    LuaValue concat(LuaValue left, LuaValue right, @Nullable String leftName, @Nullable String rightName) {
        if (isText(left) && isText(right)) {
            byte[] a = text(left).bytes();
            byte[] b = text(right).bytes();
            chargeBytes((long) a.length + b.length);
            byte[] both = Arrays.copyOf(a, Math.addExact(a.length, b.length));
            System.arraycopy(b, 0, both, a.length, b.length);
            return LuaString.of(both);
        }
        LuaValue handler = metamethod(left, Names.CONCAT);
        handler = handler.isNil() ? metamethod(right, Names.CONCAT) : handler;
        if (!handler.isNil()) {
            return first(handler, left, right);
        }
        boolean rightIsWrong = isText(left);
        throw typeError("concatenate", rightIsWrong ? right : left, rightIsWrong ? rightName : leftName);
    }

    /// A string, or a number as a string.
    LuaString text(LuaValue value) {
        if (value instanceof LuaString string) {
            return string;
        }
        if (value instanceof LuaNumber number) {
            chargeDigits(number.value());
        }
        return LuaString.of(value.toString());
    }

    /// Takes steps for writing a number in digits, which takes long for a fraction, and longer for a very small or
    /// large one.
    public void chargeDigits(double value) {
        int exponent = Math.abs(Math.getExponent(value));
        charge(value == (int) value ? STEPS_OF_DIGITS : 8L * STEPS_OF_DIGITS + exponent);
    }

    boolean equal(LuaValue left, LuaValue right) {
        if (left instanceof LuaString a && right instanceof LuaString b && a.length() == b.length()) {
            chargeKey(a);
        }
        if (left.equals(right)) {
            return true;
        }
        if (!(left instanceof LuaTable && right instanceof LuaTable)) {
            return false;
        }
        LuaValue handler = commonHandler(left, right, Names.EQUAL);
        return !handler.isNil() && first(handler, left, right).isTrue();
    }

    private LuaValue commonHandler(LuaValue left, LuaValue right, LuaString name) {
        LuaValue handler = metamethod(left, name);
        return handler.equals(metamethod(right, name)) ? handler : LuaNil.NIL;
    }

    boolean less(LuaValue left, LuaValue right) {
        if (left instanceof LuaNumber a && right instanceof LuaNumber b) {
            return a.value() < b.value();
        }
        if (left instanceof LuaString a && right instanceof LuaString b) {
            chargeBytes(Math.min(a.length(), b.length()));
            return Arrays.compareUnsigned(a.bytes(), b.bytes()) < 0;
        }
        LuaValue handler = commonHandler(left, right, Names.LESS);
        if (handler.isNil()) {
            throw notComparable(left, right);
        }
        return first(handler, left, right).isTrue();
    }

    boolean lessOrEqual(LuaValue left, LuaValue right) {
        if (left instanceof LuaNumber a && right instanceof LuaNumber b) {
            return a.value() <= b.value();
        }
        if (left instanceof LuaString a && right instanceof LuaString b) {
            chargeBytes(Math.min(a.length(), b.length()));
            return Arrays.compareUnsigned(a.bytes(), b.bytes()) <= 0;
        }
        LuaValue handler = commonHandler(left, right, Names.LESS_EQUAL);
        if (!handler.isNil()) {
            return first(handler, left, right).isTrue();
        }
        handler = commonHandler(right, left, Names.LESS);
        if (handler.isNil()) {
            throw notComparable(left, right);
        }
        return !first(handler, right, left).isTrue();
    }

    private static LuaError notComparable(LuaValue left, LuaValue right) {
        String a = left.typeName();
        String b = right.typeName();
        return LuaError.ofInstruction(
                a.equals(b) ? "attempt to compare two " + a + " values" : "attempt to compare " + a + " with " + b);
    }

    /// `tostring(value)`
    LuaString string(LuaValue value) {
        LuaValue handler = metamethod(value, Names.TO_STRING);
        if (!handler.isNil()) {
            if (first(handler, value) instanceof LuaString text) {
                return text;
            }
            throw LuaError.ofInstruction("'tostring' must return a string to 'print'");
        }
        return switch (value) {
            case LuaString string -> string;
            case LuaNumber _ -> text(value);
            case LuaNil _ -> LuaString.of("nil");
            case LuaBoolean bool -> LuaString.of(bool.isTrue() ? "true" : "false");
            case LuaToken _ -> LuaString.of("userdata: (nil)");
            default -> address(value);
        };
    }

    private LuaString address(LuaValue value) {
        charge(STEPS_OF_DIGITS);
        String digits = "0000000" + Integer.toHexString(System.identityHashCode(value));
        return LuaString.of(value.typeName() + ": 0x" + digits.substring(digits.length() - 8));
    }
}
