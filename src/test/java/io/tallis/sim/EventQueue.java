package io.tallis.sim;

import java.util.PriorityQueue;

/// The future events by time; events of the same time happen in the order in which they were planned.
final class EventQueue {
    private record Event(long time, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return time != other.time ? Long.compare(time, other.time) : Long.compare(number, other.number);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long planned;
    private long happened;

    /// Simulated nanoseconds since the beginning.
    long now() {
        return now;
    }

    /// How many events have happened.
    long happened() {
        return happened;
    }

    void in(long nanos, Runnable action) {
        events.add(new Event(now + Math.max(0, nanos), planned++, action));
    }

    /// Runs the events that are due within the next `nanos`.
    void runFor(long nanos) {
        long end = now + nanos;
        while (!events.isEmpty() && events.peek().time <= end) {
            Event event = events.remove();
            now = event.time;
            happened++;
            event.action.run();
        }
        now = end;
    }
}
