package io.tallis.command;

import io.tallis.command.facts.CommandSpec;
import io.tallis.keyspace.Key;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The words of one request: a view of bytes that the connection owns, reused for later requests.
///
/// Word 0 is the name of the command. A command that needs a word after it has returned must copy it.
public final class Arguments {
    private static final int INITIAL_WORDS = 8;

    /// The largest table of words that is kept for the next request.
    private static final int KEPT_WORDS = 1024;

    /// How many bytes of a word an error message shows.
    public static final int MOST_SHOWN = 128;

    private byte[] bytes = new byte[0];
    private int[] offsets = new int[INITIAL_WORDS];
    private int[] lengths = new int[INITIAL_WORDS];
    private int count;
    private final Key key = new Key();

    /// Starts a new request whose words are in `bytes`. Releases the table of an unusually long request before it.
    public void begin(byte[] bytes) {
        this.bytes = bytes;
        if (count > KEPT_WORDS) {
            offsets = new int[KEPT_WORDS];
            lengths = new int[KEPT_WORDS];
        }
        count = 0;
    }

    /// Follows a copy of the words to `bytes`, each at `distance` bytes from its former position.
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

    /// The number of words, including the command's name.
    public int count() {
        return count;
    }

    /// The bytes that the table of words takes for an unusually long request, else 0. Any thread may call this.
    public long tableBytes() {
        int words = offsets.length;
        return words > KEPT_WORDS ? 2L * Integer.BYTES * words : 0;
    }

    /// The number of bytes from the first word to the end of the last.
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

    /// The word as a key. Returns the same object each time, valid until the next call.
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

    /// The word as an error message quotes it, cut to [#MOST_SHOWN] bytes.
    public String shown(int word) {
        return shown(word, MOST_SHOWN);
    }

    /// The same, cut to so many bytes. As in Redis's messages, a zero byte ends the text.
    public String shown(int word, int mostBytes) {
        String text = text(word, mostBytes);
        int zero = text.indexOf(0);
        return zero < 0 ? text : text.substring(0, zero);
    }

    /// The first bytes of the word as text.
    String text(int word, int mostBytes) {
        return new String(bytes, offsets[word], Math.min(lengths[word], mostBytes), StandardCharsets.UTF_8);
    }

    /// Whether the word equals `upperCase`, ignoring the case of its letters.
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

    /// Whether the word is a password or the like, which logs and lists for operators must not show.
    public boolean isSecret(int word, CommandSpec.Secret secret) {
        for (int mark = Math.max(0, word - secret.count()); mark < word; mark++) {
            if (is(mark, secret.mark())) {
                return true;
            }
        }
        return false;
    }
}
