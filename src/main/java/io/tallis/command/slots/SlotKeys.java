package io.tallis.command.slots;

import io.tallis.command.KeyWalk;
import io.tallis.command.ScanOptions;
import io.tallis.keyspace.Keyspace;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The keys of a slot, found by visiting all keys: nothing here is ordered by slots. A partition is locked for a few
/// keys at a time, as by `SCAN`.
final class SlotKeys {
    private static final int KEYS_PER_STEP = 4096;
    private static final ScanOptions ALL = ScanOptions.matching(new byte[] {'*'}, KEYS_PER_STEP);

    /// Bounds of one reply. A client that wants the keys of a slot to the last one uses `SCAN`.
    private static final int MOST_KEYS = 100_000;

    private static final long MOST_BYTES = 16L << 20;

    private SlotKeys() {}

    static long count(Keyspace keyspace, int slot) {
        long count = 0;
        long cursor = 0;
        do {
            KeyWalk walk = KeyWalk.step(keyspace, cursor, ALL);
            count += of(walk, slot).count();
            cursor = walk.cursor();
        } while (cursor != 0);
        return count;
    }

    /// At most so many keys.
    static List<byte[]> first(Keyspace keyspace, int slot, long wanted) {
        long most = Math.min(wanted, MOST_KEYS);
        List<byte[]> keys = new ArrayList<>();
        long bytes = 0;
        long cursor = 0;
        do {
            KeyWalk walk = KeyWalk.step(keyspace, cursor, ALL);
            for (byte[] key : of(walk, slot).limit(most - keys.size()).toList()) {
                keys.add(key);
                bytes += key.length;
            }
            cursor = walk.cursor();
        } while (cursor != 0 && keys.size() < most && bytes < MOST_BYTES);
        return keys;
    }

    private static Stream<byte[]> of(KeyWalk walk, int slot) {
        return walk.keys().stream().filter(key -> Slot.of(key) == slot);
    }
}
