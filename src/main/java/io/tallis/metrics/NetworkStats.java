package io.tallis.metrics;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLongArray;

/// Counts of events of connections. Each event loop counts in a [Recorder] of its own, without contention; readers get
/// the
/// sums. Any thread may read.
public final class NetworkStats {
    private final List<Recorder> recorders = new CopyOnWriteArrayList<>();
    private volatile long[] base = new long[NetworkEvent.values().length];

    /// A recorder for another thread, for the life of the process.
    public Recorder recorder() {
        Recorder recorder = new Recorder();
        recorders.add(recorder);
        return recorder;
    }

    /// The count since the start or the last [#reset].
    public long total(NetworkEvent event) {
        return sum(event) - base[event.slot];
    }

    /// Resets all totals to 0. The recorders go on; their present values are subtracted from now on.
    public synchronized void reset() {
        long[] sums = new long[base.length];
        for (NetworkEvent event : NetworkEvent.values()) {
            sums[event.slot] = sum(event);
        }
        base = sums;
    }

    private long sum(NetworkEvent event) {
        long sum = 0;
        for (Recorder recorder : recorders) {
            sum += recorder.counters.getOpaque(event.slot);
        }
        return sum;
    }

    /// The number of connected clients.
    public long connected() {
        return sum(NetworkEvent.RECEIVED) - sum(NetworkEvent.REJECTED) - sum(NetworkEvent.CLOSED);
    }

    /// The counts of one thread, which other threads only read. An opaque write costs no more than a plain one.
    public static final class Recorder {
        private final AtomicLongArray counters = new AtomicLongArray(NetworkEvent.values().length);

        private Recorder() {}

        public void add(NetworkEvent event, long amount) {
            int index = event.slot;
            counters.setOpaque(index, counters.getPlain(index) + amount);
        }
    }
}
