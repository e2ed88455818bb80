package io.tallis.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The load generator that comes with Redis.
record RedisBenchmark(String program) implements LoadTool {
    private static final long LEAST_PER_SECOND = 2_000;
    private static final int PATIENCE_SECONDS = 30;
    private static final int RATE_COLUMN = 1;

    @Override
    public String title() {
        return "redis-benchmark";
    }

    @Override
    public double run(Subject subject, Workload workload, int pipeline, long requests, int keys) {
        List<String> command = new ArrayList<>(List.of(
                program,
                "-p",
                Integer.toString(subject.server().port()),
                "-c",
                Integer.toString(Sizes.CONNECTIONS),
                "-n",
                Long.toString(requests),
                "-r",
                Integer.toString(keys),
                "-P",
                Integer.toString(pipeline),
                "--csv"));
        command.addAll(workload.words(subject.side(), Keys.RANDOM));
        return rate(Commands.run(command, Duration.ofSeconds(PATIENCE_SECONDS + requests / LEAST_PER_SECOND)));
    }

    /// The second column of the last line: `"INCRBY key:__rand_int__ 1","98135.43","0.350",...`.
    private static double rate(String csv) {
        String[] columns = csv.strip().lines().reduce("", (_, last) -> last).split("\",\"", -1);
        if (columns.length <= RATE_COLUMN) {
            throw new BenchException("redis-benchmark printed no rate but: " + csv.strip());
        }
        return Double.parseDouble(columns[RATE_COLUMN]);
    }
}
