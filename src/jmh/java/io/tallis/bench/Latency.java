package io.tallis.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/// How long replies take at a fixed rate that both servers hold, random keys being incremented.
final class Latency implements Measure {
    private static final Floor P99_FLOOR = Floor.ratioAtMost(1.5);

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public void take(Lab lab, Results results) {
        Map<Double, Metric> metrics = metrics(lab.sizes().paced());
        try (Lab.Subjects subjects = lab.startAll(Fsync.EVERYSEC)) {
            subjects.all().forEach(subject -> subject.fill(lab.sizes().keys()));
            for (int round = 1; round <= lab.rounds(); round++) {
                for (Subject subject : subjects.all()) {
                    Histogram latencies = send(lab, subject);
                    metrics.forEach((percent, metric) ->
                            results.add(metric, subject.side(), latencies.percentile(percent) / 1e3));
                    lab.say(
                            "latency, round %d, %s: p50 %.0f us, p99 %.0f us, p99.9 %.0f us",
                            round,
                            subject.side().title(),
                            latencies.percentile(50) / 1e3,
                            latencies.percentile(99) / 1e3,
                            latencies.percentile(99.9) / 1e3);
                }
            }
            subjects.all().forEach(Subject::audit);
        }
    }

    private static Histogram send(Lab lab, Subject subject) {
        PacedLoad.Plan plan = lab.sizes().paced();
        SplittableRandom random = new SplittableRandom();
        Request request = Request.of(Workload.INCRBY, subject.side());
        Histogram latencies = new PacedLoad(
                        plan, request, _ -> random.nextInt(lab.sizes().keys()))
                .run(subject.server().port());
        subject.expect(Workload.INCRBY, plan.requests());
        subject.server().awaitRest();
        return latencies;
    }

    private static Map<Double, Metric> metrics(PacedLoad.Plan plan) {
        String point = "INCRBY at " + plan.perSecond() + "/s ";
        Map<Double, Metric> metrics = new LinkedHashMap<>();
        metrics.put(50.0, new Metric("latency", point + "p50", "us"));
        metrics.put(99.0, new Metric("latency", point + "p99", "us", P99_FLOOR));
        metrics.put(99.9, new Metric("latency", point + "p99.9", "us"));
        return metrics;
    }
}
