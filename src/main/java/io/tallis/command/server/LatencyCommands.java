package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.CommandSettings;
import io.tallis.command.Reply;
import io.tallis.command.facts.CommandFacts;
import io.tallis.command.facts.CommandSpec;
import io.tallis.metrics.CommandStats;
import io.tallis.metrics.LatencyEvents;
import io.tallis.metrics.LatencyHistogram;
import io.tallis.runtime.Live;
import java.util.ArrayList;
import java.util.List;

/// `LATENCY`: events above the threshold of the latency monitor, and a histogram per command.
public final class LatencyCommands implements CommandFamily {
    /// The number of bounds in a histogram: 1, 2, 4, ... microseconds.
    private static final int BOUNDS = 31;

    private final LatencyEvents events;
    private final CommandStats stats;
    private final CommandFacts facts;
    private final Live<CommandSettings> settings;

    public LatencyCommands(
            LatencyEvents events, CommandStats stats, CommandFacts facts, Live<CommandSettings> settings) {
        this.events = events;
        this.stats = stats;
        this.facts = facts;
        this.settings = settings;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("latency|latest", this::latest)
                .add("latency|history", this::history)
                .add("latency|reset", this::reset)
                .add("latency|histogram", this::histogram)
                .add("latency|doctor", this::doctor);
    }

    private void latest(Arguments arguments, Client client, Reply reply) {
        List<LatencyEvents.Latest> latest = events.latest();
        reply.array(latest.size());
        for (LatencyEvents.Latest event : latest) {
            reply.array(4);
            reply.bulk(event.event());
            reply.integer(event.sample().epochSeconds());
            reply.integer(event.sample().millis());
            reply.integer(event.maxMillis());
        }
    }

    private void history(Arguments arguments, Client client, Reply reply) {
        List<LatencyEvents.Sample> samples = events.history(arguments.text(2));
        reply.array(samples.size());
        for (LatencyEvents.Sample sample : samples) {
            reply.array(2);
            reply.integer(sample.epochSeconds());
            reply.integer(sample.millis());
        }
    }

    private void reset(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() == 2) {
            reply.integer(events.resetAll());
            return;
        }
        int forgotten = 0;
        for (int word = 2; word < arguments.count(); word++) {
            forgotten += events.reset(arguments.text(word)) ? 1 : 0;
        }
        reply.integer(forgotten);
    }

    private void histogram(Arguments arguments, Client client, Reply reply) {
        List<CommandSpec> called = new ArrayList<>();
        for (CommandSpec spec : arguments.count() == 2 ? facts.all() : named(arguments)) {
            if (stats.histogram(spec.id()).total() > 0) {
                called.add(spec);
            }
        }
        reply.map(called.size());
        for (CommandSpec spec : called) {
            reply.bulk(spec.fullName());
            tell(stats.of(spec.id()).calls(), stats.histogram(spec.id()), reply);
        }
    }

    private List<CommandSpec> named(Arguments arguments) {
        List<CommandSpec> named = new ArrayList<>();
        for (int word = 2; word < arguments.count(); word++) {
            CommandSpec spec = facts.find(arguments.text(word));
            if (spec != null) {
                named.add(spec);
                named.addAll(spec.subcommands());
            }
        }
        return named;
    }

    /// Cumulative counts for the bounds at which they grow, scaled from the timed calls to all calls.
    private static void tell(long calls, LatencyHistogram histogram, Reply reply) {
        List<Long> bounds = new ArrayList<>();
        long before = 0;
        for (int i = 0; i < BOUNDS; i++) {
            long atMost = histogram.atMost(1000L << i, calls);
            if (atMost > before) {
                bounds.add(1L << i);
            }
            before = atMost;
        }
        reply.map(2);
        reply.bulk("calls");
        reply.integer(calls);
        reply.bulk("histogram_usec");
        reply.map(bounds.size());
        for (long micros : bounds) {
            reply.integer(micros);
            reply.integer(histogram.atMost(micros * 1000, calls));
        }
    }

    private void doctor(Arguments arguments, Client client, Reply reply) {
        reply.text(new LatencyDoctor(events, settings.now()).advice());
    }
}
