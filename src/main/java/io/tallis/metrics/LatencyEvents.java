package io.tallis.metrics;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The samples of the latency monitor: events that took longer than `latency-monitor-threshold`.
///
/// Keeps at most [#MOST_EVENTS] events (others are ignored) with their last [#MOST_SAMPLES] samples, one per second.
/// Any
/// thread may call; samples are rare.
public final class LatencyEvents {
    public static final int MOST_EVENTS = 64;
    public static final int MOST_SAMPLES = 160;

    /// The longest duration of an event in one second.
    public record Sample(long epochSeconds, long millis) {}

    /// The last sample of an event, and its longest duration.
    public record Latest(String event, Sample sample, long maxMillis) {}

    private final Map<String, Series> events = new TreeMap<>();

    private static final class Series {
        final Deque<Sample> samples = new ArrayDeque<>();
        long maxMillis;
    }

    public synchronized void add(String event, long epochMillis, long millis) {
        Series series = events.get(event);
        if (series == null) {
            if (events.size() == MOST_EVENTS) {
                return;
            }
            series = new Series();
            events.put(event, series);
        }
        series.maxMillis = Math.max(series.maxMillis, millis);
        append(series.samples, new Sample(epochMillis / 1000, millis));
    }

    private static void append(Deque<Sample> samples, Sample sample) {
        Sample last = samples.peekLast();
        if (last != null && last.epochSeconds == sample.epochSeconds) {
            samples.removeLast();
            samples.addLast(new Sample(last.epochSeconds, Math.max(last.millis, sample.millis)));
            return;
        }
        if (samples.size() == MOST_SAMPLES) {
            samples.removeFirst();
        }
        samples.addLast(sample);
    }

    /// The last sample of every event, sorted by name.
    public synchronized List<Latest> latest() {
        List<Latest> all = new ArrayList<>();
        events.forEach((event, series) -> all.add(new Latest(event, series.samples.getLast(), series.maxMillis)));
        return all;
    }

    /// The samples of an event, oldest first.
    public synchronized List<Sample> history(String event) {
        Series series = events.get(event);
        return series == null ? List.of() : List.copyOf(series.samples);
    }

    /// Deletes an event. Returns whether it existed.
    public synchronized boolean reset(String event) {
        return events.remove(event) != null;
    }

    /// Deletes all events and returns their number.
    public synchronized int resetAll() {
        int count = events.size();
        events.clear();
        return count;
    }
}
