package io.tallis.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// How long after its acknowledgement an increment is visible on all other members, while others are made.
final class Visibility implements Measure {
    private static final int SLOW = 1_000;
    private static final int FAST = 20_000;

    /// One part in so many is watched for besides and not recorded, to warm up.
    private static final int WARMUP = 2;

    @Override
    public String name() {
        return "visibility";
    }

    @Override
    public void take(Lab lab, Results results) {
        try (Lab.Groups groups = lab.startGroups()) {
            groups.all().forEach(group -> group.fill(lab.sizes().keys()));
            for (int perSecond : lab.sizes().cluster().backgrounds()) {
                for (int round = 1; round <= lab.rounds(); round++) {
                    for (Group group : groups.all()) {
                        Histogram delays = sample(lab, group, perSecond);
                        metrics(perSecond)
                                .forEach((percent, metric) ->
                                        results.add(metric, group.side(), delays.percentile(percent) / 1e6));
                        lab.say(
                                "visibility at %d/s, round %d, %s: p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms",
                                perSecond,
                                round,
                                group.side().title(),
                                delays.percentile(50) / 1e6,
                                delays.percentile(99) / 1e6,
                                delays.percentile(99.9) / 1e6);
                    }
                }
            }
            groups.all().forEach(Group::audit);
        }
    }

    private static Histogram sample(Lab lab, Group group, int perSecond) {
        int probes = lab.sizes().cluster().probes();
        var plan = new VisibilityProbe.Plan(group.keys(), probes / WARMUP, probes);
        List<Subject> others = group.members().subList(1, group.members().size());
        try (BackgroundLoad beside =
                new BackgroundLoad(perSecond, group.writers(), lab.sizes().keys())) {
            Histogram delays = new VisibilityProbe(plan).run(group.first(), others);
            beside.end();
            group.first().expect(Workload.INCRBY, plan.counters());
            group.grow(plan.counters());
            return delays;
        }
    }

    private static Map<Double, Metric> metrics(int perSecond) {
        String point = String.format(Locale.ROOT, "at %,d/s, ", perSecond);
        Map<Double, Metric> metrics = new LinkedHashMap<>();
        metrics.put(50.0, metric(point + "p50", perSecond == SLOW ? Floor.valueAtMost(0.5) : Floor.NONE));
        metrics.put(99.0, metric(point + "p99", p99Floor(perSecond)));
        metrics.put(99.9, metric(point + "p99.9", Floor.NONE));
        return metrics;
    }

    private static Floor p99Floor(int perSecond) {
        return switch (perSecond) {
            case SLOW -> Floor.valueAtMost(5);
            case FAST -> Floor.valueAtMost(10);
            default -> Floor.NONE;
        };
    }

    private static Metric metric(String point, Floor floor) {
        return new Metric("visibility", point, "ms", floor);
    }
}
