package io.tallis.command;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An immutable hash table keyed by ASCII names, which looks up bytes of a request in any case of letters without
/// allocating.
public final class NameTable<T> {
    private final byte[][] names;
    private final T[] values;
    private final int mask;

    /// A table of `entries`, which are keyed by lower-case names.
    @SuppressWarnings("unchecked") // An array of T cannot be made; only T is stored.
    public NameTable(Map<String, T> entries) {
        int size = Integer.highestOneBit(Math.max(1, entries.size())) * 4;
        names = new byte[size][];
        values = (T[]) new Object[size];
        mask = size - 1;
        for (Map.Entry<String, T> entry : entries.entrySet()) {
            insert(entry.getKey(), entry.getValue());
        }
    }

    private void insert(String name, T value) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        int slot = hash(bytes, 0, bytes.length) & mask;
        while (names[slot] != null) {
            slot = slot + 1 & mask;
        }
        names[slot] = bytes;
        values[slot] = value;
    }

    /// The value of the name in these bytes, or null.
    public @Nullable T find(byte[] bytes, int offset, int length) {
        int slot = hash(bytes, offset, length) & mask;
        for (byte[] name = names[slot]; name != null; name = names[slot]) {
            if (name.length == length && equal(name, bytes, offset)) {
                return values[slot];
            }
            slot = slot + 1 & mask;
        }
        return null;
    }

    private static boolean equal(byte[] name, byte[] bytes, int offset) {
        for (int i = 0; i < name.length; i++) {
            int letter = bytes[offset + i];
            int folded = letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter;
            if (folded != name[i]) {
                return false;
            }
        }
        return true;
    }

    /// Mixes three letters and the length, which is enough to tell a few hundred names apart.
    private static int hash(byte[] bytes, int offset, int length) {
        if (length == 0) {
            return 0;
        }
        int first = bytes[offset] | 0x20;
        int middle = bytes[offset + (length >>> 1)] | 0x20;
        int last = bytes[offset + length - 1] | 0x20;
        int mixed = (first * 31 + middle) * 31 + last + length * 7;
        return mixed ^ mixed >>> 5;
    }
}
