package io.tallis.keyspace;

/// A sketch of the keys that were dropped from a partition while nodes were out of reach: it knows all of them, and
/// takes some others for them.
///
/// A bit for each key, by its hash; no memory before the first. With more than some ten thousand keys in a partition it
/// takes most others for dropped ones. Guarded by the partition's lock.
final class DroppedKeys {
    private static final int BITS = 1 << 14;
    private static final int SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(BITS);

    private long[] bits = {};

    /// `probe` is the hash of the key under this process's secret.
    void add(long probe) {
        if (bits.length == 0) {
            bits = new long[BITS / Long.SIZE];
        }
        int bit = bitOf(probe);
        bits[bit >> 6] |= 1L << bit;
    }

    boolean mayHave(long probe) {
        int bit = bitOf(probe);
        return bits.length > 0 && (bits[bit >> 6] & 1L << bit) != 0;
    }

    void clear() {
        bits = new long[] {};
    }

    private static int bitOf(long probe) {
        // The upper bits say where in the table the key stands, so cells in a row would have bits in a row.
        return (int) ((probe * 0x9E3779B97F4A7C15L) >>> SHIFT);
    }
}
