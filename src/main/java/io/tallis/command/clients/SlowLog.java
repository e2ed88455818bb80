package io.tallis.command.clients;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.facts.CommandSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/// The latest slow commands. Any thread may call. Bounded by the setting `slowlog-max-len`; each entry has at most
/// [#MOST_WORDS] words of [#MOST_BYTES] bytes.
public final class SlowLog {
    static final int MOST_WORDS = 32;
    static final int MOST_BYTES = 128;

    private final Deque<Entry> entries = new ArrayDeque<>();
    private long nextId;

    /// A slow command. Where words are cut or left out, the text says so.
    public record Entry(
            long id, long epochSeconds, long micros, List<byte[]> words, String address, String clientName) {}

    public synchronized void add(
            long epochMillis, long micros, CommandSpec spec, Arguments arguments, Client client, int maxLen) {
        List<byte[]> words = words(spec, arguments);
        String address = client.link().remoteAddress();
        entries.addFirst(new Entry(nextId++, epochMillis / 1000, micros, words, address, client.name()));
        while (entries.size() > maxLen) {
            entries.removeLast();
        }
    }

    private static List<byte[]> words(CommandSpec spec, Arguments arguments) {
        int count = arguments.count();
        int shown = count > MOST_WORDS ? MOST_WORDS - 1 : count;
        List<byte[]> words = new ArrayList<>(shown + 1);
        for (int word = 0; word < shown; word++) {
            words.add(arguments.isSecret(word, spec.secret()) ? ascii("(redacted)") : cut(arguments, word));
        }
        if (shown < count) {
            words.add(ascii("... (" + (count - shown) + " more arguments)"));
        }
        return words;
    }

    private static byte[] cut(Arguments arguments, int word) {
        byte[] bytes = arguments.bytes(word);
        if (bytes.length <= MOST_BYTES) {
            return bytes;
        }
        byte[] more = ascii("... (" + (bytes.length - MOST_BYTES) + " more bytes)");
        byte[] cut = Arrays.copyOf(bytes, MOST_BYTES + more.length);
        System.arraycopy(more, 0, cut, MOST_BYTES, more.length);
        return cut;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /// The newest `count` entries, newest first.
    public synchronized List<Entry> newest(int count) {
        List<Entry> newest = new ArrayList<>();
        Iterator<Entry> all = entries.iterator();
        while (all.hasNext() && newest.size() < count) {
            newest.add(all.next());
        }
        return newest;
    }

    public synchronized int length() {
        return entries.size();
    }

    public synchronized void clear() {
        entries.clear();
    }
}
