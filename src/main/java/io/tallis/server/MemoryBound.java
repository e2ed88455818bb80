package io.tallis.server;

import io.tallis.config.Settings;
import io.tallis.config.Values;

/// How much memory counters may take before clients' new ones are refused.
final class MemoryBound {
    /// The rest of the heap is for requests, replies, and tables while they grow.
    private static final double SHARE_OF_HEAP = 0.8;

    /// What that rest is at least: checkpoints and the loading of a full node need it on a small heap too.
    private static final long REST_BYTES = 64L << 20;

    private MemoryBound() {}

    private static long ofHeap() {
        long heap = Runtime.getRuntime().maxMemory();
        long share = (long) (heap * SHARE_OF_HEAP);
        return Math.max(share / 2, Math.min(share, heap - REST_BYTES));
    }

    static long of(Values values) {
        long set = values.get(Settings.MAXMEMORY);
        return set == 0 ? ofHeap() : set;
    }
}
