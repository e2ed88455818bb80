package io.tallis.server;

import io.tallis.config.Settings;
import io.tallis.config.Values;

/// How much memory counters may take before new ones are refused, and clients before some are closed.
final class MemoryBound {
    /// The rest of the heap is for requests, replies, and tables while they grow.
    private static final double SHARE_OF_HEAP = 0.8;

    /// What that rest is at least: checkpoints and the loading of a full node need it on a small heap too.
    private static final long REST_BYTES = 64L << 20;

    /// What all clients' requests and replies may take, as a share of the heap: requests are in it, and replies in
    /// memory beside it that may be as much.
    private static final double SHARE_OF_CLIENTS = 0.125;

    private MemoryBound() {}

    static long ofClients() {
        return ofClients(heap());
    }

    static long ofClients(long heap) {
        return (long) (heap * SHARE_OF_CLIENTS);
    }

    private static long heap() {
        return Runtime.getRuntime().maxMemory();
    }

    /// Beyond this, changes of clients that take memory are refused, new counter or not: a third of what the heap has
    /// left beyond [#ofHeap], and no more than a quarter beyond [#of], which is less where that was set or the heap is
    /// small.
    static long most(Values values) {
        return most(values, heap());
    }

    static long most(Values values, long heap) {
        long most = ofHeap(heap) + (heap - ofHeap(heap)) / 3;
        long bound = of(values, heap);
        return Math.max(bound, Math.min(most, bound + bound / 4));
    }

    /// Beyond this, what others count is not merged: half of what the heap has left beyond [#ofHeap], so that clients'
    /// changes stop before, whatever `maxmemory` says.
    static long ofMerges(Values values) {
        return ofMerges(values, heap());
    }

    static long ofMerges(Values values, long heap) {
        return Math.max(most(values, heap), ofHeap(heap) + (heap - ofHeap(heap)) / 2);
    }

    static long of(Values values) {
        return of(values, heap());
    }

    static long of(Values values, long heap) {
        long set = values.get(Settings.MAXMEMORY);
        return set == 0 ? ofHeap(heap) : set;
    }

    private static long ofHeap(long heap) {
        long share = (long) (heap * SHARE_OF_HEAP);
        return Math.max(share / 2, Math.min(share, heap - REST_BYTES));
    }
}
