package io.tallis.command;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// One step of an iteration over the keys: the keys it found and the cursor for the next step.
///
/// Deleted counters are skipped. A key that holds several types, or is a hash too, has all of them at the same hash, so
/// one step meets all and returns the key once.
public final class KeyWalk {
    /// The most cells that one step visits, whatever `COUNT` says.
    static final int MOST_CELLS = 1 << 16;

    /// A step visits at least this many cells to find as many keys as `COUNT` says, since most cells may be those of
    /// deleted counters.
    static final int ENOUGH_CELLS = 1 << 12;

    /// A step ends early when its keys have this many bytes.
    static final int ENOUGH_BYTES = 1 << 20;

    /// Cells visited under one lock.
    private static final int CHUNK = 256;

    private final ScanOptions options;
    private final Set<ByteString> keys = new LinkedHashSet<>();
    private final List<byte[]> found = new ArrayList<>();
    private long cursor;
    private long bytes;
    private int met;

    private KeyWalk(ScanOptions options, long cursor) {
        this.options = options;
        this.cursor = cursor;
    }

    /// Goes on from `cursor`, which is 0 at the start.
    public static KeyWalk step(Keyspace keyspace, long cursor, ScanOptions options) {
        KeyWalk walk = new KeyWalk(options, cursor);
        int left = Math.max(options.count(), ENOUGH_CELLS);
        do {
            int chunk = Math.min(Math.min(left, options.count() - walk.met), CHUNK);
            walk.cursor = keyspace.scanKeys(walk.cursor, chunk, walk::meet);
            walk.match();
            left -= chunk;
        } while (left > 0 && walk.met < options.count() && walk.cursor != 0 && walk.bytes < ENOUGH_BYTES);
        return walk;
    }

    private void meet(CounterType type, Key key, Cell counter) {
        if (!counter.exists()) {
            return;
        }
        met++;
        if (options.admit(type, counter)) {
            found.add(key.toByteArray());
        }
    }

    /// Runs without the partition's lock, because matching a pattern may take long.
    private void match() {
        for (byte[] key : found) {
            if (options.pattern().matches(key, 0, key.length) && keys.add(new ByteString(key))) {
                bytes += key.length;
            }
        }
        found.clear();
    }

    /// The cursor of the next step; 0 at the end.
    public long cursor() {
        return cursor;
    }

    public List<byte[]> keys() {
        return keys.stream().map(ByteString::bytes).toList();
    }

    /// The number of bytes of all keys.
    public long bytes() {
        return bytes;
    }

    /// Replies as `SCAN` does: the cursor and an array of keys.
    public void answer(Reply reply) {
        reply.array(2);
        reply.unsignedDigits(cursor);
        reply.array(keys.size());
        keys.forEach(key -> reply.bulk(key.bytes()));
    }

    /// Parses a cursor that a client passes back.
    public static long cursorOf(Arguments arguments, int word) {
        return Numbers.cursor(arguments, word);
    }
}
