package io.tallis.server;

import io.tallis.config.Settings;
import io.tallis.config.Values;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/// How much memory counters may take before new ones are refused, and clients before some are closed.
final class MemoryBound {
    private static final Logger LOG = System.getLogger(MemoryBound.class.getName());

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
        long bound = of(values, heap);
        return Math.min(ofHeap(heap) + (heap - ofHeap(heap)) / 3, bound + bound / 4);
    }

    /// Beyond this, what others count is not merged: half of what the heap has left beyond [#ofHeap], so that clients'
    /// changes stop before, whatever `maxmemory` says.
    static long ofMerges() {
        return ofMerges(heap());
    }

    static long ofMerges(long heap) {
        return ofHeap(heap) + (heap - ofHeap(heap)) / 2;
    }

    /// What counters may take together with the memory that is kept for them: as much as ever may be taken, since the
    /// heap has to have room for it.
    static long ofKept() {
        return ofMerges();
    }

    /// What is set, as far as the heap has it.
    static long of(Values values) {
        return of(values, heap());
    }

    static long of(Values values, long heap) {
        long set = values.get(Settings.MAXMEMORY);
        return set == 0 ? ofHeap(heap) : Math.min(set, ofHeap(heap));
    }

    /// Says in the log when more is set than the heap has.
    static void tellOf(Values values) {
        long set = values.get(Settings.MAXMEMORY);
        if (set > of(values)) {
            LOG.log(
                    Level.WARNING,
                    "maxmemory is " + megabytes(of(values)) + " MB instead of " + megabytes(set) + ": the heap of "
                            + megabytes(heap()) + " MB has no more; see -Xmx in TALLIS_JAVA_OPTS");
        }
    }

    private static long megabytes(long bytes) {
        return bytes >> 20;
    }

    private static long ofHeap(long heap) {
        long share = (long) (heap * SHARE_OF_HEAP);
        return Math.max(share / 2, Math.min(share, heap - REST_BYTES));
    }
}
