package io.tallis.keyspace;

import java.util.concurrent.atomic.LongAdder;

/// How much memory the orders of fields take that all partitions keep, and how much they may. Reading makes them, also
/// when memory is full for changes, so they have a bound of their own.
final class OrderMemory {
    private static final int PART_OF_HEAP = 16;

    /// What an entry takes, in chunks that are not full.
    private static final int ENTRY_BYTES = 24;

    private final LongAdder bytesUsed = new LongAdder();
    private final long mostBytes;

    OrderMemory(long mostHeap) {
        mostBytes = mostHeap / PART_OF_HEAP;
    }

    /// The bytes that orders take.
    LongAdder bytesUsed() {
        return bytesUsed;
    }

    /// Whether an order of so many fields more may be kept.
    boolean hasRoom(int fields) {
        return bytesUsed.sum() + (long) fields * ENTRY_BYTES <= mostBytes;
    }
}
