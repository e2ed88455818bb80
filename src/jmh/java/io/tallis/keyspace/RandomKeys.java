package io.tallis.keyspace;

import java.util.SplittableRandom;

/// A long sequence of random keys `key:000000123456`, laid end to end so that walking it costs next to nothing.
///
/// Formatting a key, or fetching it from a place of its own, would cost as much as what is measured.
final class RandomKeys {
    static final int KEY_LENGTH = 16;

    private static final int SEQUENCE = 1 << 20;
    private static final int PREFIX_LENGTH = 4;

    private final byte[] sequence = new byte[SEQUENCE * KEY_LENGTH];
    private final Key key = new Key();
    private int next;

    /// Keys of `count` different ones, in an order that `seed` decides.
    RandomKeys(int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < SEQUENCE; i++) {
            format(random.nextInt(count), sequence, i * KEY_LENGTH);
        }
    }

    /// The next key; good until the call after it.
    Key next() {
        key.set(sequence, next * KEY_LENGTH, KEY_LENGTH);
        next = (next + 1) & SEQUENCE - 1;
        return key;
    }

    /// Writes the key numbered `number` at `offset`.
    static void format(int number, byte[] target, int offset) {
        target[offset] = 'k';
        target[offset + 1] = 'e';
        target[offset + 2] = 'y';
        target[offset + 3] = ':';
        int rest = number;
        for (int i = KEY_LENGTH - 1; i >= PREFIX_LENGTH; i--) {
            target[offset + i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }
}
