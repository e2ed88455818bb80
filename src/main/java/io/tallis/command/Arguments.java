package io.tallis.command;

import io.tallis.keyspace.Key;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The words of one request: a view of bytes that the connection owns, reused from request to request.
///
/// Word 0 is the name of the command. Nothing here is kept after the command returns without being copied.
public final class Arguments {
    private static final int INITIAL_WORDS = 8;

    /// A request of more words does not leave its memory behind.
    private static final int KEPT_WORDS = 1024;

    /// The bytes of a word that errors show.
    static final int MOST_SHOWN = 128;

    private byte[] bytes = new byte[0];
    private int[] offsets = new int[INITIAL_WORDS];
    private int[] lengths = new int[INITIAL_WORDS];
    private int count;
    private final Key key = new Key();

    /// Starts a new request whose words stand in `bytes`.
    public void begin(byte[] bytes) {
        this.bytes = bytes;
        if (count > KEPT_WORDS) {
            offsets = new int[KEPT_WORDS];
            lengths = new int[KEPT_WORDS];
        }
        count = 0;
    }

    /// The words now stand in `bytes`, each `distance` behind where it stood.
    public void moved(byte[] bytes, int distance) {
        this.bytes = bytes;
        for (int word = 0; word < count; word++) {
            offsets[word] += distance;
        }
    }

    public void add(int offset, int length) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, count * 2);
            lengths = Arrays.copyOf(lengths, count * 2);
        }
        offsets[count] = offset;
        lengths[count++] = length;
    }

    /// How many words there are, the command's name among them.
    public int count() {
        return count;
    }

    /// How many bytes it takes to know where the words of an unusually long request stand. Any thread may ask.
    public long tableBytes() {
        int words = offsets.length;
        return words > KEPT_WORDS ? 2L * Integer.BYTES * words : 0;
    }

    /// How many bytes the words span.
    public int bytes() {
        return count == 0 ? 0 : offsets[count - 1] + lengths[count - 1] - offsets[0];
    }

    public byte[] array() {
        return bytes;
    }

    public int offset(int word) {
        return offsets[word];
    }

    public int length(int word) {
        return lengths[word];
    }

    /// The word as a key; the same object each time, good until the next call.
    public Key key(int word) {
        return key.set(bytes, offsets[word], lengths[word]);
    }

    public byte[] bytes(int word) {
        return Arrays.copyOfRange(bytes, offsets[word], offsets[word] + lengths[word]);
    }

    /// The word as text; bytes that are not UTF-8 become replacement characters.
    public String text(int word) {
        return new String(bytes, offsets[word], lengths[word], StandardCharsets.UTF_8);
    }

    /// The word as an error quotes it: cut to a length that fits a line.
    public String shown(int word) {
        return shown(word, MOST_SHOWN);
    }

    /// The first bytes of the word as text.
    String shown(int word, int mostBytes) {
        int length = Math.min(lengths[word], mostBytes);
        return new String(bytes, offsets[word], length, StandardCharsets.UTF_8);
    }

    /// Whether the word is `upperCase`, whatever the case of its letters.
    public boolean is(int word, String upperCase) {
        int length = lengths[word];
        if (length != upperCase.length()) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            int letter = bytes[offsets[word] + i];
            int folded = letter >= 'a' && letter <= 'z' ? letter - ('a' - 'A') : letter;
            if (folded != upperCase.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
