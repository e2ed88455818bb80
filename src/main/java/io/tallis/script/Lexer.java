package io.tallis.script;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/// Cuts the text of a script into words.
final class Lexer {
    private static final int EOF = -1;
    private static final int MOST_SHOWN = 80;
    private static final Map<String, Token> RESERVED = new HashMap<>();

    static {
        for (Token token : Token.values()) {
            if (token.compareTo(Token.WHILE) <= 0) {
                RESERVED.put(token.text(), token);
            }
        }
    }

    private final byte[] text;
    private final String chunk;
    private int at;
    private int line = 1;

    private Token token = Token.EOF;
    private LuaValue value = LuaNil.NIL;
    private int tokenStart;
    private int tokenLine = 1;
    private int lastLine = 1;

    Lexer(byte[] text, String chunk) {
        this.text = text;
        this.chunk = chunk;
        if (text.length > 0 && text[0] == '#') {
            while (letter() != EOF && letter() != '\n') {
                at++;
            }
        }
    }

    String chunk() {
        return chunk;
    }

    /// The present word.
    Token token() {
        return token;
    }

    /// The string, name or number of the present word.
    LuaValue value() {
        return value;
    }

    LuaString string() {
        return (LuaString) value;
    }

    int line() {
        return tokenLine;
    }

    /// The line of the word before.
    int lastLine() {
        return lastLine;
    }

    /// Whether the word after the present one is this letter, without moving on.
    boolean isFollowedBy(char letter) {
        int next = at;
        while (next < text.length && Letters.isSpace(text[next])) {
            next++;
        }
        return next < text.length && text[next] == letter && (next + 1 == text.length || text[next + 1] != letter);
    }

    LuaError error(String message) {
        return located(message + " near '" + shown() + "'", tokenLine);
    }

    LuaError located(String message, int atLine) {
        return new LuaError(LuaString.of(chunk + ":" + atLine + ": " + message));
    }

    private String shown() {
        if (token == Token.EOF) {
            return token.text();
        }
        int length = Math.min(at - tokenStart, MOST_SHOWN);
        return new String(text, tokenStart, length, StandardCharsets.UTF_8);
    }

    private LuaError unfinished(String what) {
        token = at >= text.length ? Token.EOF : Token.OTHER;
        tokenLine = line;
        return error(what);
    }

    void next() {
        lastLine = tokenLine;
        skipSpace();
        tokenStart = at;
        tokenLine = line;
        token = read();
    }

    private int letter() {
        return at < text.length ? text[at] & 0xFF : EOF;
    }

    private boolean take(char expected) {
        if (letter() == expected) {
            at++;
            return true;
        }
        return false;
    }

    private void skipSpace() {
        while (true) {
            int letter = letter();
            if (letter == '\n') {
                line++;
                at++;
            } else if (Letters.isSpace(letter)) {
                at++;
            } else if (letter == '-' && at + 1 < text.length && text[at + 1] == '-') {
                at += 2;
                skipComment();
            } else {
                return;
            }
        }
    }

    private void skipComment() {
        int level = letter() == '[' ? longLevel() : -1;
        if (level >= 0) {
            tokenLine = line;
            readLong(level, "comment");
            return;
        }
        while (letter() != EOF && letter() != '\n') {
            at++;
        }
    }

    /// The number of equals signs of `[==[`, which it passes, or -1.
    private int longLevel() {
        int end = at + 1;
        while (end < text.length && text[end] == '=') {
            end++;
        }
        if (end >= text.length || text[end] != '[') {
            return -1;
        }
        int level = end - at - 1;
        at = end + 1;
        return level;
    }

