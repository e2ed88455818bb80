package io.tallis.server;

import io.tallis.config.Settings;
import io.tallis.config.Values;

/// How much memory counters may take before clients' new ones are refused.
final class MemoryBound {
    /// The rest of the heap is for requests, replies, and tables while they grow.
    private static final double SHARE_OF_HEAP = 0.8;

    private MemoryBound() {}

    static long ofHeap() {
        return (long) (Runtime.getRuntime().maxMemory() * SHARE_OF_HEAP);
    }

    static long of(Values values) {
        long set = values.get(Settings.MAXMEMORY);
        return set == 0 ? ofHeap() : set;
    }
}
