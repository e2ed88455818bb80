package io.tallis.bench;

import io.tallis.runtime.Clock;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/// How long an empty member takes to join two that have many counters, and what the others' clients notice of it: those
/// that leave their server room, and those that ask for all it can answer.
final class Join implements Measure {
    private static final Floor TRANSFER_FLOOR = Floor.valueAtLeast(50);
    private static final int TRANSFER_FLOOR_FROM_KEYS = 1_000_000;

    /// Of the requests that come due, so many must be answered while they do; else the member falls behind.
    private static final Floor KEPT_FLOOR = Floor.valueAtLeast(0.99);

    private static final int CLIENTS = 8;

    @Override
    public String name() {
        return "join";
    }

    /// One kind after the other: six servers with many keys are more than most machines hold.
    @Override
    public void take(Lab lab, Results results) {
        for (int keys : lab.sizes().fills()) {
            for (ServerKind kind : lab.kinds()) {
                try (Group group = lab.startGroup(kind, Lab.Groups.SIZE - 1)) {
                    group.fill(keys);
                    for (int round = 1; round <= lab.rounds(); round++) {
                        joinQuietly(lab, group, results);
                        joinBesideClients(lab, group, results);
                        joinUnderLoad(lab, group, results);
                    }
                    group.audit();
                }
            }
        }
    }

    private static void joinQuietly(Lab lab, Group group, Results results) {
        Subject joiner = group.add();
        double seconds = joiner.server().millisSinceStart() / 1e3;
        double pulling = seconds - joiner.server().millisToListen() / 1e3;
        joiner.requireKeys(group.keys());
        double megabytes = group.bytesToJoin(joiner) / 1e6;
        double rate = megabytes / pulling;
        String title = Keys.count(group.keys());
        results.add(new Metric("join", title + ", to ready", "s"), group.side(), seconds);
        results.add(new Metric("join", title + ", bytes to join", "MB/s"), group.side(), rate);
        lab.say("join, %s, %s: %.2f s, %.0f MB/s", title, group.side().title(), seconds, rate);
        OptionalDouble transfer = group.secondsOfTransfer(joiner);
        if (transfer.isPresent()) {
            Floor floor = group.keys() >= TRANSFER_FLOOR_FROM_KEYS ? TRANSFER_FLOOR : Floor.NONE;
            double bulk = megabytes / transfer.getAsDouble();
            results.add(Metric.ofTallis("join", title + ", bulk transfer", "MB/s", floor), group.side(), bulk);
            lab.say(
                    "join, %s, %s: %.0f MB/s while it pulls",
                    title, group.side().title(), bulk);
        }
        group.remove(joiner);
        group.first().server().awaitRest();
    }

    /// Clients that ask for less than the member can answer.
    private static void joinBesideClients(Lab lab, Group group, Results results) {
        int perSecond = lab.sizes().cluster().backgrounds().getLast();
        List<Subject> clients = Collections.nCopies(CLIENTS, group.first());
        Subject joiner;
        double seconds;
        Histogram before;
        Histogram meanwhile;
        try (BackgroundLoad load = new BackgroundLoad(perSecond, clients, Math.toIntExact(group.keys()))) {
            long window = lab.sizes().cluster().quiet().toMillis();
            Waiting.pause(window);
            // Not recorded: the member has rested, or does this for the first time.
            Histogram _ = load.takeLatencies();
            Waiting.pause(window);
            before = load.takeLatencies();
            long start = Clock.system().nanos();
            joiner = group.add();
            meanwhile = load.takeLatencies();
            seconds = (Clock.system().nanos() - start) / 1e9;
            load.end();
        }
        double kept = meanwhile.total() / (perSecond * seconds);
        String point = Keys.count(group.keys()) + ", " + Keys.count(perSecond) + "/s: ";
        results.add(new Metric("join", point + "to ready", "s"), group.side(), seconds);
        results.add(new Metric("join", point + "rate kept", "x", KEPT_FLOOR), group.side(), kept);
        percentiles(point, " before", before).forEach((metric, ms) -> results.add(metric, group.side(), ms));
        percentiles(point, " meanwhile", meanwhile).forEach((metric, ms) -> results.add(metric, group.side(), ms));
        lab.say(
                "join at %d/s, %s: %.2f s, rate kept %.3f",
                perSecond, group.side().title(), seconds, kept);
        group.awaitAgreement(group.members());
        group.remove(joiner);
        group.first().server().awaitRest();
    }

    private static Map<Metric, Double> percentiles(String point, String when, Histogram latencies) {
        Map<Metric, Double> percentiles = new LinkedHashMap<>();
        for (String percent : List.of("50", "99", "99.9")) {
            Metric metric = new Metric("join", point + "p" + percent + when, "ms");
            percentiles.put(metric, latencies.percentile(Double.parseDouble(percent)) / 1e6);
        }
        return percentiles;
    }

    private static void joinUnderLoad(Lab lab, Group group, Results results) {
        // Not recorded: the member has rested, or does this for the first time.
        double _ = SteadyLoad.chunk(lab, group.first());
        double before = SteadyLoad.chunk(lab, group.first());
        SteadyLoad load = new SteadyLoad(lab, group.first());
        Subject joiner;
        double seconds;
        double during;
        try {
            joiner = group.add();
            seconds = joiner.server().millisSinceStart() / 1e3;
        } finally {
            during = load.end();
        }
        String title = Keys.count(group.keys());
        results.add(new Metric("join", title + ", to ready, loaded", "s"), group.side(), seconds);
        results.add(new Metric("join", title + ", throughput kept", "x"), group.side(), during / before);
        lab.say(
                "join under load, %s, %s: %.2f s, %.0f k/s, before %.0f k/s",
                title, group.side().title(), seconds, during / 1e3, before / 1e3);
        group.awaitAgreement(group.members());
        group.remove(joiner);
        group.first().server().awaitRest();
    }
}
