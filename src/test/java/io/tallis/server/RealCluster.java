package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.testing.ClusterPorts;
import io.tallis.testing.MulticastGroup;
import io.tallis.testing.RespSocket;
import io.tallis.testing.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/// Three nodes in processes of their own, on the loopback interface, at addresses that no other test uses. Each keeps
/// its data in a directory of its own, and can be killed, frozen and started again.
final class RealCluster implements AutoCloseable {
    static final int NODES = 3;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path dir;
    private final Stack stack;
    private final List<String> more;
    private final String name;
    private final String multicast;
    private final int[] ports;

    /// For clients of Redis Cluster.
    private final int[] slotsPorts;

    private final ServerProcess[] nodes = new ServerProcess[NODES];

    enum Stack {
        UDP,
        TCP,
        K8S
    }

    private RealCluster(Path dir, Stack stack, List<String> more) throws IOException {
        this.dir = dir;
        this.stack = stack;
        this.more = more;
        name = "test-" + Long.toHexString(ThreadLocalRandom.current().nextLong());
        multicast = MulticastGroup.fresh().setting();
        ports = stack == Stack.K8S ? samePort() : ClusterPorts.free(NODES);
        slotsPorts = ClusterPorts.free(NODES);
    }

    /// Starts all nodes and waits until they are ready.
    static RealCluster start(Path dir, Stack stack, String... more) throws IOException {
        var cluster = new RealCluster(dir, stack, List.of(more));
        try {
            IntStream.range(0, NODES).forEach(cluster::start);
        } catch (RuntimeException failed) {
            cluster.close();
            throw failed;
        }
        return cluster;
    }

    /// Nodes have different addresses and the same port, like pods.
    private static int[] samePort() throws IOException {
        int port = ClusterPorts.free();
        return IntStream.generate(() -> port).limit(NODES).toArray();
    }

    /// Starts a node, perhaps again, and waits until it is ready.
    void start(int node) {
        start(node, "node-" + node);
    }

    /// The same, with another name.
    void start(int node, String nodeName) {
        nodes[node] = ServerProcess.start(dir(node), settings(node, nodeName).toArray(String[]::new));
    }

    /// Starts a node that serves only after `SYSTEM READY`, and waits until it listens.
    void startHeld(int node) {
        List<String> settings = settings(node, "node-" + node);
        settings.addAll(List.of("--cluster-hold", "yes"));
        nodes[node] = ServerProcess.begin(
                ServerProcess.Launch.PLAIN, "127.0.0.1", dir(node), settings.toArray(String[]::new));
        await().atMost(PATIENCE).until(() -> nodes[node].port() != 0);
    }

    private List<String> settings(int node, String nodeName) {
        List<String> settings =
                new ArrayList<>(List.of("--name", nodeName, "--cluster-name", name, "--enable-debug-command", "local"));
        settings.addAll(whereabouts(node));
        if (node == 0 && stack != Stack.UDP) {
            // The first of nodes that are started one after the other.
            settings.addAll(List.of("--cluster-bootstrap-expect", "1"));
        }
        settings.addAll(more);
        settings.addAll(List.of("--redis-cluster-port", Integer.toString(slotsPorts[node])));
        return settings;
    }

    private List<String> whereabouts(int node) {
        String port = Integer.toString(ports[node]);
        return switch (stack) {
            case UDP -> List.of("--cluster-port", "0", "--cluster-multicast", multicast);
            case TCP ->
                List.of("--cluster-stack", "tcp", "--cluster-port", port, "--cluster-seeds", seed(0) + "," + seed(1));
            case K8S ->
                List.of(
                        "--cluster-stack",
                        "k8s",
                        "--cluster-bind",
                        "127.0.0." + (node + 1),
                        "--cluster-port",
                        port,
                        "--cluster-dns",
                        "localhost,127.0.0.2,127.0.0.3");
        };
    }

    private String seed(int node) {
        return "127.0.0.1:" + ports[node];
    }

    /// The port of a node for clients of Redis Cluster.
    int slotsPort(int node) {
        return slotsPorts[node];
    }

    Path dir(int node) {
        return dir.resolve("node-" + node);
    }

    ServerProcess process(int node) {
        return nodes[node];
    }

    /// One command on a connection of its own.
    String call(int node, String... words) {
        try (var socket = new RespSocket(nodes[node].port())) {
            return socket.call(words);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Waits until a node gives an expected reply to a command.
    void awaitReply(int node, Predicate<String> expected, String... words) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(call(node, words)).matches(expected));
    }

    /// Waits until these nodes have the same cells, and the counter has this value on each.
    void awaitValue(String key, long value, int... where) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            Set<String> digests = new HashSet<>();
            for (int node : where) {
                assertThat(call(node, "GET", key)).as("on node " + node).isEqualTo(Long.toString(value));
                digests.add(call(node, "DEBUG", "DIGEST"));
            }
            assertThat(digests).hasSize(1);
        });
    }

    @Override
    public void close() {
        for (ServerProcess node : nodes) {
            if (node != null) {
                node.close();
            }
        }
    }
}
