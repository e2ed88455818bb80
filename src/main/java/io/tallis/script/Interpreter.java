package io.tallis.script;

import io.tallis.script.LuaThread.Frame;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Executes the instructions of functions. A call from one function in Lua to another pushes a [Frame] and stays in the
/// same loop; a call of a [Builtin] is a call in Java.
final class Interpreter {
    private final Machine machine;

    Interpreter(Machine machine) {
        this.machine = machine;
    }

    /// Begins a call of the function in `slot`, whose arguments are above it.
    void enter(LuaThread thread, LuaClosure closure, int slot, int arguments, int wanted) {
        Prototype prototype = closure.prototype;
        int base = slot + 1;
        int grown = thread.ensure(base, Math.max(arguments, prototype.parameters()) + prototype.stackSize());
        if (grown > 0) {
            machine.chargeBytes(grown);
        }
        Frame frame = thread.pushFrame();
        frame.closure = closure;
        frame.base = base;
        frame.pc = 0;
        frame.wanted = wanted;
        if (prototype.hasVarargs() && arguments > prototype.parameters()) {
            frame.varargs = Arrays.copyOfRange(thread.stack, base + prototype.parameters(), base + arguments);
            machine.charge(frame.varargs.length);
        }
        for (int i = arguments; i < prototype.parameters(); i++) {
            thread.stack[base + i] = LuaNil.NIL;
        }
        thread.top = base + prototype.parameters();
    }

    /// Puts the results of a call into place.
    void deliver(LuaThread thread, int slot, int wanted, LuaValue[] results) {
        int count = wanted < 0 ? results.length : wanted;
        machine.chargeValues(count);
        int grown = thread.ensure(slot, count);
        if (grown > 0) {
            machine.chargeBytes(grown);
        }
        LuaValue[] stack = thread.stack;
        for (int i = 0; i < count; i++) {
            stack[slot + i] = i < results.length ? results[i] : LuaNil.NIL;
        }
        thread.top = slot + count;
    }

    /// Runs until the number of frames is back at `floor`, or the coroutine yields.
    void run(LuaThread thread, int floor) {
        try {
            while (thread.depth > floor && thread.yielded == null) {
                runFrame(thread);
            }
        } catch (LuaError error) {
            if (error.line() == 0 && thread.depth > floor) {
                Frame frame = thread.frame();
                throw error.calledAt(frame.running().prototype.chunk(), frame.line());
            }
            throw error;
        }
    }

