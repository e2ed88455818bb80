package io.tallis.script;

import java.util.ArrayList;
import java.util.List;

/// Compiles a script in one pass: recursive descent over the grammar of Lua 5.1, which writes instructions as it reads.
public final class Parser {
    private static final int MOST_LEVELS = 200;

    /// Elements of a table constructor that wait on the stack.
    private static final int LIST_PIECE = 50;

    private static final int UNARY_PRIORITY = 8;
    private static final int NO_CALL = -1;

    /// A binary operator: how strongly it binds on both sides, and its instruction.
    private record Operator(int left, int right, int op) {
        static final Operator NONE = new Operator(0, 0, 0);
    }

    /// What an expression with suffixes turned out to be.
    private enum Suffixed {
        VARIABLE,
        INDEXED,
        CALL,
        OTHER
    }

    /// A variable or table entry that an assignment names. The table of an entry, and its key, are at `slot`.
    private record Target(int op, int operand, int slot, int producer) {
        Target(int op, int operand) {
            this(op, operand, 0, -1);
        }
    }

    private final Lexer lexer;
    private CodeWriter code;
    private int levels;

    /// The call or vararg expression that the last expression consists of, or [#NO_CALL].
    private int open = NO_CALL;

    private Parser(byte[] text, String chunk) {
        lexer = new Lexer(text, chunk);
        code = new CodeWriter(null, lexer);
    }

    /// Compiles a text. `chunk` names it in messages.
    ///
    /// @throws LuaError with Lua's message if it is no valid script
    public static Prototype compile(byte[] text, String chunk) {
        Parser parser = new Parser(text, chunk);
        parser.code.hasVarargs(true);
        parser.lexer.next();
        parser.chunk();
        parser.expect(Token.EOF);
        return parser.finish();
    }

    private Prototype finish() {
        code.emit(Op.RETURN, code.height(), 0, 0);
        return code.finish();
    }

    // Words

    private boolean is(Token token) {
        return lexer.token() == token;
    }

    private boolean take(Token token) {
        if (is(token)) {
            lexer.next();
            return true;
        }
        return false;
    }

    private void expect(Token token) {
        if (!is(token)) {
            throw lexer.error("'" + token.text() + "' expected");
        }
    }

    private void require(Token token) {
        expect(token);
        lexer.next();
    }

    private void requireEnd(Token end, Token beginning, int line) {
        if (take(end)) {
            return;
        }
        if (line == lexer.line()) {
            throw lexer.error("'" + end.text() + "' expected");
        }
        throw lexer.error("'" + end.text() + "' expected (to close '" + beginning.text() + "' at line " + line + ")");
    }

    private LuaString name() {
        expect(Token.NAME);
        LuaString name = lexer.string();
        lexer.next();
        return name;
    }

    private void enterLevel() {
        if (++levels > MOST_LEVELS) {
            throw lexer.located("chunk has too many syntax levels", lexer.line());
        }
    }

    // Statements

    private boolean endsBlock() {
        return switch (lexer.token()) {
            case ELSE, ELSEIF, END, EOF, UNTIL -> true;
            default -> false;
        };
    }

    private void block() {
        code.enter(false);
        chunk();
        code.leave();
    }

    private void chunk() {
        enterLevel();
        boolean isLast = false;
        while (!isLast && !endsBlock()) {
            isLast = statement();
            take(Token.SEMICOLON);
        }
        levels--;
    }

    /// Returns whether it must be the last one of its block.
    private boolean statement() {
        int line = lexer.line();
        switch (lexer.token()) {
            case IF -> ifStatement(line);
            case WHILE -> whileStatement(line);
            case DO -> {
                lexer.next();
                block();
                requireEnd(Token.END, Token.DO, line);
            }
            case FOR -> forStatement(line);
            case REPEAT -> repeatStatement(line);
            case FUNCTION -> functionStatement(line);
            case LOCAL -> {
                lexer.next();
                if (take(Token.FUNCTION)) {
                    localFunction(line);
                } else {
                    localStatement();
                }
            }
            case RETURN -> {
                returnStatement();
                return true;
            }
            case BREAK -> {
                lexer.next();
                code.emitBreak();
                return true;
            }
            default -> expressionStatement();
        }
        return false;
    }

