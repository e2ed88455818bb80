package io.tallis.chaos;

import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// All nodes of a run, and what holds of all of them: whether they serve, and whether they agree. None outlives it.
final class ChaosCluster implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final long BETWEEN_LOOKS_MILLIS = 50;

    private final List<ChaosNode> nodes = new ArrayList<>();
    private final RunLog log;
    private final Thread end = new Thread(this::end, "end-nodes");

    ChaosCluster(Options options, Network network, RunLog log) throws IOException {
        this.log = log;
        String name = "chaos-" + ProcessHandle.current().pid();
        for (int i = 0; i < options.nodes(); i++) {
            nodes.add(new ChaosNode(i, options, network, name));
        }
        Runtime.getRuntime().addShutdownHook(end);
    }

    List<ChaosNode> nodes() {
        return nodes;
    }

    /// Whether all nodes serve before the timeout.
    boolean awaitReady() throws InterruptedException {
        return awaitReady(() -> {});
    }

    interface Step {
        void run() throws IOException;
    }

    /// The same; takes a step again and again.
    boolean awaitReady(Step meanwhile) throws InterruptedException {
        boolean ready = await(
                () -> {
                    meanwhile.run();
                    return nodes.stream().allMatch(ChaosNode::isReady);
                },
                TIMEOUT);
        if (!ready) {
            log.fail("not all nodes are ready after " + TIMEOUT.toSeconds() + " s");
        }
        return ready;
    }

    /// Whether all nodes have the same counters before the timeout.
    boolean awaitAgreement() throws InterruptedException {
        long begin = System.nanoTime();
        boolean agreed = await(() -> digests().size() == 1, TIMEOUT);
        if (agreed) {
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            log.print("all nodes agree, after " + millis + " ms");
        } else {
            log.fail("nodes do not agree after " + TIMEOUT.toSeconds() + " s without a change");
        }
        return agreed;
    }

    private Set<String> digests() throws IOException {
        Set<String> digests = new HashSet<>();
        for (ChaosNode node : nodes) {
            String digest = node.call("SYSTEM", "DIGEST");
            if (digest.startsWith("-")) {
                throw new IOException(digest);
            }
            // Without the number of cells: nodes drop what has ended when they come to it.
            digests.add(digest.substring(0, digest.indexOf(", cells")));
        }
        return digests;
    }

    interface Question {
        boolean isTrue() throws IOException;
    }

    /// Whether the answer becomes yes before the timeout.
    static boolean await(Question question, Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        while (System.nanoTime() - end < 0) {
            try {
                if (question.isTrue()) {
                    return true;
                }
            } catch (IOException _) {
                // Asked again.
            }
            TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS_MILLIS);
        }
        return false;
    }

    /// Whether no node has shards left to fold before the timeout.
    boolean awaitFolds(Duration timeout) throws InterruptedException {
        for (ChaosNode node : nodes) {
            if (!await(() -> node.call("INFO", "replication").contains("fold_waits_for:\r"), timeout)) {
                return false;
            }
        }
        return true;
    }

    long folds() throws IOException {
        try (RespSocket socket = nodes.getFirst().connect()) {
            return socket.info("folds");
        }
    }

    /// How many purges the cluster has made.
    long purges() throws IOException {
        try (RespSocket socket = nodes.getFirst().connect()) {
            return socket.info("purges");
        }
    }

    /// Stops all nodes as an operator does.
    void stop() throws IOException {
        nodes.forEach(ChaosNode::beginToStop);
        for (ChaosNode node : nodes) {
            int code = node.awaitStop();
            if (code != 0) {
                log.fail(node + " ended with exit code " + code);
            }
        }
    }

    private void end() {
        for (ChaosNode node : nodes) {
            try {
                node.close();
            } catch (IOException e) {
                log.print("the log of " + node + " could not be kept: " + e);
            }
        }
    }

    /// Kills what runs yet.
    @Override
    public void close() {
        end();
        Runtime.getRuntime().removeShutdownHook(end);
    }
}
