package io.tallis.bench;

import java.util.SplittableRandom;

/// The load generator of a machine without redis-benchmark. It is slower, so its figures are not to be compared.
record OwnLoad() implements LoadTool {
    @Override
    public String title() {
        return "a load generator of its own";
    }

    @Override
    public double run(Subject subject, Workload workload, int pipeline, long requests, int keys) {
        SplittableRandom random = new SplittableRandom();
        Request request = Request.of(workload, subject.side());
        long nanos = new PipelinedLoad(requests, pipeline, request, _ -> random.nextInt(keys), _ -> {})
                .run(subject.server().port(), Sizes.CONNECTIONS);
        return requests / (nanos / 1e9);
    }
}
