package io.tallis.command.server;

import io.tallis.command.CommandFacts;
import io.tallis.command.CommandSpec;
import io.tallis.metrics.CommandStats;
import io.tallis.metrics.LatencyHistogram;
import java.util.List;
import java.util.Locale;

/// What `INFO` tells of commands: how often each was called, how long it took, which errors were answered.
public final class CommandSections {
    private static final double[] PERCENTILES = {50, 99, 99.9};

    private final CommandFacts facts;
    private final CommandStats stats;

    public CommandSections(CommandFacts facts, CommandStats stats) {
        this.facts = facts;
        this.stats = stats;
    }

    public List<InfoSection> sections() {
        return List.of(
                InfoSection.onDemand("commandstats", this::calls),
                InfoSection.of("errorstats", this::errors),
                InfoSection.onDemand("latencystats", this::durations));
    }

    private void calls(InfoFields fields) {
        for (CommandSpec spec : facts.all()) {
            CommandStats.Totals totals = stats.of(spec.id());
            if (totals.calls() + totals.rejected() > 0) {
                fields.field("cmdstat_" + spec.fullName(), text(totals));
            }
        }
    }

    private static String text(CommandStats.Totals totals) {
        long micros = totals.nanos() / 1000;
        double each = totals.calls() == 0 ? 0 : totals.nanos() / 1000.0 / totals.calls();
        return String.format(
                Locale.ROOT,
                "calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d",
                totals.calls(),
                micros,
                each,
                totals.rejected(),
                totals.failed());
    }

    private void durations(InfoFields fields) {
        for (CommandSpec spec : facts.all()) {
            LatencyHistogram histogram = stats.histogram(spec.id());
            if (histogram.total() > 0) {
                fields.field("latency_percentiles_usec_" + spec.fullName(), text(histogram));
            }
        }
    }

    private static String text(LatencyHistogram histogram) {
        var text = new StringBuilder();
        for (double percentile : PERCENTILES) {
            String name = percentile == Math.rint(percentile) ? "%.0f" : "%.1f";
            text.append(text.isEmpty() ? "p" : ",p").append(String.format(Locale.ROOT, name, percentile));
            text.append(String.format(Locale.ROOT, "=%.3f", histogram.percentileNanos(percentile) / 1000.0));
        }
        return text.toString();
    }

    private void errors(InfoFields fields) {
        stats.errors().forEach((name, count) -> fields.field("errorstat_" + name, "count=" + count));
    }
}
