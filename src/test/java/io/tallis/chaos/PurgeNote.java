package io.tallis.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// What a node has noted of purges in its file `cluster`: number and id of the last one, and the id of the one for
/// which it was ready last.
record PurgeNote(long number, String id, String readyFor) {
    private static final PurgeNote NONE = new PurgeNote(0, "0", "0");
    private static final int WORDS = 4;

    /// Reads the file in a data directory, which another process may be writing.
    static PurgeNote in(Path data) {
        try {
            String[] words = Files.readString(data.resolve("cluster")).strip().split(" ", -1);
            if (words.length < WORDS) {
                return NONE;
            }
            String[] last = words[2].split("-", -1);
            return new PurgeNote(Long.parseLong(last[0]), last[1], words[3]);
        } catch (IOException notYetThere) {
            return NONE;
        }
    }

    /// Whether the node was ready for a purge and has not noted that it was made.
    boolean isReady() {
        return !readyFor.equals("0") && !readyFor.equals(id);
    }

    /// Whether the node does not know of `later`, and was not ready for it.
    boolean isBehind(PurgeNote later) {
        return number < later.number && !readyFor.equals(later.id);
    }
}
