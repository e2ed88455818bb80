package io.tallis.command;

import java.util.HashMap;
import java.util.Map;

/// How long the texts of keys may have become after the commands of a transaction so far. The row of each later change
/// of such a key has the whole text.
final class QueuedTexts {
    private final Map<ByteString, Long> lengths = new HashMap<>();

    /// The bytes of text, besides what there was before the transaction, in the row of the key in a word.
    long bytesAfter(CommandEntry entry, Arguments arguments, int keyWord) {
        return switch (entry.texts()) {
            case NONE -> lengths.isEmpty() ? 0 : lengths.getOrDefault(key(arguments, keyWord), 0L);
            case REPLACES -> replaced(entry, arguments, keyWord);
            case EXTENDS -> lengths.merge(key(arguments, keyWord), entry.bytes(arguments), Long::sum);
        };
    }

    /// The command may be refused, so the longer of both texts counts.
    private long replaced(CommandEntry entry, Arguments arguments, int keyWord) {
        boolean hasPairs = entry.keyStep() > 1;
        // The value of the last key may be missing, which is refused later.
        boolean isLast = keyWord + 1 == arguments.count();
        long length = !hasPairs ? arguments.bytes() : isLast ? 0 : arguments.length(keyWord + 1);
        return lengths.merge(key(arguments, keyWord), length, Math::max);
    }

    /// The key in the word `to` gets the text of the one in `from`, which had so many bytes before the transaction.
    /// Returns how long that may be.
    long copy(Arguments arguments, int from, int to, long bytesBefore) {
        long bytes = bytesBefore + lengths.getOrDefault(key(arguments, from), 0L);
        return lengths.merge(key(arguments, to), bytes, Math::max);
    }

    private static ByteString key(Arguments arguments, int word) {
        return new ByteString(arguments.bytes(word));
    }
}
