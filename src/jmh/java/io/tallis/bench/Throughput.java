package io.tallis.bench;

import java.util.List;
import java.util.Map;

/// How many requests a second a server answers, and what CPU time it takes for them.
final class Throughput implements Measure {
    private static final Map<Integer, Floor> RATE_FLOORS =
            Map.of(1, Floor.ratioAtLeast(1.0), 16, Floor.ratioAtLeast(1.4), 64, Floor.ratioAtLeast(1.8));
    private static final Floor RATE_FLOOR_ALWAYS = Floor.ratioAtLeast(1.0);
    private static final Floor CPU_FLOOR = Floor.ratioAtMost(0.8);
    private static final int CPU_FLOOR_FROM_PIPELINE = 16;

    /// One part in so many of a sample's requests are sent before the first round, to warm up.
    private static final int WARMUP = 4;

    /// What is asked for, how deep, how many times.
    private record Point(Workload workload, int pipeline, long requests, Fsync fsync) {
        Metric rate() {
            Floor floor = fsync == Fsync.ALWAYS ? RATE_FLOOR_ALWAYS : RATE_FLOORS.getOrDefault(pipeline, Floor.NONE);
            return new Metric("throughput", title(), "1000/s", floor);
        }

        Metric cpu() {
            return new Metric("cpu", title(), "s/M", pipeline >= CPU_FLOOR_FROM_PIPELINE ? CPU_FLOOR : Floor.NONE);
        }

        private String title() {
            return workload.title() + " P=" + pipeline + " " + fsync.option();
        }
    }

    @Override
    public String name() {
        return "throughput";
    }

    @Override
    public void take(Lab lab, Results results) {
        take(lab, Fsync.EVERYSEC, List.of(Workload.INCRBY, Workload.PNCOUNT_INC, Workload.GET), results);
        take(lab, Fsync.ALWAYS, List.of(Workload.INCRBY), results);
    }

    private static void take(Lab lab, Fsync fsync, List<Workload> workloads, Results results) {
        int keys = lab.sizes().keys();
        try (Lab.Subjects subjects = lab.startAll(fsync)) {
            subjects.all().forEach(subject -> subject.fill(keys));
            for (Workload workload : workloads) {
                lab.sizes()
                        .requests()
                        .forEach((pipeline, requests) ->
                                take(lab, subjects, new Point(workload, pipeline, requests, fsync), results));
            }
            subjects.all().forEach(Subject::audit);
        }
    }

    private static void take(Lab lab, Lab.Subjects subjects, Point point, Results results) {
        for (Subject subject : subjects.all()) {
            long requests = point.requests() / WARMUP / point.pipeline() * point.pipeline();
            send(lab, subject, point, requests);
        }
        for (int round = 1; round <= lab.rounds(); round++) {
            for (Subject subject : subjects.all()) {
                double cpuBefore = subject.server().stat().cpuSeconds();
                double rate = send(lab, subject, point, point.requests()) / 1e3;
                double cpu = (subject.server().stat().cpuSeconds() - cpuBefore) / (point.requests() / 1e6);
                results.add(point.rate(), subject.side(), rate);
                results.add(point.cpu(), subject.side(), cpu);
                lab.say(
                        "%s, round %d, %s: %.0f k/s, %.2f CPU s per million",
                        point.title(), round, subject.side().title(), rate, cpu);
            }
        }
    }

    /// Returns when the server is at rest again: work that it has put off counts as its CPU time, and does not
    /// disturb the other side.
    private static double send(Lab lab, Subject subject, Point point, long requests) {
        double rate = lab.tool()
                .run(
                        subject,
                        point.workload(),
                        point.pipeline(),
                        requests,
                        lab.sizes().keys());
        subject.expect(point.workload(), requests);
        subject.server().awaitRest();
        return rate;
    }
}
