package io.tallis.script;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// `cjson.decode`
final class JsonReader {
    private static final int MOST_DIGITS = 128;

    private final Machine machine;
    private final int mostDepth;
    private final byte[] text;
    private int at;

    JsonReader(Machine machine, int mostDepth, byte[] text) {
        this.machine = machine;
        this.mostDepth = mostDepth;
        this.text = text;
    }

    LuaValue read() {
        machine.chargeBytes(text.length);
        if (text.length >= 2 && (text[0] == 0 || text[1] == 0)) {
            throw new LuaError("JSON parser does not support UTF-16 or UTF-32");
        }
        LuaValue value = value(0);
        skipSpace();
        if (at < text.length) {
            throw unexpected("the end");
        }
        return value;
    }

    private int letter() {
        return at < text.length ? text[at] : -1;
    }

    private void skipSpace() {
        while (letter() == ' ' || letter() == '\t' || letter() == '\n' || letter() == '\r') {
            at++;
        }
    }

    private LuaError unexpected(String expected) {
        return failed(expected, tokenName(), at);
    }

    private static LuaError failed(String expected, String found, int where) {
        return new LuaError("Expected " + expected + " but found " + found + " at character " + (where + 1));
    }

    private String tokenName() {
        return switch (letter()) {
            case -1 -> "T_END";
            case '{' -> "T_OBJ_BEGIN";
            case '}' -> "T_OBJ_END";
            case '[' -> "T_ARR_BEGIN";
            case ']' -> "T_ARR_END";
            case ',' -> "T_COMMA";
            case ':' -> "T_COLON";
            case '"' -> "T_STRING";
            case 't', 'f' -> startsWith("true") || startsWith("false") ? "T_BOOLEAN" : "invalid token";
            case 'n' -> startsWith("null") ? "T_NULL" : "invalid token";
            default -> isAtNumber() ? "T_NUMBER" : "invalid token";
        };
    }

    private boolean startsWith(String word) {
        byte[] wanted = word.getBytes(StandardCharsets.ISO_8859_1);
        return text.length - at >= wanted.length
                && Arrays.equals(text, at, at + wanted.length, wanted, 0, wanted.length);
    }

    private LuaValue value(int depth) {
        machine.charge(1);
        skipSpace();
        switch (letter()) {
            case '{' -> {
                return object(descend(depth));
            }
            case '[' -> {
                return array(descend(depth));
            }
            case '"' -> {
                return string("value");
            }
            default -> {}
        }
        if (isAtNumber()) {
            return number();
        }
        LuaValue value = word();
        if (value.isNil()) {
            throw unexpected("value");
        }
        return value;
    }

    private int descend(int depth) {
        if (depth + 1 > mostDepth) {
            throw new LuaError("Found too many nested data structures (" + (depth + 1) + ") at character " + (at + 1));
        }
        return depth + 1;
    }

    private LuaValue word() {
        if (startsWith("true")) {
            at += 4;
            return LuaBoolean.TRUE;
        }
        if (startsWith("false")) {
            at += 5;
            return LuaBoolean.FALSE;
        }
        if (startsWith("null")) {
            at += 4;
            return LuaToken.JSON_NULL;
        }
        return LuaNil.NIL;
    }

    private LuaValue object(int depth) {
        at++;
        LuaTable table = machine.newTable();
        skipSpace();
        if (letter() == '}') {
            at++;
            return table;
        }
        while (true) {
            skipSpace();
            if (letter() != '"') {
                throw unexpected("object key string");
            }
            LuaString key = string("object key string");
            skipSpace();
            if (letter() != ':') {
                throw unexpected("colon");
            }
            at++;
            machine.rawSet(table, key, value(depth));
            skipSpace();
            if (letter() == '}') {
                at++;
                return table;
            }
            if (letter() != ',') {
                throw unexpected("comma or object end");
            }
            at++;
        }
    }

    private LuaValue array(int depth) {
        at++;
        LuaTable table = machine.newTable();
        skipSpace();
        if (letter() == ']') {
            at++;
            return table;
        }
        for (int index = 1; ; index++) {
            machine.rawSet(table, LuaNumber.of(index), value(depth));
            skipSpace();
            if (letter() == ']') {
                at++;
                return table;
            }
            if (letter() != ',') {
                throw unexpected("comma or array end");
            }
            at++;
        }
    }

    /// Redis's reader takes more than JSON allows: a plus sign, infinity, and what is no number.
    private boolean isAtNumber() {
        int letter = letter();
        return letter == '-' || letter == '+' || Letters.isDigit(letter) || isAtWord("inf") || isAtWord("nan");
    }

    private boolean isAtWord(String lowerCase) {
        int end = at + lowerCase.length();
        return end <= text.length
                && new String(text, at, lowerCase.length(), StandardCharsets.ISO_8859_1).equalsIgnoreCase(lowerCase);
    }

    private LuaValue number() {
        int start = at;
        while (Letters.isAlphanumeric(letter()) || letter() == '.' || letter() == '-' || letter() == '+') {
            at++;
        }
        // A number of C ends where it stops being one; what follows is an error of its own.
        for (int end = Math.min(at, start + MOST_DIGITS); end > start; end--) {
            machine.charge(4);
            LuaValue value = NumberText.parse(LuaString.of(Arrays.copyOfRange(text, start, end)));
            if (!value.isNil()) {
                at = end;
                return value;
            }
        }
        throw failed("value", "invalid number", start);
    }

    private LuaString string(String expected) {
        int start = at++;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        while (letter() != '"') {
            int letter = letter();
            if (at >= text.length) {
                throw failed(expected, "unexpected end of string", at);
            }
            if (letter == '\\') {
                escape(expected, out);
            } else {
                out.write(letter);
                at++;
            }
        }
        at++;
        machine.chargeBytes(at - start);
        return LuaString.of(out.toByteArray());
    }

    private void escape(String expected, ByteArrayOutputStream out) {
        int letter = at + 1 < text.length ? text[at + 1] : -1;
        switch (letter) {
            case '"', '\\', '/' -> out.write(letter);
            case 'b' -> out.write('\b');
            case 'f' -> out.write('\f');
            case 'n' -> out.write('\n');
            case 'r' -> out.write('\r');
            case 't' -> out.write('\t');
            case 'u' -> {
                unicode(expected, out);
                return;
            }
            default -> throw failed(expected, "invalid escape code", at);
        }
        at += 2;
    }

    private void unicode(String expected, ByteArrayOutputStream out) {
        int code = hex(at + 2);
        if (code < 0) {
            throw failed(expected, "invalid unicode escape code", at);
        }
        int start = at;
        at += 6;
        if (Character.isLowSurrogate((char) code)) {
            throw failed(expected, "invalid unicode escape code", start);
        }
        if (Character.isHighSurrogate((char) code)) {
            int low = startsWith("\\u") ? hex(at + 2) : -1;
            if (low < 0 || !Character.isLowSurrogate((char) low)) {
                throw failed(expected, "invalid unicode escape code", start);
            }
            at += 6;
            code = Character.toCodePoint((char) code, (char) low);
        }
        out.writeBytes(Character.toString(code).getBytes(StandardCharsets.UTF_8));
    }

    private int hex(int from) {
        int code = 0;
        for (int i = from; i < from + 4; i++) {
            int digit = i < text.length ? Letters.digit(text[i]) : -1;
            if (digit < 0 || digit > 15) {
                return -1;
            }
            code = code * 16 + digit;
        }
        return code;
    }
}
