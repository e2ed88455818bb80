package io.tallis.resp;

import io.tallis.command.Arguments;

/// Splits an inline request into words as Redis does. Works in place, since removing quotes and escapes never makes a
/// word longer.
///
/// Words are separated by blanks. `"..."` may contain blanks and the escapes `\n \r \t \b \a \xHH` (any other character
/// after a backslash stands for itself); `'...'` may contain blanks and `\'`. A closing quote must be followed by a
/// blank or the end. A zero byte ends the line.
final class InlineWords {
    private final byte[] bytes;
    private final int end;
    private int at;
    private int written;

    private InlineWords(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        this.end = end;
        at = from;
    }

    /// Adds the words between `from` and `to` to `arguments`. Returns false when quotes are unbalanced.
    static boolean split(Arguments arguments, int from, int to) {
        InlineWords line = new InlineWords(arguments.array(), from, to);
        while (line.skipBlanks()) {
            int start = line.at;
            line.written = start;
            if (!line.word()) {
                return false;
            }
            arguments.add(start, line.written - start);
        }
        return true;
    }

    private boolean skipBlanks() {
        while (isBlank(peek(0))) {
            at++;
        }
        return peek(0) != 0;
    }

    private boolean word() {
        while (true) {
            int letter = peek(0);
            switch (letter) {
                case 0, ' ', '\n', '\r', '\t' -> {
                    return true;
                }
                case '"', '\'' -> {
                    at++;
                    return letter == '"' ? quoted() : singleQuoted();
                }
                default -> take(letter, 1);
            }
        }
    }

    private boolean quoted() {
        while (peek(0) != '"') {
            int letter = peek(0);
            if (letter == 0) {
                return false;
            }
            if (letter != '\\' || peek(1) == 0) {
                take(letter, 1);
            } else if (peek(1) == 'x' && hex(peek(2)) >= 0 && hex(peek(3)) >= 0) {
                take(hex(peek(2)) << 4 | hex(peek(3)), 4);
            } else {
                take(escaped(peek(1)), 2);
            }
        }
        return closesWord();
    }

    private boolean singleQuoted() {
        while (peek(0) != '\'') {
            int letter = peek(0);
            if (letter == 0) {
                return false;
            }
            if (letter == '\\' && peek(1) == '\'') {
                take('\'', 2);
            } else {
                take(letter, 1);
            }
        }
        return closesWord();
    }

    private boolean closesWord() {
        at++;
        return peek(0) == 0 || isBlank(peek(0));
    }

    private void take(int letter, int length) {
        bytes[written++] = (byte) letter;
        at += length;
    }

    /// The byte at that distance; 0 at the end of the line.
    private int peek(int ahead) {
        return at + ahead < end ? bytes[at + ahead] : 0;
    }

    private static boolean isBlank(int letter) {
        return letter == ' ' || (letter >= '\t' && letter <= '\r');
    }

    private static int hex(int letter) {
        return Character.digit(letter, 16);
    }

    private static int escaped(int letter) {
        return switch (letter) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'b' -> '\b';
            case 'a' -> 7;
            default -> letter;
        };
    }
}