    private void ifStatement(int line) {
        List<Integer> toEnd = new ArrayList<>();
        int unless = condition(Token.THEN);
        while (is(Token.ELSEIF) || is(Token.ELSE)) {
            toEnd.add(code.emit(Op.JUMP, 0, 0, 0));
            code.jumpsHere(unless);
            if (take(Token.ELSE)) {
                block();
                requireEnd(Token.END, Token.IF, line);
                toEnd.forEach(code::jumpsHere);
                return;
            }
            unless = condition(Token.THEN);
        }
        code.jumpsHere(unless);
        toEnd.forEach(code::jumpsHere);
        requireEnd(Token.END, Token.IF, line);
    }

    /// `if condition then block`: returns the jump that skips the block.
    private int condition(Token then) {
        lexer.next();
        expression();
        require(then);
        int unless = code.emit(Op.JUMP_UNLESS, 0, 0, -1);
        block();
        return unless;
    }

    private void whileStatement(int line) {
        lexer.next();
        int start = code.size();
        expression();
        int unless = code.emit(Op.JUMP_UNLESS, 0, 0, -1);
        code.enter(true);
        require(Token.DO);
        block();
        code.emit(Op.JUMP, start, 0, 0);
        requireEnd(Token.END, Token.WHILE, line);
        code.leave();
        code.jumpsHere(unless);
    }

    private void repeatStatement(int line) {
        lexer.next();
        int start = code.size();
        code.enter(true);
        CodeWriter.Block scope = code.enter(false);
        chunk();
        requireEnd(Token.UNTIL, Token.REPEAT, line);
        expression();
        int again = code.emit(Op.JUMP_UNLESS, 0, 0, -1);
        int height = code.height();
        code.closeAndPop(scope);
        int exit = code.emit(Op.JUMP, 0, 0, 0);
        code.jumpsHere(again);
        code.assumeHeight(height);
        code.leave();
        code.emit(Op.JUMP, start, 0, 0);
        code.leave();
        code.jumpsHere(exit);
    }

    private void forStatement(int line) {
        lexer.next();
        code.enter(true);
        LuaString first = name();
        switch (lexer.token()) {
            case ASSIGN -> numericFor(first, line);
            case COMMA, IN -> genericFor(first, line);
            default -> throw lexer.error("'=' or 'in' expected");
        }
        requireEnd(Token.END, Token.FOR, line);
        code.leave();
    }

    private void numericFor(LuaString variable, int line) {
        int slot = code.height();
        lexer.next();
        expression();
        require(Token.COMMA);
        expression();
        if (take(Token.COMMA)) {
            expression();
        } else {
            code.emit(Op.CONSTANT, code.constant(LuaNumber.of(1)), 0, 1);
        }
        int prepare = code.emit(Op.FOR_PREPARE, slot, 0, 0);
        code.lineAt(prepare, line);
        int start = code.size();
        require(Token.DO);
        code.enter(false);
        code.assumeHeight(slot + 4);
        code.declare(variable.toString(), slot + 3);
        block();
        code.leave();
        code.assumeHeight(slot + 3);
        code.jumpsHere(prepare);
        int loop = code.emit(Op.FOR_LOOP, slot, start, 1);
        code.lineAt(loop, line);
        code.assumeHeight(slot + 3);
    }

