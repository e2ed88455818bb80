package io.tallis.command;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// One step of a walk over the keys: which keys it met, and the cursor to go on with.
///
/// Deleted counters are not shown. A key that holds both types has both cells at the same hash, so one step meets
/// both, and shows the key once.
public final class KeyWalk {
    /// The most cells that one step looks at, whatever count was asked for.
    static final int MOST_CELLS = 1 << 16;

    /// So many cells a step looks at for the keys that it should count, be most of them those of deleted counters.
    static final int ENOUGH_CELLS = 1 << 12;

    /// The bytes of keys after which a step ends early.
    static final int ENOUGH_BYTES = 1 << 20;

    /// Cells looked at under one lock.
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

    /// Walks on from `cursor`, 0 at the start.
    public static KeyWalk step(Keyspace keyspace, long cursor, ScanOptions options) {
        KeyWalk walk = new KeyWalk(options, cursor);
        int left = Math.max(options.count(), ENOUGH_CELLS);
        do {
            int chunk = Math.min(Math.min(left, options.count() - walk.met), CHUNK);
            walk.cursor = keyspace.scan(walk.cursor, chunk, walk::meet);
            walk.choose();
            left -= chunk;
        } while (left > 0 && walk.met < options.count() && walk.cursor != 0 && walk.bytes < ENOUGH_BYTES);
        return walk;
    }

    private void meet(CounterType type, Key key, Counter counter) {
        if (!counter.exists()) {
            return;
        }
        met++;
        if (options.types().contains(type)) {
            found.add(key.toByteArray());
        }
    }

    /// Not under the lock of the partition: to match a pattern may take long.
    private void choose() {
        for (byte[] key : found) {
            if (options.pattern().matches(key, 0, key.length) && keys.add(new ByteString(key))) {
                bytes += key.length;
            }
        }
        found.clear();
    }

    /// Where to go on; 0 at the end.
    public long cursor() {
        return cursor;
    }

    public List<byte[]> keys() {
        return keys.stream().map(ByteString::bytes).toList();
    }

    /// The bytes of all keys.
    public long bytes() {
        return bytes;
    }

    /// Answers as `SCAN` does: the cursor and an array of keys.
    public void answer(Reply reply) {
        reply.array(2);
        reply.unsignedDigits(cursor);
        reply.array(keys.size());
        keys.forEach(key -> reply.bulk(key.bytes()));
    }

    /// Reads a cursor that a client gives back.
    public static long cursorOf(Arguments arguments, int word) {
        return Numbers.cursor(arguments, word);
    }
}
