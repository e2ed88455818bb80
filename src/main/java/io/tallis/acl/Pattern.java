package io.tallis.acl;

import io.tallis.command.Glob;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A pattern of keys or channels, compiled: most are a word, or a prefix and `*`, which need no [Glob]. Takes at most
/// pattern length times text length steps.
final class Pattern {
    /// The longest pattern in bytes.
    static final int LONGEST = 1024;

    private enum Form {
        WORD,
        PREFIX,
        GLOB
    }

    private final String text;
    private final Form form;
    private final byte[] literal;
    private final Glob glob;

    /// Each character of `text` is one byte.
    Pattern(String text) {
        this.text = text;
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        boolean endsWithStar = text.endsWith("*");
        byte[] start = endsWithStar ? Arrays.copyOf(bytes, bytes.length - 1) : bytes;
        form = !isPlain(start) ? Form.GLOB : endsWithStar ? Form.PREFIX : Form.WORD;
        literal = start;
        glob = new Glob(bytes);
    }

    private static boolean isPlain(byte[] bytes) {
        for (byte letter : bytes) {
            if (letter == '*' || letter == '?' || letter == '[' || letter == '\\') {
                return false;
            }
        }
        return true;
    }

    boolean matches(byte[] array, int offset, int length) {
        return switch (form) {
            case WORD -> length == literal.length && startsWith(array, offset);
            case PREFIX -> length >= literal.length && startsWith(array, offset);
            case GLOB -> glob.matches(array, offset, length);
        };
    }

    private boolean startsWith(byte[] array, int offset) {
        return Arrays.equals(array, offset, offset + literal.length, literal, 0, literal.length);
    }

    /// Whether these bytes are the pattern itself.
    boolean is(byte[] array, int offset, int length) {
        byte[] own = text.getBytes(StandardCharsets.ISO_8859_1);
        return Arrays.equals(array, offset, offset + length, own, 0, own.length);
    }

    @Override
    public String toString() {
        return text;
    }
}
