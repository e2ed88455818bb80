package io.tallis.cluster.records;

import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// Checks and encodes texts for people in frames: bounded, one line, no control characters that a terminal or log would
/// interpret.
public final class Texts {
    private static final int MOST_BYTES_PER_CHAR = 3;
    private static final char REPLACEMENT = '?';

    private Texts() {}

    /// Returns the text cut to `mostChars`, with `?` in place of each control character.
    public static String clean(String text, int mostChars) {
        StringBuilder clean = new StringBuilder(Math.min(text.length(), mostChars));
        for (int at = 0; at < text.length(); ) {
            int point = text.codePointAt(at);
            if (clean.length() + Character.charCount(point) > mostChars) {
                break;
            }
            clean.appendCodePoint(isPlain(point) ? point : REPLACEMENT);
            at += Character.charCount(point);
        }
        return clean.toString();
    }

    private static boolean isPlain(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }

    /// Writes a text that [#clean] returned.
    public static void write(String text, ByteWriter out) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.varint(bytes.length);
        out.bytes(bytes, 0, bytes.length);
    }

    /// Reads a text. Throws if it is longer than `mostChars` or [#clean] would change it.
    public static String read(int mostChars, ByteReader in) throws MalformedException {
        int length = in.count(1);
        if (length > mostChars * MOST_BYTES_PER_CHAR) {
            throw new MalformedException("a text of " + length + " bytes, expected at most " + mostChars + " chars");
        }
        int start = in.position();
        in.skip(length);
        String text = decoded(ByteBuffer.wrap(in.array(), start, length));
        if (!clean(text, mostChars).equals(text)) {
            throw new MalformedException("a text that is too long or has control characters, at offset " + start);
        }
        return text;
    }

    private static String decoded(ByteBuffer bytes) throws MalformedException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException _) {
            throw new MalformedException("a text that is not UTF-8, before offset " + bytes.limit());
        }
    }
}
