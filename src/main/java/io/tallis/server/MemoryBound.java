package io.tallis.server;

import io.tallis.config.Settings;
import io.tallis.config.Values;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/// The limits of memory for counters and for clients, as shares of the heap.
final class MemoryBound {
    private static final Logger LOG = System.getLogger(MemoryBound.class.getName());

    /// For counters. The rest of the heap is for requests, replies, and tables while they grow.
    private static final double SHARE_OF_HEAP = 0.8;

    /// The least size of that rest: checkpoints and the loading of a full node need it on a small heap too.
    private static final long LEAST_REST_BYTES = 64L << 20;

    /// For the requests and replies of all clients. Requests are in the heap, replies in direct memory, whose limit is
    /// as large as the heap.
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

    /// Above this, all changes of clients that take memory are refused: [#ofHeap] and a third of the rest of the heap,
    /// but at most a quarter more than [#ofNewCounters].
    static long ofClientChanges(Values values) {
        return ofClientChanges(values, heap());
    }

    static long ofClientChanges(Values values, long heap) {
        long bound = ofNewCounters(values, heap);
        return Math.min(ofHeap(heap) + (heap - ofHeap(heap)) / 3, bound + bound / 4);
    }

    /// Above this, changes of other nodes are not merged: [#ofHeap] and half of the rest of the heap. Changes of
    /// clients are refused earlier, whatever `maxmemory` is.
    static long ofMerges() {
        return ofMerges(heap());
    }

    static long ofMerges(long heap) {
        return ofHeap(heap) + (heap - ofHeap(heap)) / 2;
    }

    /// The limit of the memory that counters keep, used or free ([Keyspace#bytesKept]): as much as they can ever use.
    static long ofKept() {
        return ofMerges();
    }

    /// Above this, new counters are refused: `maxmemory`, but at most the share of the heap.
    static long ofNewCounters(Values values) {
        return ofNewCounters(values, heap());
    }

    static long ofNewCounters(Values values, long heap) {
        long set = values.get(Settings.MAXMEMORY);
        return set == 0 ? ofHeap(heap) : Math.min(set, ofHeap(heap));
    }

    /// Logs a warning when `maxmemory` is more than the heap allows.
    static void warnAbout(Values values) {
        long set = values.get(Settings.MAXMEMORY);
        if (set > ofNewCounters(values)) {
            LOG.log(
                    Level.WARNING,
                    "maxmemory is lowered from " + megabytes(set) + " MB to " + megabytes(ofNewCounters(values))
                            + " MB: the heap has only " + megabytes(heap())
                            + " MB; raise -Xmx in TALLIS_JAVA_OPTS");
        }
    }

    private static long megabytes(long bytes) {
        return bytes >> 20;
    }

    private static long ofHeap(long heap) {
        long share = (long) (heap * SHARE_OF_HEAP);
        return Math.max(share / 2, Math.min(share, heap - LEAST_REST_BYTES));
    }
}
