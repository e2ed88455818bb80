package io.tallis.keyspace;

import java.util.concurrent.atomic.AtomicLongArray;

/// A set of partitions that threads change without a lock of its own.
///
/// Who adds and removes a partition holds that partition's lock, so that the answer for it is exact there; without
/// the lock it may be outdated at once.
final class PartitionSet {
    private final AtomicLongArray words = new AtomicLongArray(Keyspace.PARTITIONS / Long.SIZE);

    /// Adding a member again costs a read and writes nothing.
    void add(int partition) {
        if (!contains(partition)) {
            words.accumulateAndGet(partition >> 6, 1L << partition, (word, bit) -> word | bit);
        }
    }

    void remove(int partition) {
        words.accumulateAndGet(partition >> 6, 1L << partition, (word, bit) -> word & ~bit);
    }

    boolean contains(int partition) {
        return (words.get(partition >> 6) & 1L << partition) != 0;
    }

    boolean isEmpty() {
        for (int i = 0; i < words.length(); i++) {
            if (words.get(i) != 0) {
                return false;
            }
        }
        return true;
    }
}