    /// Runs the topmost frame until another one is on top, or the coroutine yields.
    private void runFrame(LuaThread thread) {
        Frame frame = thread.frame();
        LuaClosure closure = frame.running();
        Prototype prototype = closure.prototype;
        int[] code = prototype.code();
        LuaValue[] constants = prototype.constants();
        LuaValue[] stack = thread.stack;
        int base = frame.base;
        int sp = thread.top;
        int pc = frame.pc;
        while (true) {
            machine.step();
            int instruction = code[pc++];
            int a = instruction >>> Prototype.OP_BITS;
            frame.pc = pc;
            thread.top = sp;
            switch (instruction & Prototype.OP_MASK) {
                case Op.NIL -> {
                    for (int i = 0; i < a; i++) {
                        stack[sp++] = LuaNil.NIL;
                    }
                }
                case Op.TRUE -> stack[sp++] = LuaBoolean.TRUE;
                case Op.FALSE -> stack[sp++] = LuaBoolean.FALSE;
                case Op.CONSTANT -> stack[sp++] = constants[a];
                case Op.GET_LOCAL -> stack[sp++] = stack[base + a];
                case Op.SET_LOCAL -> stack[base + a] = stack[--sp];
                case Op.GET_UPVALUE -> stack[sp++] = closure.upValues[a].get();
                case Op.SET_UPVALUE -> closure.upValues[a].set(stack[--sp]);
                case Op.GET_GLOBAL -> stack[sp++] = machine.index(machine.globals(), constants[a], null);
                case Op.SET_GLOBAL -> machine.setIndex(machine.globals(), constants[a], stack[--sp], null);
                case Op.INDEX -> {
                    stack[sp - 2] = index(prototype, pc, stack[sp - 2], stack[sp - 1]);
                    sp--;
                }
                case Op.FIELD -> stack[sp - 1] = index(prototype, pc, stack[sp - 1], constants[a]);
                case Op.SELF -> {
                    LuaValue object = stack[sp - 1];
                    stack[sp - 1] = index(prototype, pc, object, constants[a]);
                    stack[sp++] = object;
                }
                case Op.SET_INDEX -> {
                    setIndex(prototype, pc, stack, base + a, stack[--sp]);
                    sp = prototype.second()[pc - 1] == 1 ? base + a : sp;
                }
                case Op.NEW_TABLE -> stack[sp++] = machine.newTable();
                case Op.SET_LIST -> {
                    setList((LuaTable) stack[base + a], prototype.second()[pc - 1], stack, base + a + 1, sp);
                    sp = base + a + 1;
                }
                case Op.SET_ENTRY -> {
                    machine.rawSet((LuaTable) stack[base + a], stack[sp - 2], stack[sp - 1]);
                    sp -= 2;
                }
                case Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.MODULO, Op.POWER, Op.CONCAT -> {
                    int op = instruction & Prototype.OP_MASK;
                    stack[sp - 2] = binary(prototype, pc, op, stack[sp - 2], stack[sp - 1]);
                    sp--;
                }
                case Op.EQUAL, Op.NOT_EQUAL, Op.LESS, Op.LESS_EQUAL, Op.GREATER, Op.GREATER_EQUAL -> {
                    int op = instruction & Prototype.OP_MASK;
                    stack[sp - 2] = LuaBoolean.of(compare(op, stack[sp - 2], stack[sp - 1]));
                    sp--;
                }
                case Op.NOT -> stack[sp - 1] = LuaBoolean.of(!stack[sp - 1].isTrue());
                case Op.NEGATE -> stack[sp - 1] = machine.negate(stack[sp - 1], leftName(prototype, pc, stack[sp - 1]));
                case Op.LENGTH -> stack[sp - 1] = machine.length(stack[sp - 1], leftName(prototype, pc, stack[sp - 1]));
                case Op.JUMP -> pc = a;
                case Op.JUMP_UNLESS -> pc = stack[--sp].isTrue() ? pc : a;
                case Op.AND -> {
                    boolean jumps = !stack[sp - 1].isTrue();
                    pc = jumps ? a : pc;
                    sp -= jumps ? 0 : 1;
                }
                case Op.OR -> {
                    boolean jumps = stack[sp - 1].isTrue();
                    pc = jumps ? a : pc;
                    sp -= jumps ? 0 : 1;
                }
                case Op.CALL -> {
                    if (call(thread, prototype, base + a, prototype.second()[pc - 1])) {
                        return;
                    }
                    stack = thread.stack;
                    sp = thread.top;
                }
                case Op.TAIL_CALL -> {
                    if (tailCall(thread, frame, base + a) || call(thread, prototype, base + a, -1)) {
                        return;
                    }
                    stack = thread.stack;
                    sp = thread.top;
                }
                case Op.RETURN -> {
                    leave(thread, frame, base + a, sp);
                    return;
                }
                case Op.VARARGS -> {
                    deliver(thread, sp, prototype.second()[pc - 1], frame.varargs);
                    stack = thread.stack;
                    sp = thread.top;
                }
                case Op.CLOSURE ->
                    stack[sp++] = closure(thread, closure, prototype.functions()[a], base);
                case Op.CLOSE -> thread.close(base + a);
                case Op.SET_TOP -> sp = base + a;
                case Op.FOR_PREPARE -> {
                    prepareFor(stack, base + a);
                    pc = prototype.second()[pc - 1];
                }
                case Op.FOR_LOOP -> {
                    LuaNumber next = nextOf(stack, base + a);
                    if (next != null) {
                        stack[base + a] = next;
                        stack[sp++] = next;
                        pc = prototype.second()[pc - 1];
                    }
                }
                case Op.FOR_CALL -> {
                    System.arraycopy(stack, base + a, stack, sp, 3);
                    thread.top = sp + 3;
                    if (call(thread, prototype, sp, prototype.second()[pc - 1])) {
                        return;
                    }
                    stack = thread.stack;
                    sp = thread.top;
                }
                case Op.FOR_EACH -> {
                    if (stack[base + a + 3].isNil()) {
                        sp = base + a + 3;
                    } else {
                        stack[base + a + 2] = stack[base + a + 3];
                        pc = prototype.second()[pc - 1];
                    }
                }
                default -> throw new IllegalStateException("no such instruction: " + instruction);
            }
        }
    }

