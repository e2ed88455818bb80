package io.tallis.script;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Gathers the instructions of one function while the parser reads it, with its scopes.
///
/// `height` is how many slots of the stack are in use after the last instruction: local variables and, above them,
/// intermediate values.
final class CodeWriter {
    private static final int MOST_LOCALS = 200;
    private static final int MOST_UPVALUES = 60;
    private static final int MOST_HEIGHT = 250;

    /// A scope of local variables.
    static final class Block {
        private final @Nullable Block outer;
        private final boolean isLoop;
        private final int height;
        private final int locals;
        private final List<Integer> breaks = new ArrayList<>();
        private boolean isCaptured;

        Block(@Nullable Block outer, boolean isLoop, int height, int locals) {
            this.outer = outer;
            this.isLoop = isLoop;
            this.height = height;
            this.locals = locals;
        }
    }

    private record Active(String name, int slot, int from, Block block) {}

    private record UpValueSpec(String name, boolean ofOuterLocal, int slot) {}

    private final @Nullable CodeWriter outer;
    private final Lexer lexer;
    private final int firstLine;
    private int[] code = new int[16];
    private int[] second = new int[16];
    private int[] lines = new int[16];
    private int[] producers = new int[16];
    private int size;
    private final List<LuaValue> constants = new ArrayList<>();
    private final Map<LuaValue, Integer> numbers = new HashMap<>();
    private final List<Prototype> functions = new ArrayList<>();
    private final List<UpValueSpec> upValues = new ArrayList<>();
    private final List<Active> active = new ArrayList<>();
    private final List<Prototype.Local> locals = new ArrayList<>();
    private Block block;
    private int height;
    private int most = 2;
    private int parameters;
    private boolean hasVarargs;

    CodeWriter(@Nullable CodeWriter outer, Lexer lexer) {
        this.outer = outer;
        this.lexer = lexer;
        firstLine = lexer.line();
        block = new Block(null, false, 0, 0);
    }

    @Nullable
    CodeWriter outer() {
        return outer;
    }

    int size() {
        return size;
    }

    int height() {
        return height;
    }

    boolean hasVarargs() {
        return hasVarargs;
    }

    void hasVarargs(boolean has) {
        hasVarargs = has;
    }

    void parameters(int number) {
        parameters = number;
    }

    // Instructions

    /// Adds an instruction that makes the stack `growth` slots higher. Returns its position.
    int emit(int op, int a, int b, int growth) {
        return emit(op, a, b, growth, -1);
    }

    int emit(int op, int a, int b, int growth, int producer) {
        if (size == code.length) {
            code = Arrays.copyOf(code, size * 2);
            second = Arrays.copyOf(second, size * 2);
            lines = Arrays.copyOf(lines, size * 2);
            producers = Arrays.copyOf(producers, size * 2);
        }
        code[size] = op | (a << Prototype.OP_BITS);
        second[size] = b;
        lines[size] = lexer.lastLine();
        producers[size] = producer;
        grow(growth);
        return size++;
    }

    private void grow(int growth) {
        height += growth;
        most = Math.max(most, height);
        if (height > MOST_HEIGHT) {
            throw lexer.error("function or expression too complex");
        }
    }

    int opAt(int position) {
        return code[position] & Prototype.OP_MASK;
    }

    int operandAt(int position) {
        return code[position] >>> Prototype.OP_BITS;
    }

    int producerOf(int position) {
        return producers[position];
    }

    /// The slots of the parameters are in use.
    void raiseTo(int slots) {
        grow(slots - height);
    }

    void lineAt(int position, int line) {
        lines[position] = line;
    }

    /// Sets how many results the call, or how many arguments the vararg expression, at this position leaves.
    void results(int position, int wanted) {
        int before = second[position];
        second[position] = wanted;
        grow(Math.max(wanted, 0) - Math.max(before, 0));
    }

    /// Takes the last instruction back, which made the stack `growth` slots higher.
    void retract(int growth) {
        size--;
        height -= growth;
    }

    void jumpsHere(int position) {
        if (opAt(position) == Op.FOR_LOOP || opAt(position) == Op.FOR_EACH || opAt(position) == Op.FOR_PREPARE) {
            second[position] = size;
        } else {
            code[position] = opAt(position) | (size << Prototype.OP_BITS);
        }
    }

    /// Pops down to a height.
    void setTop(int to) {
        if (height != to) {
            emit(Op.SET_TOP, to, 0, to - height);
        }
    }

    /// What follows a jump begins with this height.
    void assumeHeight(int now) {
        height = now;
        most = Math.max(most, now);
    }

