package io.tallis.chaos;

import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/// Starts nodes of a cluster again and again, each of which then changes all counters, and checks that nothing grows or
/// slows down with the number of restarts.
///
/// A session adds a shard to each counter that it changes, on all nodes; only folds keep them from adding up. After
/// each restart the node has to show every increment that was ever acknowledged. From time to time a row of figures is
/// taken: the medians of the restarts since the row before, and what nodes hold. The last row has to be like the first.
final class AgeingRun {
    private static final int COUNTERS = 20_000;
    private static final int PIPELINED = 200;
    private static final int ROWS = 10;
    private static final int LEAST_RESTARTS_A_ROW = 10;
    private static final Duration FOLD_TIMEOUT = Duration.ofSeconds(20);
    private static final long BETWEEN_LOOKS_MILLIS = 1;
    private static final long FORMS_CHANGE_MILLIS = 500;
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    private final Options options;
    private final RunLog log;
    private final ChaosCluster cluster;
    private final SplittableRandom random;
    private final List<Restart> restarts = new ArrayList<>();
    private final List<AgeingFigures> rows = new ArrayList<>();
    private long expected;

    private AgeingRun(Options options, RunLog log, ChaosCluster cluster) {
        this.options = options;
        this.log = log;
        this.cluster = cluster;
        random = new SplittableRandom(options.seed());
    }

    /// One restart, and the load after it.
    private record Restart(double startMillis, double joinMillis, double incrs, double gets, double diskBytes) {}

    /// Returns whether no check failed. All processes of the run have ended then. The directory is deleted if so.
    static boolean run(Options options, Network network) throws IOException, InterruptedException {
        RunLog log = new RunLog(System.out);
        try (var cluster = new ChaosCluster(options, network, log)) {
            new AgeingRun(options, log, cluster).perform();
        }
        boolean right = log.failures().isEmpty();
        if (right) {
            ChaosNode.delete(options.dir());
        }
        log.print(
                right
                        ? "all is well: after " + options.ageing() + " restarts the cluster is as after the first"
                        : "seed " + options.seed() + " failed; logs and data are in " + options.dir());
        return right;
    }

    private void perform() throws IOException, InterruptedException {
        log.print("seed " + options.seed() + ", " + options.describe() + ", " + options.ageing() + " restarts");
        cluster.nodes().forEach(ChaosNode::start);
        if (!cluster.awaitReady()) {
            return;
        }
        log.print(AgeingFigures.HEADING);
        int each = Math.max(LEAST_RESTARTS_A_ROW, options.ageing() / ROWS);
        for (int count = 1; count <= options.ageing() && log.failures().isEmpty(); count++) {
            restart(cluster.nodes().get(random.nextInt(cluster.nodes().size())));
            if (count % each == 0 || count == options.ageing()) {
                takeRow(count);
            }
        }
        if (log.failures().isEmpty()) {
            rows.getLast().excessOver(rows.getFirst()).forEach(log::fail);
        }
        cluster.stop();
    }

    private void restart(ChaosNode node) throws IOException, InterruptedException {
        if (random.nextBoolean()) {
            node.kill();
        } else {
            node.beginToStop();
            int code = node.awaitStop();
            if (code != 0) {
                log.fail(node + " was told to stop, and ended with exit code " + code);
            }
        }
        long begin = System.nanoTime();
        node.start();
        long loaded = await(node::hasLoaded, node);
        long ready = await(node::isReady, node);
        if (log.failures().isEmpty()) {
            double incrs = increment(node);
            double gets = read(node);
            restarts.add(new Restart(
                    (loaded - begin) / NANOS_PER_MILLI,
                    (ready - loaded) / NANOS_PER_MILLI,
                    incrs,
                    gets,
                    node.dataBytes()));
        }
    }

    private interface Condition {
        boolean isMet();
    }

    /// Returns when it was met.
    private long await(Condition condition, ChaosNode node) throws InterruptedException {
        long begin = System.nanoTime();
        while (!condition.isMet()) {
            if (!node.isAlive() || System.nanoTime() - begin > TIMEOUT_NANOS) {
                log.fail(node + " did not become ready");
                break;
            }
            TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS_MILLIS);
        }
        return System.nanoTime();
    }

    /// Returns the increments a second.
    private double increment(ChaosNode node) throws IOException {
        long begin = System.nanoTime();
        try (RespSocket socket = node.connect()) {
            expected++;
            callForAll(socket, node, "INCR");
        }
        return COUNTERS * NANOS_PER_SECOND / (System.nanoTime() - begin);
    }

    /// Returns the reads a second.
    private double read(ChaosNode node) throws IOException {
        long begin = System.nanoTime();
        try (RespSocket socket = node.connect()) {
            callForAll(socket, node, "GET");
        }
        return COUNTERS * NANOS_PER_SECOND / (System.nanoTime() - begin);
    }

    private void callForAll(RespSocket socket, ChaosNode node, String command) throws IOException {
        for (int from = 0; from < COUNTERS; from += PIPELINED) {
            for (int counter = from; counter < from + PIPELINED; counter++) {
                socket.add(command, "counter:" + counter);
            }
            socket.flush();
            for (int counter = from; counter < from + PIPELINED; counter++) {
                String reply = socket.read();
                if (!reply.equals(Long.toString(expected)) && log.failures().isEmpty()) {
                    log.fail(node + " replied " + reply + " to " + command + " counter:" + counter + " instead of "
                            + expected);
                }
            }
        }
    }

    private void takeRow(int count) throws IOException, InterruptedException {
        if (!log.failures().isEmpty() || !cluster.awaitReady() || !cluster.awaitAgreement()) {
            return;
        }
        if (!cluster.awaitFolds(FOLD_TIMEOUT)) {
            log.fail("sessions could not be folded within " + FOLD_TIMEOUT.toSeconds() + " s");
        }
        long memory = 0;
        long heap = 0;
        for (ChaosNode node : cluster.nodes()) {
            try (RespSocket socket = node.connect()) {
                memory = Math.max(memory, memoryAfterFolds(socket));
                // Garbage would hide what grows.
                socket.call("MEMORY", "PURGE");
                heap = Math.max(heap, socket.info("heap_used"));
            }
        }
        var row = new AgeingFigures(
                count,
                cluster.folds(),
                (double) memory / COUNTERS,
                heap,
                median(restarts.stream().map(Restart::diskBytes).toList()),
                median(restarts.stream().map(Restart::startMillis).toList()),
                median(restarts.stream().map(Restart::joinMillis).toList()),
                median(restarts.stream().map(Restart::incrs).toList()),
                median(restarts.stream().map(Restart::gets).toList()));
        restarts.clear();
        rows.add(row);
        log.print(row.toString());
    }

    /// What counters take on a node. It brings them to their new form in the background when it has made a fold.
    private static long memoryAfterFolds(RespSocket socket) throws IOException, InterruptedException {
        long before;
        long now = socket.info("used_memory_dataset");
        do {
            before = now;
            TimeUnit.MILLISECONDS.sleep(FORMS_CHANGE_MILLIS);
            now = socket.info("used_memory_dataset");
        } while (now < before);
        return now;
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