    // Names of operands are looked up only for values that make an error likely.

    private static @Nullable String leftName(Prototype prototype, int pc, LuaValue value) {
        boolean isUsual = value instanceof LuaTable || value instanceof LuaNumber || value instanceof LuaFunction;
        return isUsual && !(value instanceof LuaFunction)
                ? null
                : prototype.nameOf(prototype.producers()[pc - 1]);
    }

    private static @Nullable String rightName(Prototype prototype, int pc) {
        return prototype.nameOf(pc - 2);
    }

    private LuaValue index(Prototype prototype, int pc, LuaValue object, LuaValue key) {
        if (object instanceof LuaTable table && table.metatable() == null) {
            machine.chargeKey(key);
            return table.get(key);
        }
        return machine.index(object, key, object instanceof LuaString ? null : leftName(prototype, pc, object));
    }

    private void setIndex(Prototype prototype, int pc, LuaValue[] stack, int slot, LuaValue value) {
        LuaValue object = stack[slot];
        machine.setIndex(object, stack[slot + 1], value, leftName(prototype, pc, object));
    }

    private void setList(LuaTable table, int first, LuaValue[] stack, int from, int to) {
        machine.charge(2L * (to - from));
        table.setList(first, stack, from, to);
    }

    private LuaValue binary(Prototype prototype, int pc, int op, LuaValue left, LuaValue right) {
        if (op == Op.CONCAT) {
            boolean isUsual = left instanceof LuaString && right instanceof LuaString;
            return isUsual
                    ? machine.concat(left, right, null, null)
                    : machine.concat(
                            left, right, prototype.nameOf(prototype.producers()[pc - 1]), rightName(prototype, pc));
        }
        if (left instanceof LuaNumber a && right instanceof LuaNumber b) {
            return LuaNumber.of(compute(op, a.value(), b.value()));
        }
        return machine.arithmetic(
                op, left, right, prototype.nameOf(prototype.producers()[pc - 1]), rightName(prototype, pc));
    }

    static double compute(int op, double left, double right) {
        return switch (op) {
            case Op.ADD -> left + right;
            case Op.SUBTRACT -> left - right;
            case Op.MULTIPLY -> left * right;
            case Op.DIVIDE -> left / right;
            case Op.MODULO -> left - Math.floor(left / right) * right;
            default -> Math.pow(left, right);
        };
    }

    private boolean compare(int op, LuaValue left, LuaValue right) {
        return switch (op) {
            case Op.EQUAL -> machine.equal(left, right);
            case Op.NOT_EQUAL -> !machine.equal(left, right);
            case Op.LESS -> machine.less(left, right);
            case Op.LESS_EQUAL -> machine.lessOrEqual(left, right);
            case Op.GREATER -> machine.less(right, left);
            default -> machine.lessOrEqual(right, left);
        };
    }

