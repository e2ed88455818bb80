package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.server.RealCluster.Stack;
import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/// One node, or the three of a cluster: where tests send requests that must count the same on either.
final class Nodes implements AutoCloseable {
    private static final int CLIENTS_PER_NODE = 2;

    private final Runnable stop;
    private final int[] ports;

    private Nodes(Runnable stop, int... ports) {
        this.stop = stop;
        this.ports = ports;
    }

    static Nodes start(int count, Path dir) throws IOException {
        if (count == 1) {
            LocalServer server = LocalServer.inMemory();
            return new Nodes(server::close, server.port());
        }
        assertThat(count).isEqualTo(RealCluster.NODES);
        RealCluster cluster = RealCluster.start(dir, Stack.UDP);
        return new Nodes(
                cluster::close,
                IntStream.range(0, count)
                        .map(node -> cluster.process(node).port())
                        .toArray());
    }

    /// The port of the node for a request: nodes take requests in turn.
    int port(int request) {
        return ports[request % ports.length];
    }

    /// How many clients [#atOnce] has.
    int clients() {
        return CLIENTS_PER_NODE * ports.length;
    }

    /// Runs clients at the same time, the same number at each node. Each gets the index of its node.
    void atOnce(IntConsumer client) throws Exception {
        List<Callable<Void>> clients = new ArrayList<>();
        for (int i = 0; i < clients(); i++) {
            int node = i % ports.length;
            clients.add(() -> {
                client.accept(node);
                return null;
            });
        }
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            for (Future<Void> ended : threads.invokeAll(clients)) {
                ended.get();
            }
        }
    }

    /// Waits until each node has what any of them has.
    void settle() {
        String others = Integer.toString(ports.length - 1);
        for (int node = 0; node < ports.length; node++) {
            assertThat(call(node, "WAIT", others, "10000")).isEqualTo(others);
        }
    }

    /// Asserts that all nodes have this count, and one deadline, in this many seconds or up to a minute less.
    void assertCount(String key, long count, long seconds) {
        settle();
        Set<String> deadlines = new HashSet<>();
        for (int node = 0; node < ports.length; node++) {
            assertThat(call(node, "GET", key)).as(key).isEqualTo(Long.toString(count));
            assertThat(Long.parseLong(call(node, "TTL", key))).as(key).isBetween(seconds - 60, seconds);
            deadlines.add(call(node, "PEXPIRETIME", key));
        }
        assertThat(deadlines).as(key).hasSize(1);
    }

    /// One command on a connection of its own.
    String call(int node, String... words) {
        try (var socket = new RespSocket(ports[node])) {
            return socket.call(words);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        stop.run();
    }
}
