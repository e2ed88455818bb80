package io.tallis.bench;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;

/// How long an empty member takes to join two that have many counters, and what the others' clients notice of it: those
/// that leave their server room, and those that ask for all it can answer.
final class Join implements Measure {
    private static final Floor TRANSFER_FLOOR = Floor.valueAtLeast(50);
    private static final int FLOORS_FROM_KEYS = 1_000_000;

    /// The share of requests that should be answered in time while another joins, and what is in time.
    private static final Floor IN_TIME_FLOOR = Floor.valueAtLeast(0.99);

    private static final Duration IN_TIME = Duration.ofMillis(100);
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
            Floor floor = group.keys() >= FLOORS_FROM_KEYS ? TRANSFER_FLOOR : Floor.NONE;
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
        String point = Keys.count(group.keys()) + ", " + Keys.count(perSecond) + "/s: ";
        try (BackgroundLoad load = new BackgroundLoad(perSecond, clients, Math.toIntExact(group.keys()))) {
            long window = lab.sizes().cluster().window().toMillis();
            Waiting.pause(window);
            // Not recorded: the member has rested, or does this for the first time.
            Histogram _ = load.takeLatencies();
            Waiting.pause(window);
            add(results, group.side(), point, " before", load.takeLatencies());
            Subject joiner = group.add();
            double seconds = joiner.server().millisSinceStart() / 1e3;
            load.end();
            // What was due and not answered when the joiner became ready is among these.
            Histogram meanwhile = load.takeLatencies();
            add(results, group.side(), point, " meanwhile", meanwhile);
            Floor floor = group.keys() >= FLOORS_FROM_KEYS ? IN_TIME_FLOOR : Floor.NONE;
            double inTime = meanwhile.shareUpTo(IN_TIME.toNanos());
            results.add(new Metric("join", point + "in time", "x", floor), group.side(), inTime);
            results.add(new Metric("join", point + "to ready", "s"), group.side(), seconds);
            lab.say(
                    "join at %d/s, %s: %.2f s, in time %.4f, p99 %.2f ms",
                    perSecond, group.side().title(), seconds, inTime, meanwhile.percentile(99) / 1e6);
            group.awaitAgreement(group.members());
            group.remove(joiner);
        }
        group.first().server().awaitRest();
    }

    private static void add(Results results, Side side, String point, String when, Histogram latencies) {
        results.add(new Metric("join", point + "p50" + when, "ms"), side, latencies.percentile(50) / 1e6);
        results.add(new Metric("join", point + "p99" + when, "ms"), side, latencies.percentile(99) / 1e6);
        results.add(new Metric("join", point + "p99.9" + when, "ms"), side, latencies.percentile(99.9) / 1e6);
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