    private void genericFor(LuaString first, int line) {
        int slot = code.height();
        List<LuaString> names = new ArrayList<>();
        names.add(first);
        while (take(Token.COMMA)) {
            names.add(name());
        }
        require(Token.IN);
        int listLine = lexer.line();
        adjust(expressions(), 3);
        require(Token.DO);
        int prepare = code.emit(Op.JUMP, 0, 0, 0);
        int start = code.size();
        code.enter(false);
        code.assumeHeight(slot + 3 + names.size());
        for (int i = 0; i < names.size(); i++) {
            code.declare(names.get(i).toString(), slot + 3 + i);
        }
        block();
        code.leave();
        code.assumeHeight(slot + 3);
        code.jumpsHere(prepare);
        int call = code.emit(Op.FOR_CALL, slot, names.size(), names.size());
        code.lineAt(call, listLine);
        int each = code.emit(Op.FOR_EACH, slot, start, -names.size());
        code.lineAt(each, line);
    }

    private void functionStatement(int line) {
        lexer.next();
        LuaString first = name();
        Target target = variable(first);
        boolean isMethod = false;
        if (is(Token.DOT) || is(Token.COLON)) {
            pushVariable(first);
            int slot = code.height() - 1;
            while (true) {
                isMethod = is(Token.COLON);
                lexer.next();
                int key = code.constant(name());
                if (!isMethod && (is(Token.DOT) || is(Token.COLON))) {
                    code.emit(Op.FIELD, key, 0, 0, code.size() - 1);
                    continue;
                }
                int producer = code.size() - 1;
                code.emit(Op.CONSTANT, key, 0, 1);
                target = new Target(Op.SET_INDEX, 0, slot, producer);
                break;
            }
        }
        function(isMethod, line);
        assign(target, true);
    }

    private void localFunction(int line) {
        LuaString name = name();
        int slot = code.height();
        code.emit(Op.NIL, 1, 0, 1);
        code.declare(name.toString(), slot);
        function(false, line);
        code.emit(Op.SET_LOCAL, slot, 0, -1);
    }

    private void localStatement() {
        int slot = code.height();
        List<LuaString> names = new ArrayList<>();
        do {
            names.add(name());
        } while (take(Token.COMMA));
        adjust(take(Token.ASSIGN) ? expressions() : 0, names.size());
        for (int i = 0; i < names.size(); i++) {
            code.declare(names.get(i).toString(), slot + i);
        }
    }

    private void returnStatement() {
        lexer.next();
        int slot = code.height();
        if (endsBlock() || is(Token.SEMICOLON)) {
            code.emit(Op.RETURN, slot, 0, 0);
            return;
        }
        int count = expressions();
        if (count == 1 && open != NO_CALL && code.opAt(open) == Op.CALL) {
            // The call is the last instruction.
            int producer = code.producerOf(open);
            code.retract(1);
            code.emit(Op.TAIL_CALL, slot, -1, 0, producer);
        } else {
            openLast();
        }
        code.emit(Op.RETURN, slot, 0, 0);
        code.assumeHeight(slot);
    }

    private void expressionStatement() {
        int slot = code.height();
        Suffixed kind = suffixedExpression();
        if (kind == Suffixed.CALL) {
            code.results(open, 0);
            return;
        }
        assignment(target(kind), slot);
    }

    private void assignment(Target first, int slot) {
        List<Target> targets = new ArrayList<>();
        targets.add(first);
        while (take(Token.COMMA)) {
            Suffixed kind = suffixedExpression();
            if (kind == Suffixed.CALL) {
                throw lexer.error("syntax error");
            }
            targets.add(target(kind));
            if (targets.size() > MOST_LEVELS) {
                throw lexer.located("variables in assignment has more than " + MOST_LEVELS + " items", lexer.line());
            }
        }
        require(Token.ASSIGN);
        adjust(expressions(), targets.size());
        for (int i = targets.size() - 1; i >= 0; i--) {
            assign(targets.get(i), targets.size() == 1);
        }
        code.setTop(slot);
    }

