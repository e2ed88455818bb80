package io.tallis.script;

/// Kinds of words of a script.
enum Token {
    AND("and"),
    BREAK("break"),
    DO("do"),
    ELSE("else"),
    ELSEIF("elseif"),
    END("end"),
    FALSE("false"),
    FOR("for"),
    FUNCTION("function"),
    IF("if"),
    IN("in"),
    LOCAL("local"),
    NIL("nil"),
    NOT("not"),
    OR("or"),
    REPEAT("repeat"),
    RETURN("return"),
    THEN("then"),
    TRUE("true"),
    UNTIL("until"),
    WHILE("while"),
    CONCAT(".."),
    DOTS("..."),
    EQUAL("=="),
    GREATER_EQUAL(">="),
    LESS_EQUAL("<="),
    NOT_EQUAL("~="),
    NUMBER("<number>"),
    NAME("<name>"),
    STRING("<string>"),
    EOF("<eof>"),
    PLUS("+"),
    MINUS("-"),
    STAR("*"),
    SLASH("/"),
    PERCENT("%"),
    CARET("^"),
    HASH("#"),
    LESS("<"),
    GREATER(">"),
    ASSIGN("="),
    OPEN("("),
    CLOSE(")"),
    OPEN_BRACE("{"),
    CLOSE_BRACE("}"),
    OPEN_BRACKET("["),
    CLOSE_BRACKET("]"),
    SEMICOLON(";"),
    COLON(":"),
    COMMA(","),
    DOT("."),
    /// Any other letter.
    OTHER("");

    private final String text;

    Token(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }
}
