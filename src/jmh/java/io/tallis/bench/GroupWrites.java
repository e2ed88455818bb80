package io.tallis.bench;

import java.util.ArrayList;
import java.util.List;

/// What it costs a server that others get all its changes: throughput and CPU time, alone and with two others.
final class GroupWrites implements Measure {
    private static final Floor CPU_FLOOR = Floor.valueAtLeast(0.7);
    private static final String POINT = "INCRBY P=" + ClusterSizes.PIPELINE;

    @Override
    public String name() {
        return "writes";
    }

    @Override
    public void take(Lab lab, Results results) {
        int keys = lab.sizes().keys();
        try (Lab.Subjects alone = lab.startAll(Fsync.EVERYSEC);
                Lab.Groups groups = lab.startGroups()) {
            List<Pair> pairs = new ArrayList<>();
            for (int i = 0; i < lab.kinds().size(); i++) {
                pairs.add(new Pair(alone.all().get(i), groups.all().get(i)));
            }
            for (Pair pair : pairs) {
                pair.alone().fill(keys);
                pair.group().fill(keys);
                // Not recorded: both have to warm up.
                Cost _ = send(lab, pair.alone());
                Cost _ = send(lab, pair.group().first());
            }
            for (int round = 1; round <= lab.rounds(); round++) {
                for (Pair pair : pairs) {
                    sample(lab, pair, results);
                }
            }
            alone.all().forEach(Subject::audit);
            groups.all().forEach(Group::audit);
        }
    }

    private record Pair(Subject alone, Group group) {}

    /// Thousand requests a second, CPU seconds for a million.
    private record Cost(double rate, double cpu) {}

    private static void sample(Lab lab, Pair pair, Results results) {
        Cost alone = send(lab, pair.alone());
        Cost grouped = send(lab, pair.group().first());
        pair.group().awaitAgreement(pair.group().members());
        Side side = pair.group().side();
        results.add(new Metric("writes", POINT + " alone", "1000/s"), side, alone.rate());
        results.add(new Metric("writes", POINT + " of three", "1000/s"), side, grouped.rate());
        results.add(new Metric("writes", POINT + " alone, CPU", "s/M"), side, alone.cpu());
        results.add(new Metric("writes", POINT + " of three, CPU", "s/M"), side, grouped.cpu());
        results.add(new Metric("writes", "CPU alone / of three", "x", CPU_FLOOR), side, alone.cpu() / grouped.cpu());
        lab.say(
                "writes, %s: alone %.0f k/s, %.2f CPU s per million; of three %.0f k/s, %.2f",
                side.title(), alone.rate(), alone.cpu(), grouped.rate(), grouped.cpu());
    }

    /// Returns when the server is at rest again, so that what it has put off counts.
    private static Cost send(Lab lab, Subject subject) {
        double cpuBefore = subject.server().stat().cpuSeconds();
        double seconds = 0;
        for (int i = 0; i < ClusterSizes.CHUNKS; i++) {
            seconds += 1 / SteadyLoad.chunk(lab, subject);
        }
        subject.server().awaitRest();
        double cpu = subject.server().stat().cpuSeconds() - cpuBefore;
        return new Cost(
                ClusterSizes.CHUNKS / seconds / 1e3,
                cpu / (lab.sizes().cluster().writes() / 1e6));
    }
}
