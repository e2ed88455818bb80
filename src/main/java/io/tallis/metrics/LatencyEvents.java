package io.tallis.metrics;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What took longer than `latency-monitor-threshold`: by name of the event, the last times it happened.
///
/// At most [#MOST_EVENTS] events (others are not kept), of each the last [#MOST_SAMPLES], one a second. Any thread
/// may call; it happens rarely.
public final class LatencyEvents {
    public static final int MOST_EVENTS = 64;
    public static final int MOST_SAMPLES = 160;

    /// An event happened in that second and took so long.
    public record Sample(long epochSeconds, long millis) {}

    /// The last sample of an event, and the longest ever.
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

    /// The last sample of every event, in order of their names.
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

    /// Forgets an event. Returns whether there was one.
    public synchronized boolean reset(String event) {
        return events.remove(event) != null;
    }

    /// Forgets all events and returns how many there were.
    public synchronized int resetAll() {
        int count = events.size();
        events.clear();
        return count;
    }
}
