package io.tallis.command.server;

import io.tallis.command.CommandSettings;
import io.tallis.metrics.LatencyEvents;
import io.tallis.metrics.LatencyEvents.Latest;
import io.tallis.metrics.LatencyEvents.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The reply to `LATENCY DOCTOR`: the latency events and what to do about them. Its form is Redis's: a single line, or
/// a headline, a numbered line per event, and a list of advice.
final class LatencyDoctor {
    private final LatencyEvents events;
    private final CommandSettings settings;

    LatencyDoctor(LatencyEvents events, CommandSettings settings) {
        this.events = events;
        this.settings = settings;
    }

    String advice() {
        long threshold = settings.latencyMonitorThresholdMillis();
        if (threshold == 0) {
            return "Latency is not monitored. CONFIG SET latency-monitor-threshold <milliseconds> starts it.\n";
        }
        List<Latest> latest = events.latest();
        if (latest.isEmpty()) {
            return "No event took " + threshold + " ms or longer since monitoring started.\n";
        }
        StringBuilder text = new StringBuilder("Events that took " + threshold + " ms or longer:\n\n");
        for (int i = 0; i < latest.size(); i++) {
            text.append(i + 1).append(". ").append(describe(latest.get(i))).append('\n');
        }
        text.append("\nAdvice:\n\n");
        for (String help : help(latest)) {
            text.append("- ").append(help).append('\n');
        }
        return text.toString();
    }

    private String describe(Latest event) {
        List<Sample> samples = events.history(event.event());
        double average = samples.stream().mapToLong(Sample::millis).average().orElse(0);
        double deviation = samples.stream()
                .mapToDouble(sample -> Math.abs(sample.millis() - average))
                .average()
                .orElse(0);
        return String.format(
                Locale.ROOT,
                "%s: %d latency spikes (average %.0fms, mean deviation %.0fms, period %.2f sec). "
                        + "Worst all time event %dms.",
                event.event(),
                samples.size(),
                average,
                deviation,
                period(samples),
                event.maxMillis());
    }

    /// The mean seconds between two samples; 0 for a single one.
    private static double period(List<Sample> samples) {
        if (samples.size() < 2) {
            return 0;
        }
        long seconds = samples.getLast().epochSeconds() - samples.getFirst().epochSeconds();
        return (double) seconds / (samples.size() - 1);
    }

    private List<String> help(List<Latest> latest) {
        List<String> help = new ArrayList<>();
        long wanted = settings.latencyMonitorThresholdMillis() * 1000;
        long kept = settings.slowlogLogSlowerThanMicros();
        if (kept < 0 || kept > wanted) {
            help.add("Let the slow log record these commands: CONFIG SET slowlog-log-slower-than " + wanted + ".");
        }
        help.add("SLOWLOG GET shows which commands they were.");
        for (Latest event : latest) {
            help.add(event.event() + ": " + meaning(event.event()));
        }
        return help;
    }

    private static String meaning(String event) {
        return switch (event) {
            case "command" ->
                "a command whose duration depends on its arguments, such as one that visits many keys. Prefer SCAN to"
                        + " KEYS, and use fewer keys per command.";
            case "fast-command" ->
                "a command that takes microseconds by itself. The machine was busy or the JVM paused: check the load,"
                        + " the heap (MEMORY DOCTOR), and other processes.";
            default -> "see LATENCY HISTORY " + event + ".";
        };
    }
}