    /// Makes a target of the expression that was read last, by taking back its last instruction.
    private Target target(Suffixed kind) {
        int last = code.size() - 1;
        int operand = kind == Suffixed.OTHER ? 0 : code.operandAt(last);
        int op = kind == Suffixed.OTHER ? -1 : code.opAt(last);
        return switch (op) {
            case Op.GET_LOCAL -> {
                code.retract(1);
                yield new Target(Op.SET_LOCAL, operand);
            }
            case Op.GET_UPVALUE -> {
                code.retract(1);
                yield new Target(Op.SET_UPVALUE, operand);
            }
            case Op.GET_GLOBAL -> {
                code.retract(1);
                yield new Target(Op.SET_GLOBAL, operand);
            }
            case Op.FIELD -> {
                int producer = code.producerOf(last);
                code.retract(0);
                code.emit(Op.CONSTANT, operand, 0, 1);
                yield new Target(Op.SET_INDEX, 0, code.height() - 2, producer);
            }
            case Op.INDEX -> {
                int producer = code.producerOf(last);
                code.retract(-1);
                yield new Target(Op.SET_INDEX, 0, code.height() - 2, producer);
            }
            default -> throw lexer.error("syntax error");
        };
    }

    /// Pops a value into a target; if `isOnly`, table and key are popped with it.
    private void assign(Target target, boolean isOnly) {
        if (target.op == Op.SET_INDEX) {
            code.emit(Op.SET_INDEX, target.slot, isOnly ? 1 : 0, isOnly ? -3 : -1, target.producer);
        } else {
            code.emit(target.op, target.operand, 0, -1);
        }
    }

    // Lists of expressions

    /// Returns how many there are, at least one.
    private int expressions() {
        int count = 1;
        expression();
        while (take(Token.COMMA)) {
            expression();
            count++;
        }
        return count;
    }

    /// Has the last expression leave all its values.
    private boolean openLast() {
        if (open == NO_CALL) {
            return false;
        }
        code.results(open, -1);
        return true;
    }

    /// Makes `wanted` values of those of `count` expressions.
    private void adjust(int count, int wanted) {
        if (count > 0 && open != NO_CALL && wanted >= count) {
            code.results(open, wanted - count + 1);
        } else if (count > wanted) {
            code.setTop(code.height() - (count - wanted));
        } else if (count < wanted) {
            code.emit(Op.NIL, wanted - count, 0, wanted - count);
        }
    }

    // Expressions: each pushes one value.

    private void expression() {
        subexpression(0);
    }

    private static Operator operator(Token token) {
        return switch (token) {
            case OR -> new Operator(1, 1, Op.OR);
            case AND -> new Operator(2, 2, Op.AND);
            case LESS -> new Operator(3, 3, Op.LESS);
            case GREATER -> new Operator(3, 3, Op.GREATER);
            case LESS_EQUAL -> new Operator(3, 3, Op.LESS_EQUAL);
            case GREATER_EQUAL -> new Operator(3, 3, Op.GREATER_EQUAL);
            case NOT_EQUAL -> new Operator(3, 3, Op.NOT_EQUAL);
            case EQUAL -> new Operator(3, 3, Op.EQUAL);
            case CONCAT -> new Operator(5, 4, Op.CONCAT);
            case PLUS -> new Operator(6, 6, Op.ADD);
            case MINUS -> new Operator(6, 6, Op.SUBTRACT);
            case STAR -> new Operator(7, 7, Op.MULTIPLY);
            case SLASH -> new Operator(7, 7, Op.DIVIDE);
            case PERCENT -> new Operator(7, 7, Op.MODULO);
            case CARET -> new Operator(10, 9, Op.POWER);
            default -> Operator.NONE;
        };
    }

    private void subexpression(int limit) {
        enterLevel();
        switch (lexer.token()) {
            case NOT -> unary(Op.NOT);
            case MINUS -> unary(Op.NEGATE);
            case HASH -> unary(Op.LENGTH);
            default -> simpleExpression();
        }
        Operator operator = operator(lexer.token());
        while (operator.left > limit) {
            binary(operator);
            operator = operator(lexer.token());
        }
        levels--;
    }

