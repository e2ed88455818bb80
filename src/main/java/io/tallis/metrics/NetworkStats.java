package io.tallis.metrics;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLongArray;

/// What happened to connections. Each event loop counts in a [Recorder] of its own, without contention; whoever
/// asks gets the sums. Any thread may ask.
public final class NetworkStats {
    private final List<Recorder> recorders = new CopyOnWriteArrayList<>();
    private volatile long[] base = new long[NetworkEvent.values().length];

    /// A place to count in for one more thread, for as long as the process lives.
    public Recorder recorder() {
        Recorder recorder = new Recorder();
        recorders.add(recorder);
        return recorder;
    }

    /// How often it happened, or how many bytes, since the start or the last [#reset].
    public long total(NetworkEvent event) {
        return sum(event) - base[event.slot];
    }

    /// Starts all totals from 0. The recorders count on; what they had is subtracted from now on.
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

    /// How many clients are connected.
    public long connected() {
        return sum(NetworkEvent.RECEIVED) - sum(NetworkEvent.REJECTED) - sum(NetworkEvent.CLOSED);
    }

    /// Where one thread counts. Others only read: an opaque write costs the counting thread no more than a plain
    /// one.
    public static final class Recorder {
        private final AtomicLongArray counters = new AtomicLongArray(NetworkEvent.values().length);

        private Recorder() {}

        public void add(NetworkEvent event, long amount) {
            int index = event.slot;
            counters.setOpaque(index, counters.getPlain(index) + amount);
        }
    }
}
