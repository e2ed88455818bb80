package io.tallis.command.server;

import io.tallis.command.facts.CommandFacts;
import io.tallis.command.facts.CommandSpec;
import io.tallis.metrics.CommandStats;
import io.tallis.metrics.LatencyHistogram;
import java.util.List;

/// The `INFO` sections `commandstats`, `errorstats` and `latencystats`.
public final class CommandStatsSections {
    private static final double NANOS_PER_MICRO = 1000;

    private final CommandFacts facts;
    private final CommandStats stats;

    public CommandStatsSections(CommandFacts facts, CommandStats stats) {
        this.facts = facts;
        this.stats = stats;
    }

    public List<InfoSection> sections() {
        return List.of(
                InfoSection.onDemand("commandstats", this::calls),
                InfoSection.of("errorstats", this::errors),
                InfoSection.onDemand("latencystats", this::latencies));
    }

    private void calls(InfoFields fields) {
        for (CommandSpec spec : facts.all()) {
            CommandStats.Totals totals = stats.of(spec.id());
            if (totals.calls() + totals.rejected() > 0) {
                fields.group("cmdstat_" + spec.fullName(), group -> calls(totals, group));
            }
        }
    }

    private static void calls(CommandStats.Totals totals, InfoFields group) {
        group.field("calls", totals.calls())
                .field("usec", totals.nanos() / 1000)
                .decimal("usec_per_call", totals.nanosPerCall() / NANOS_PER_MICRO, 2)
                .field("rejected_calls", totals.rejected())
                .field("failed_calls", totals.failed());
    }

    private void errors(InfoFields fields) {
        stats.errors()
                .forEach((name, count) -> fields.group("errorstat_" + name, group -> group.field("count", count)));
    }

    private void latencies(InfoFields fields) {
        for (CommandSpec spec : facts.all()) {
            LatencyHistogram histogram = stats.histogram(spec.id());
            if (histogram.total() > 0) {
                fields.group(
                        "latency_percentiles_usec_" + spec.fullName(),
                        group -> group.decimal("p50", micros(histogram, 50), 3)
                                .decimal("p99", micros(histogram, 99), 3)
                                .decimal("p99.9", micros(histogram, 99.9), 3));
            }
        }
    }

    private static double micros(LatencyHistogram histogram, double percentile) {
        return histogram.percentileNanos(percentile) / NANOS_PER_MICRO;
    }
}