    private void unary(int op) {
        int line = lexer.line();
        lexer.next();
        int start = code.size();
        subexpression(UNARY_PRIORITY);
        open = NO_CALL;
        boolean isConstant = op == Op.NEGATE && code.size() == start + 1 && code.opAt(start) == Op.CONSTANT;
        if (isConstant && code.constantAt(code.operandAt(start)) instanceof LuaNumber number) {
            code.retract(1);
            code.emit(Op.CONSTANT, code.constant(LuaNumber.of(-number.value())), 0, 1);
            return;
        }
        code.lineAt(code.emit(op, 0, 0, 0, code.size() - 1), line);
    }

    private void binary(Operator operator) {
        int line = lexer.line();
        int left = code.size() - 1;
        lexer.next();
        if (operator.op == Op.AND || operator.op == Op.OR) {
            int jump = code.emit(operator.op, 0, 0, -1);
            subexpression(operator.right);
            code.jumpsHere(jump);
        } else {
            subexpression(operator.right);
            code.lineAt(code.emit(operator.op, 0, 0, -1, left), line);
        }
        open = NO_CALL;
    }

    private void simpleExpression() {
        open = NO_CALL;
        switch (lexer.token()) {
            case NUMBER, STRING -> code.emit(Op.CONSTANT, code.constant(lexer.value()), 0, 1);
            case NIL -> code.emit(Op.NIL, 1, 0, 1);
            case TRUE -> code.emit(Op.TRUE, 0, 0, 1);
            case FALSE -> code.emit(Op.FALSE, 0, 0, 1);
            case DOTS -> {
                if (!code.hasVarargs()) {
                    throw lexer.error("cannot use '...' outside a vararg function");
                }
                open = code.emit(Op.VARARGS, 0, 1, 1);
            }
            case OPEN_BRACE -> {
                constructor();
                return;
            }
            case FUNCTION -> {
                int line = lexer.line();
                lexer.next();
                function(false, line);
                return;
            }
            default -> {
                suffixedExpression();
                return;
            }
        }
        lexer.next();
    }

    private Suffixed suffixedExpression() {
        Suffixed kind = primaryExpression();
        int slot = code.height() - 1;
        while (true) {
            switch (lexer.token()) {
                case DOT -> {
                    lexer.next();
                    code.emit(Op.FIELD, code.constant(name()), 0, 0, code.size() - 1);
                    kind = Suffixed.INDEXED;
                    open = NO_CALL;
                }
                case OPEN_BRACKET -> {
                    index();
                    kind = Suffixed.INDEXED;
                }
                case COLON -> {
                    lexer.next();
                    code.emit(Op.SELF, code.constant(name()), 0, 1, code.size() - 1);
                    call(slot);
                    kind = Suffixed.CALL;
                }
                case OPEN, STRING, OPEN_BRACE -> {
                    call(slot);
                    kind = Suffixed.CALL;
                }
                default -> {
                    return kind;
                }
            }
        }
    }

    private void index() {
        int producer = code.size() - 1;
        lexer.next();
        int start = code.size();
        expression();
        require(Token.CLOSE_BRACKET);
        open = NO_CALL;
        boolean isConstant = code.size() == start + 1 && code.opAt(start) == Op.CONSTANT;
        if (isConstant && code.constantAt(code.operandAt(start)) instanceof LuaString) {
            int key = code.operandAt(start);
            code.retract(1);
            code.emit(Op.FIELD, key, 0, 0, producer);
        } else {
            code.emit(Op.INDEX, 0, 0, -1, producer);
        }
    }

    private Suffixed primaryExpression() {
        int line = lexer.line();
        return switch (lexer.token()) {
            case NAME -> {
                pushVariable(name());
                yield Suffixed.VARIABLE;
            }
            case OPEN -> {
                lexer.next();
                expression();
                requireEnd(Token.CLOSE, Token.OPEN, line);
                open = NO_CALL;
                yield Suffixed.OTHER;
            }
            default -> throw lexer.error("unexpected symbol");
        };
    }

