package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.server.RealCluster.Stack;
import io.tallis.testing.ClusterPorts;
import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import io.tallis.testing.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A cluster of three real processes of which one is killed, frozen, stopped or loses its disk.
final class ClusterIT {
    private static final String UNCONFIRMED = "No other node ";

    @TempDir
    Path dir;

    @ParameterizedTest
    @EnumSource(Stack.class)
    void nodes_ofAnyStack_countTogether(Stack stack) throws IOException {
        try (var cluster = RealCluster.start(dir, stack)) {
            cluster.call(0, "INCRBY", "visits", "1");
            cluster.call(1, "INCRBY", "visits", "20");
            cluster.call(2, "DECRBY", "visits", "300");

            cluster.awaitValue("visits", -279, 0, 1, 2);
        }
    }

    @Test
    void nodes_withAKey_countTogether() throws IOException {
        Path key = dir.resolve("key");
        assertThat(ServerProcess.runToEnd("keygen", key.toString()).awaitExit()).isZero();
        try (var cluster = RealCluster.start(dir, Stack.UDP, "--cluster-key-file", key.toString())) {
            for (int node = 0; node < RealCluster.NODES; node++) {
                cluster.call(node, "INCR", "visits");
            }

            cluster.awaitValue("visits", RealCluster.NODES, 0, 1, 2);
        }
    }

    @Test
    void killedNode_comesBackWithItsOwnCountersAndThoseItMissed() throws IOException {
        try (var cluster = RealCluster.start(dir, Stack.UDP)) {
            cluster.call(2, "INCRBY", "visits", "5");
            cluster.awaitValue("visits", 5, 0, 1, 2);

            cluster.process(2).kill();
            cluster.call(0, "INCRBY", "visits", "10");
            cluster.awaitValue("visits", 15, 0, 1);
            cluster.start(2);
            cluster.call(2, "INCRBY", "visits", "100");

            cluster.awaitValue("visits", 115, 0, 1, 2);
        }
    }

    @Test
    void nodeThatLostItsDisk_getsItsOwnCountsBack() throws IOException {
        try (var cluster = RealCluster.start(dir, Stack.UDP)) {
            cluster.call(2, "INCRBY", "visits", "5");
            cluster.awaitValue("visits", 5, 0, 1, 2);

            cluster.process(2).kill();
            delete(cluster.dir(2));
            cluster.start(2);

            assertThat(cluster.call(2, "GET", "visits")).isEqualTo("5");
            cluster.call(2, "INCRBY", "visits", "100");
            cluster.awaitValue("visits", 105, 0, 1, 2);
        }
    }

    @Test
    void frozenNode_delaysNoOtherAndCatchesUp() throws IOException {
        try (var cluster = RealCluster.start(dir, Stack.UDP)) {
            cluster.process(2).signal("STOP");
            long total = 0;
            for (int i = 0; i < 200; i++) {
                cluster.call(i % 2, "INCRBY", "visits", "7");
                total += 7;
            }
            cluster.awaitValue("visits", total, 0, 1);
            cluster.process(2).signal("CONT");

            cluster.awaitValue("visits", total, 0, 1, 2);
        }
    }

    /// Its last changes are only on its disk.
    @Test
    void leavingNode_withoutConfirmationOfItsChanges_logsAWarning() throws IOException {
        try (var cluster = RealCluster.start(dir, Stack.UDP)) {
            assertThat(linesAtTheEnd(cluster.process(2))).noneMatch(line -> line.contains(UNCONFIRMED));

            cluster.process(1).signal("STOP");
            cluster.call(0, "INCR", "visits");
            assertThat(linesAtTheEnd(cluster.process(0))).anyMatch(line -> line.contains(UNCONFIRMED));

            cluster.process(1).signal("CONT");
        }
    }

    /// Java closes the output of processes that it ends itself.
    private static List<String> linesAtTheEnd(ServerProcess node) {
        node.signal("TERM");
        assertThat(node.awaitExit()).isZero();
        await().until(() -> node.lines().stream().anyMatch(line -> line.endsWith("Stopped")));
        return node.lines();
    }

    @Test
    void allNodes_stoppedInOrder_comeBackWithEverything() throws IOException {
        try (var cluster = RealCluster.start(dir, Stack.UDP)) {
            for (int node = 0; node < RealCluster.NODES; node++) {
                cluster.call(node, "INCRBY", "visits", "4");
                assertThat(cluster.process(node).terminate()).isZero();
            }

            for (int node = 0; node < RealCluster.NODES; node++) {
                cluster.start(node);
            }

            cluster.awaitValue("visits", 12, 0, 1, 2);
        }
    }

    @Test
    void wait_repliesTheNumberOfOtherNodesWithTheChange() throws IOException {
        try (var cluster = RealCluster.start(dir, Stack.UDP);
                var client = new RespSocket(cluster.process(0).port())) {
            client.call("INCR", "visits");
            assertThat(client.call("WAIT", "2", "30000")).isEqualTo("2");

            cluster.process(2).kill();
            client.call("INCR", "visits");
            assertThat(client.call("WAIT", "2", "3000")).isEqualTo("1");
            assertThat(client.call("WAIT", "1", "0")).isEqualTo("1");
        }
    }

    @Test
    void wait_withinATransaction_repliesAtOnce() throws IOException {
        try (var cluster = RealCluster.start(dir, Stack.UDP);
                var client = new RespSocket(cluster.process(0).port())) {
            client.call("MULTI");
            client.call("INCR", "visits");
            client.call("WAIT", "2", "0");

            assertThat(client.call("EXEC")).isEqualTo("[1, 0]");
        }
    }

    @Test
    void nodeThatExpectsOthers_repliesLoadingUntilItsTimeout() throws IOException {
        String[] alone = {
            "cluster-name", "alone",
            "cluster-stack", "tcp",
            "cluster-port", Integer.toString(ClusterPorts.free()),
            "cluster-seeds", "127.0.0.1:" + ClusterPorts.free(),
            "cluster-bootstrap-expect", "1",
            "cluster-alone-timeout", "5"
        };
        try (var node = LocalServer.inMemory(alone);
                var client = new RespSocket(node.port())) {
            await().atMost(Duration.ofSeconds(4))
                    .until(
                            () -> client.call("INCR", "visits"),
                            reply -> reply.startsWith("-LOADING The node is empty, reaches no cluster, and founds one")
                                    && reply.contains("SYSTEM READY"));
            assertThat(client.call("INFO", "persistence"))
                    .contains("loading:1", "loading_start_time:", "loading_loaded_perc:0.00");

            await().atMost(Duration.ofSeconds(30)).until(() -> client.call("INCR", "visits"), "1"::equals);
            assertThat(client.call("INFO", "persistence")).contains("loading:0").doesNotContain("loading_");
        }
    }

    private static void delete(Path dir) throws IOException {
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