    private LuaString readLong(int level, String what) {
        if (letter() == '\r' || letter() == '\n') {
            skipLineEnd();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        while (true) {
            int letter = letter();
            if (letter == EOF) {
                throw unfinished("unfinished long " + what);
            }
            if (letter == ']' && closes(level)) {
                at += level + 2;
                return LuaString.of(out.toByteArray());
            }
            if (letter == '\r' || letter == '\n') {
                skipLineEnd();
                out.write('\n');
            } else {
                out.write(letter);
                at++;
            }
        }
    }

    private boolean closes(int level) {
        for (int i = 1; i <= level; i++) {
            if (at + i >= text.length || text[at + i] != '=') {
                return false;
            }
        }
        return at + level + 1 < text.length && text[at + level + 1] == ']';
    }

    private void skipLineEnd() {
        int first = letter();
        at++;
        int second = letter();
        if ((second == '\r' || second == '\n') && second != first) {
            at++;
        }
        line++;
    }

    private Token read() {
        int letter = letter();
        if (letter == EOF) {
            return Token.EOF;
        }
        if (Letters.isAlpha(letter) || letter == '_') {
            return readName();
        }
        if (Letters.isDigit(letter) || (letter == '.' && at + 1 < text.length && Letters.isDigit(text[at + 1]))) {
            return readNumber();
        }
        at++;
        return switch (letter) {
            case '"', '\'' -> readString(letter);
            case '[' -> {
                at--;
                int level = longLevel();
                if (level < 0) {
                    at++;
                    yield Token.OPEN_BRACKET;
                }
                value = readLong(level, "string");
                yield Token.STRING;
            }
            case '=' -> take('=') ? Token.EQUAL : Token.ASSIGN;
            case '<' -> take('=') ? Token.LESS_EQUAL : Token.LESS;
            case '>' -> take('=') ? Token.GREATER_EQUAL : Token.GREATER;
            case '~' -> take('=') ? Token.NOT_EQUAL : Token.OTHER;
            case '.' -> {
                if (!take('.')) {
                    yield Token.DOT;
                }
                yield take('.') ? Token.DOTS : Token.CONCAT;
            }
            default -> single(letter);
        };
    }

    private static Token single(int letter) {
        return switch (letter) {
            case '+' -> Token.PLUS;
            case '-' -> Token.MINUS;
            case '*' -> Token.STAR;
            case '/' -> Token.SLASH;
            case '%' -> Token.PERCENT;
            case '^' -> Token.CARET;
            case '#' -> Token.HASH;
            case '(' -> Token.OPEN;
            case ')' -> Token.CLOSE;
            case '{' -> Token.OPEN_BRACE;
            case '}' -> Token.CLOSE_BRACE;
            case ']' -> Token.CLOSE_BRACKET;
            case ';' -> Token.SEMICOLON;
            case ':' -> Token.COLON;
            case ',' -> Token.COMMA;
            default -> Token.OTHER;
        };
    }

    private Token readName() {
        int start = at;
        while (Letters.isAlphanumeric(letter()) || letter() == '_') {
            at++;
        }
        String name = new String(text, start, at - start, StandardCharsets.ISO_8859_1);
        Token reserved = RESERVED.get(name);
        if (reserved != null) {
            return reserved;
        }
        value = LuaString.of(name);
        return Token.NAME;
    }

    private Token readNumber() {
        int start = at;
        while (Letters.isDigit(letter()) || letter() == '.') {
            at++;
        }
        if (letter() == 'e' || letter() == 'E') {
            at++;
            if (letter() == '+' || letter() == '-') {
                at++;
            }
        }
        while (Letters.isAlphanumeric(letter()) || letter() == '_') {
            at++;
        }
        value = NumberText.parse(LuaString.of(new String(text, start, at - start, StandardCharsets.ISO_8859_1)));
        if (value.isNil()) {
            throw error("malformed number");
        }
        return Token.NUMBER;
    }

    private Token readString(int quote) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        while (letter() != quote) {
            int letter = letter();
            if (letter == EOF || letter == '\n' || letter == '\r') {
                throw unfinished("unfinished string");
            }
            at++;
            if (letter == '\\') {
                readEscape(out);
            } else {
                out.write(letter);
            }
        }
        at++;
        value = LuaString.of(out.toByteArray());
        return Token.STRING;
    }

    private void readEscape(ByteArrayOutputStream out) {
        int letter = letter();
        switch (letter) {
            case 'a' -> out.write(7);
            case 'b' -> out.write('\b');
            case 'f' -> out.write('\f');
            case 'n' -> out.write('\n');
            case 'r' -> out.write('\r');
            case 't' -> out.write('\t');
            case 'v' -> out.write(11);
            case '\n', '\r' -> {
                skipLineEnd();
                out.write('\n');
                return;
            }
            case EOF -> {
                return;
            }
            default -> {
                if (Letters.isDigit(letter)) {
                    out.write(readCode());
                    return;
                }
                out.write(letter);
            }
        }
        at++;
    }

    private int readCode() {
        int code = 0;
        for (int digits = 0; digits < 3 && Letters.isDigit(letter()); digits++) {
            code = code * 10 + letter() - '0';
            at++;
        }
        if (code > 255) {
            throw error("escape sequence too large");
        }
        return code;
    }
}