    /// Calls the function in `slot` with all above it. Returns whether the present frame has to wait: another one is on
    /// top, or the coroutine yields.
    private boolean call(LuaThread thread, Prototype prototype, int slot, int wanted) {
        LuaValue function = thread.stack[slot];
        if (function instanceof LuaClosure closure) {
            enter(thread, closure, slot, thread.top - slot - 1, wanted);
            return true;
        }
        machine.chargeValues(thread.top - slot);
        LuaValue[] arguments = Arrays.copyOfRange(thread.stack, slot + 1, thread.top);
        if (function instanceof Builtin builtin) {
            if (builtin == CoroutineLibrary.YIELD) {
                suspend(thread, slot, wanted, arguments);
                return true;
            }
            deliver(thread, slot, wanted, builtin.run(machine, arguments));
            return false;
        }
        LuaValue handler = machine.metamethod(function, Names.CALL);
        if (!(handler instanceof LuaFunction)) {
            Frame frame = thread.frame();
            throw machine.typeError("call", function, prototype.nameOf(prototype.producers()[frame.pc - 1]));
        }
        machine.chargeBytes(thread.ensure(thread.top, 1));
        System.arraycopy(arguments, 0, thread.stack, slot + 2, arguments.length);
        thread.stack[slot + 1] = function;
        thread.stack[slot] = handler;
        thread.top++;
        return call(thread, prototype, slot, wanted);
    }

    private static void suspend(LuaThread thread, int slot, int wanted, LuaValue[] values) {
        if (thread.nested > 0 || thread.status != LuaThread.Status.RUNNING) {
            throw new LuaError(LuaString.of("attempt to yield across metamethod/C-call boundary"));
        }
        thread.yieldSlot = slot;
        thread.yieldWanted = wanted;
        thread.yielded = values;
    }

    /// Replaces the frame by a call of the function in `slot`, if that is written in Lua.
    private boolean tailCall(LuaThread thread, Frame frame, int slot) {
        if (!(thread.stack[slot] instanceof LuaClosure closure)) {
            return false;
        }
        int to = frame.base - 1;
        int count = thread.top - slot;
        machine.chargeValues(count);
        thread.close(frame.base);
        System.arraycopy(thread.stack, slot, thread.stack, to, count);
        int wanted = frame.wanted;
        thread.popFrame();
        enter(thread, closure, to, count - 1, wanted);
        return true;
    }

    /// Ends a frame, whose results are in the slots from `from` to `to`.
    private void leave(LuaThread thread, Frame frame, int from, int to) {
        if (thread.open != null) {
            thread.close(frame.base);
        }
        LuaValue[] stack = thread.stack;
        int target = frame.base - 1;
        int count = to - from;
        int wanted = frame.wanted < 0 ? count : frame.wanted;
        machine.chargeValues(count);
        System.arraycopy(stack, from, stack, target, Math.min(count, wanted));
        for (int i = count; i < wanted; i++) {
            stack[target + i] = LuaNil.NIL;
        }
        thread.top = target + wanted;
        thread.popFrame();
    }

    private LuaClosure closure(LuaThread thread, LuaClosure outer, Prototype prototype, int base) {
        UpValue[] upValues = new UpValue[prototype.outerSlots().length];
        machine.chargeBytes(64 + 32L * upValues.length);
        for (int i = 0; i < upValues.length; i++) {
            int slot = prototype.outerSlots()[i];
            upValues[i] = prototype.ofOuterLocal()[i] ? thread.upValue(base + slot) : outer.upValues[slot];
        }
        return new LuaClosure(prototype, upValues);
    }

    private void prepareFor(LuaValue[] stack, int slot) {
        double start = loopNumber(stack, slot, "initial value");
        loopNumber(stack, slot + 1, "limit");
        double step = loopNumber(stack, slot + 2, "step");
        stack[slot] = LuaNumber.of(start - step);
    }

    private double loopNumber(LuaValue[] stack, int slot, String what) {
        if (machine.toNumber(stack[slot]) instanceof LuaNumber number) {
            stack[slot] = number;
            return number.value();
        }
        throw LuaError.ofInstruction("'for' " + what + " must be a number");
    }

    /// The next value of the loop, or null when it has ended.
    private static @Nullable LuaNumber nextOf(LuaValue[] stack, int slot) {
        double step = ((LuaNumber) stack[slot + 2]).value();
        double limit = ((LuaNumber) stack[slot + 1]).value();
        double next = ((LuaNumber) stack[slot]).value() + step;
        boolean goesOn = step > 0 ? next <= limit : limit <= next;
        return goesOn ? LuaNumber.of(next) : null;
    }
}