    int constant(LuaValue value) {
        Integer known = numbers.get(value);
        // 0 and -0 are equal but differ.
        boolean isZero = value instanceof LuaNumber number && number.value() == 0;
        if (known != null && !isZero) {
            return known;
        }
        constants.add(value);
        numbers.put(value, constants.size() - 1);
        return constants.size() - 1;
    }

    LuaValue constantAt(int number) {
        return constants.get(number);
    }

    int function(Prototype prototype) {
        functions.add(prototype);
        return functions.size() - 1;
    }

    // Scopes

    /// Makes the value at `slot` a local variable.
    void declare(String name, int slot) {
        if (active.size() >= MOST_LOCALS) {
            throw limit(MOST_LOCALS, "local variables");
        }
        active.add(new Active(name, slot, size, block));
    }

    private LuaError limit(int most, String what) {
        String where = outer == null ? "main function" : "function at line " + firstLine;
        return lexer.located(where + " has more than " + most + " " + what, lexer.line());
    }

    /// The slot of a local variable, or -1.
    int local(String name) {
        for (int i = active.size() - 1; i >= 0; i--) {
            if (active.get(i).name.equals(name)) {
                return active.get(i).slot;
            }
        }
        return -1;
    }

    /// The number of the upvalue with this name, or -1 when no outer function has such a variable.
    int upValue(String name) {
        for (int i = 0; i < upValues.size(); i++) {
            if (upValues.get(i).name.equals(name)) {
                return i;
            }
        }
        if (outer == null) {
            return -1;
        }
        int slot = outer.local(name);
        boolean isLocal = slot >= 0;
        if (isLocal) {
            outer.capture(name);
        } else {
            slot = outer.upValue(name);
        }
        if (slot < 0) {
            return -1;
        }
        if (upValues.size() >= MOST_UPVALUES) {
            throw limit(MOST_UPVALUES, "upvalues");
        }
        upValues.add(new UpValueSpec(name, isLocal, slot));
        return upValues.size() - 1;
    }

    private void capture(String name) {
        for (int i = active.size() - 1; i >= 0; i--) {
            if (active.get(i).name.equals(name)) {
                active.get(i).block.isCaptured = true;
                return;
            }
        }
    }

    Block enter(boolean isLoop) {
        block = new Block(block, isLoop, height, active.size());
        return block;
    }

    /// Ends the present scope: its variables are popped, and jumps out of a loop end here.
    void leave() {
        Block ended = block;
        closeAndPop(ended);
        forget(ended.locals);
        ended.breaks.forEach(this::jumpsHere);
        block = ended.outer == null ? ended : ended.outer;
    }

    /// Closes the upvalues of the present scope and pops its variables, on one of several ways out of it.
    void closeAndPop(Block scope) {
        if (scope.isCaptured) {
            emit(Op.CLOSE, scope.height, 0, 0);
        }
        setTop(scope.height);
    }

    private void forget(int from) {
        while (active.size() > from) {
            Active ended = active.removeLast();
            locals.add(new Prototype.Local(ended.name, ended.slot, ended.from, size));
        }
    }

    void emitBreak() {
        Block loop = block;
        boolean isCaptured = false;
        while (!loop.isLoop) {
            isCaptured |= loop.isCaptured;
            if (loop.outer == null) {
                throw lexer.error("no loop to break");
            }
            loop = loop.outer;
        }
        int before = height;
        if (isCaptured || loop.isCaptured) {
            emit(Op.CLOSE, loop.height, 0, 0);
        }
        setTop(loop.height);
        loop.breaks.add(emit(Op.JUMP, 0, 0, 0));
        assumeHeight(before);
    }

    Prototype finish() {
        forget(0);
        return new Prototype(
                lexer.chunk(),
                parameters,
                hasVarargs,
                Arrays.copyOf(code, size),
                Arrays.copyOf(second, size),
                Arrays.copyOf(lines, size),
                Arrays.copyOf(producers, size),
                constants.toArray(LuaValue.NONE),
                functions.toArray(new Prototype[0]),
                ofOuterLocal(),
                upValues.stream().mapToInt(UpValueSpec::slot).toArray(),
                upValues.stream().map(UpValueSpec::name).toArray(String[]::new),
                List.copyOf(locals),
                most);
    }

    /// Whether each upvalue is a local variable of the outer function.
    boolean[] ofOuterLocal() {
        boolean[] of = new boolean[upValues.size()];
        for (int i = 0; i < of.length; i++) {
            of[i] = upValues.get(i).ofOuterLocal;
        }
        return of;
    }
}
