package io.tallis.command;

import io.tallis.keyspace.Key;
import java.util.HashMap;
import java.util.Map;

/// How many bytes the rows of fields may have that the commands of a transaction so far have changed or made. A later
/// command for the whole hash may write all of them again.
final class QueuedFields {
    private final Map<ByteString, Long> texts = new HashMap<>();
    private final Map<ByteString, Long> hashes = new HashMap<>();

    /// The bytes of the rows of a command that changes some fields.
    long bytes(CommandEntry entry, Arguments arguments, Client client) {
        int step = entry.fieldStep();
        int last = step == 0 ? entry.firstField() : arguments.count() - 1;
        long bytes = 0;
        for (int word = entry.firstField(); word <= last; word += Math.max(1, step)) {
            Key field = entry.field(arguments, word, client);
            boolean hasText = entry.texts() != CommandEntry.Texts.NONE && word + 1 < arguments.count();
            // The command may be refused, so the longer of both texts counts.
            long text = texts.merge(
                    new ByteString(field.toByteArray()), hasText ? (long) arguments.length(word + 1) : 0L, Math::max);
            bytes += client.counters().capacity().fieldRowBytes(field) + text;
        }
        hashes.merge(new ByteString(arguments.bytes(entry.firstKey())), bytes, Long::sum);
        return bytes;
    }

    /// The bytes of the rows of fields changed before, in those of a command that changes the key in a word as a whole.
    long bytesOf(Arguments arguments, int word) {
        return hashes.isEmpty() ? 0 : hashes.getOrDefault(new ByteString(arguments.bytes(word)), 0L);
    }
}
