package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.server.RealCluster.Stack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `SYSTEM` and `INFO` show on real nodes that stop, come back, or have the same name or UUID.
final class NodesComeAndGoIT {
    @TempDir
    Path dir;

    @Test
    void nodeThatWasKilled_isUnreachableUntilForgotten_andBackWhenItStarts() throws IOException {
        try (var cluster = RealCluster.start(dir, Stack.UDP)) {
            cluster.call(2, "INCRBY", "visits", "5");
            cluster.awaitValue("visits", 5, 0, 1, 2);

            cluster.process(2).kill();
            cluster.awaitReply(0, nodes -> shows(nodes, 2, "unreachable, present, 0, starts, 1"), "SYSTEM", "NODES");
            cluster.awaitReply(0, "OK"::equals, "SYSTEM", "FORGET", "node-2");
            cluster.awaitReply(1, nodes -> !nodes.contains("node-2"), "SYSTEM", "NODES");
            assertThat(cluster.call(1, "GET", "visits")).isEqualTo("5");

            cluster.start(2);
            for (int node = 0; node < RealCluster.NODES; node++) {
                cluster.awaitReply(node, nodes -> shows(nodes, 2, "ready, present, 1, starts, 2"), "SYSTEM", "NODES");
            }
        }
    }

    @Test
    void nodeThatWasStopped_hasLeft() throws IOException {
        try (var cluster = RealCluster.start(dir, Stack.UDP)) {
            assertThat(cluster.process(1).terminate()).isZero();

            cluster.awaitReply(0, nodes -> shows(nodes, 1, "left, present, 0, starts, 1"), "SYSTEM", "NODES");
            cluster.awaitReply(2, log -> log.contains("text, no longer reaches node-1 (session "), "SYSTEM", "GETLOG");
        }
    }

    private static boolean shows(String nodes, int node, String state) {
        return nodes.matches(".*\\[name, node-" + node + ", uuid, [^,]+, address, [^,]+, state, " + state + ", .*");
    }

    @Test
    void raw_afterAllWereKilledAndStarted_sumsByNode() throws IOException {
        try (var cluster = RealCluster.start(dir, Stack.TCP)) {
            countOnEach(cluster);
            cluster.awaitValue("visits", 111, 0, 1, 2);
            for (int node = 0; node < RealCluster.NODES; node++) {
                cluster.process(node).kill();
            }
            for (int node = 0; node < RealCluster.NODES; node++) {
                cluster.start(node);
            }
            countOnEach(cluster);
            cluster.awaitValue("visits", 222, 0, 1, 2);

            for (int node = 0; node < RealCluster.NODES; node++) {
                cluster.awaitReply(
                        node,
                        raw -> raw.matches("\\[(node-0, 2|node-1, 20|node-2, 200|, ){5}]"),
                        "PNCOUNT",
                        "RAW",
                        "visits");
            }
        }
    }

    private static void countOnEach(RealCluster cluster) {
        cluster.call(0, "INCRBY", "visits", "1");
        cluster.call(1, "INCRBY", "visits", "10");
        cluster.call(2, "INCRBY", "visits", "100");
    }

    @Test
    void heldNode_servesOnlyAfterSystemReady() throws IOException {
        try (var cluster = RealCluster.start(dir, Stack.UDP)) {
            cluster.process(2).kill();
            cluster.call(0, "INCR", "visits");
            cluster.startHeld(2);
            cluster.awaitReply(
                    2, info -> info.contains("node_held:1") && info.contains("node_complete:1"), "INFO", "replication");
            assertThat(cluster.call(2, "GET", "visits")).startsWith("-LOADING ");
            assertThat(cluster.dir(2).resolve("cluster")).content().endsWith(" complete\n");

            assertThat(cluster.call(2, "SYSTEM", "READY")).isEqualTo("OK");

            cluster.awaitReply(2, "1"::equals, "GET", "visits");
            assertThat(cluster.call(2, "INFO", "replication")).contains("node_held:0", "node_state:ready");
        }
    }

    @Test
    void twoNodesWithOneName_areReportedAndGetDifferentNames() throws IOException {
        try (var cluster = RealCluster.start(dir, Stack.UDP)) {
            assertThat(cluster.process(2).terminate()).isZero();
            cluster.start(2, "node-1");
            countOnEach(cluster);
            cluster.awaitValue("visits", 111, 0, 1, 2);

            cluster.awaitReply(0, log -> log.contains(" have the same name; rename one of them]"), "SYSTEM", "GETLOG");
            cluster.awaitReply(
                    0,
                    raw -> raw.matches("\\[(node-0, 1|node-1(-[0-9a-f]{4})?, 100?|, ){5}]")
                            && raw.matches(".*node-1-[0-9a-f]{4}, .*"),
                    "PNCOUNT",
                    "RAW",
                    "visits");
        }
    }

    @Test
    void nodeOnACopyOfAnotherDirectory_isReportedAndCountsNothingTwice() throws IOException {
        try (var cluster = RealCluster.start(dir, Stack.UDP)) {
            countOnEach(cluster);
            cluster.awaitValue("visits", 111, 0, 1, 2);
            cluster.process(1).kill();
            cluster.process(2).kill();
            replace(cluster.dir(2), cluster.dir(1));
            cluster.start(1);
            cluster.start(2);
            countOnEach(cluster);

            cluster.awaitValue("visits", 222, 0, 1, 2);
            cluster.awaitReply(
                    0,
                    log -> log.contains(" have the same node UUID (a copied data directory?). "),
                    "SYSTEM",
                    "GETLOG");
            cluster.awaitReply(0, nodes -> nodes.contains("present, 2"), "SYSTEM", "NODES");
        }
    }

    private static void replace(Path dir, Path by) throws IOException {
        try (Stream<Path> old = Files.walk(dir);
                Stream<Path> files = Files.walk(by)) {
            for (Path file : old.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
            for (Path file : files.toList()) {
                Files.copy(file, dir.resolve(by.relativize(file)));
            }
        }
    }
}
