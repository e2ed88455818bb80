package io.tallis.sim;

import java.util.ArrayDeque;
import java.util.Deque;

/// The last events, for the analysis of a failure, and a fingerprint of all events.
final class Trace {
    private static final int KEPT = 60;

    private record Entry(long time, String who, Object what, long number) {
        @Override
        public String toString() {
            return "%,15.3f ms  %-6s %s %d".formatted(time / 1e6, who, what, number);
        }
    }

    private final EventQueue events;
    private final Deque<Entry> last = new ArrayDeque<>();
    private long fingerprint;

    Trace(EventQueue events) {
        this.events = events;
    }

    void note(String who, Object what, long number) {
        if (last.size() == KEPT) {
            last.removeFirst();
        }
        Entry entry = new Entry(events.now(), who, what, number);
        last.addLast(entry);
        fingerprint = 31 * (31 * (31 * fingerprint + entry.time) + who.hashCode()) + number;
    }

    /// Equal for equal courses of events.
    long fingerprint() {
        return fingerprint;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        last.forEach(entry -> text.append(entry).append('\n'));
        return text.toString();
    }
}