    private void call(int slot) {
        int producer = code.size() - 1;
        int line = lexer.line();
        switch (lexer.token()) {
            case STRING -> {
                code.emit(Op.CONSTANT, code.constant(lexer.value()), 0, 1);
                lexer.next();
            }
            case OPEN_BRACE -> constructor();
            case OPEN -> {
                if (line != lexer.lastLine()) {
                    throw lexer.error("ambiguous syntax (function call x new statement)");
                }
                lexer.next();
                if (!is(Token.CLOSE)) {
                    expressions();
                    openLast();
                }
                requireEnd(Token.CLOSE, Token.OPEN, line);
            }
            default -> throw lexer.error("function arguments expected");
        }
        open = code.emit(Op.CALL, slot, 1, slot + 1 - code.height(), producer);
        code.lineAt(open, line);
    }

    private Target variable(LuaString name) {
        int slot = code.local(name.toString());
        if (slot >= 0) {
            return new Target(Op.SET_LOCAL, slot);
        }
        int upValue = code.upValue(name.toString());
        return upValue >= 0 ? new Target(Op.SET_UPVALUE, upValue) : new Target(Op.SET_GLOBAL, code.constant(name));
    }

    private void pushVariable(LuaString name) {
        open = NO_CALL;
        Target target = variable(name);
        int op = switch (target.op) {
            case Op.SET_LOCAL -> Op.GET_LOCAL;
            case Op.SET_UPVALUE -> Op.GET_UPVALUE;
            default -> Op.GET_GLOBAL;
        };
        code.emit(op, target.operand, 0, 1);
    }

    private void constructor() {
        int line = lexer.line();
        int slot = code.height();
        code.emit(Op.NEW_TABLE, 0, 0, 1);
        lexer.next();
        int waiting = 0;
        int next = 1;
        open = NO_CALL;
        while (!is(Token.CLOSE_BRACE)) {
            open = NO_CALL;
            if (waiting == LIST_PIECE) {
                code.emit(Op.SET_LIST, slot, next, -waiting);
                next += waiting;
                waiting = 0;
            }
            boolean isNamed = is(Token.NAME) && lexer.isFollowedBy('=');
            if (isNamed || is(Token.OPEN_BRACKET)) {
                entry(isNamed, slot);
            } else {
                expression();
                waiting++;
            }
            if (!take(Token.COMMA) && !take(Token.SEMICOLON)) {
                break;
            }
        }
        requireEnd(Token.CLOSE_BRACE, Token.OPEN_BRACE, line);
        if (waiting > 0) {
            openLast();
            code.emit(Op.SET_LIST, slot, next, slot + 1 - code.height());
        }
        open = NO_CALL;
    }

    private void entry(boolean isNamed, int slot) {
        if (isNamed) {
            code.emit(Op.CONSTANT, code.constant(name()), 0, 1);
        } else {
            lexer.next();
            expression();
            require(Token.CLOSE_BRACKET);
        }
        require(Token.ASSIGN);
        expression();
        open = NO_CALL;
        code.emit(Op.SET_ENTRY, slot, 0, -2);
    }

    private void function(boolean isMethod, int line) {
        CodeWriter outer = code;
        code = new CodeWriter(outer, lexer);
        parameters(isMethod);
        chunk();
        requireEnd(Token.END, Token.FUNCTION, line);
        Prototype prototype = finish();
        code = outer;
        code.emit(Op.CLOSURE, code.function(prototype), 0, 1);
        open = NO_CALL;
    }

    private void parameters(boolean isMethod) {
        int count = 0;
        if (isMethod) {
            code.declare("self", count++);
        }
        require(Token.OPEN);
        while (!is(Token.CLOSE)) {
            if (take(Token.DOTS)) {
                code.hasVarargs(true);
                break;
            }
            if (!is(Token.NAME)) {
                throw lexer.error("<name> or '...' expected");
            }
            code.declare(name().toString(), count++);
            if (!take(Token.COMMA)) {
                break;
            }
            if (is(Token.CLOSE)) {
                throw lexer.error("<name> or '...' expected");
            }
        }
        require(Token.CLOSE);
        code.parameters(count);
        code.raiseTo(count);
    }
}
