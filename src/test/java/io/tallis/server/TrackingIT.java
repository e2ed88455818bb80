package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.support.caching.CacheAccessor;
import io.lettuce.core.support.caching.CacheFrontend;
import io.lettuce.core.support.caching.ClientSideCaching;
import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Client-side caching with Lettuce, and a cache that many writers try to make stale.
final class TrackingIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String INVALIDATION = "[invalidate, [a]]";
    private static final int WRITERS = 3;
    private static final int CHANGES = 2000;

    private final Map<String, String> cache = new ConcurrentHashMap<>();

    @Test
    void lettuce_cachesUntilAnotherClientChangesTheKey() {
        try (LocalServer server = LocalServer.inMemory("io-threads", "2");
                RedisClient client = RedisClient.create(server.uri())) {
            var other = client.connect().sync();
            CacheFrontend<String, String> frontend = cacheOf(client);
            other.set("a", "1");

            assertThat(frontend.get("a")).isEqualTo("1");
            assertThat(cache).containsEntry("a", "1");
            other.incr("a");
            await().atMost(PATIENCE).until(() -> !cache.containsKey("a"));
            assertThat(frontend.get("a")).isEqualTo("2");

            other.pexpire("a", 200);
            await().atMost(PATIENCE).until(() -> !cache.containsKey("a"));
            assertThat(frontend.get("a")).isEqualTo("2");
            await().atMost(PATIENCE).until(() -> !cache.containsKey("a"));
            assertThat(frontend.get("a")).isNull();

            other.set("b", "x");
            assertThat(frontend.get("b")).isEqualTo("x");
            other.flushall();
            await().atMost(PATIENCE).until(cache::isEmpty);
        }
    }

    @Test
    void lettuce_isToldOfChangesOfOtherNodes(@TempDir Path dir) throws IOException {
        try (RealCluster cluster = RealCluster.start(dir, RealCluster.Stack.TCP);
                RedisClient client = RedisClient.create(
                        "redis://127.0.0.1:" + cluster.process(2).port())) {
            cluster.call(0, "INCRBY", "a", "5");
            cluster.awaitValue("a", 5, 0, 1, 2);
            CacheFrontend<String, String> frontend = cacheOf(client);
            assertThat(frontend.get("a")).isEqualTo("5");

            cluster.call(0, "INCR", "a");
            await().atMost(PATIENCE).until(() -> !cache.containsKey("a"));
            assertThat(frontend.get("a")).isEqualTo("6");

            cluster.call(1, "DEL", "a");
            await().atMost(PATIENCE).until(() -> !cache.containsKey("a"));
        }
    }

    /// Reads and changes of one key at the same time, until the last value was read. A change that is not told leaves
    /// the reader waiting. The reader takes replies and messages in the order in which they come, which Lettuce does
    /// not.
    @Test
    void everyChangeBehindARead_isTold() throws Exception {
        try (LocalServer server = LocalServer.inMemory("io-threads", "2");
                RespSocket reader = new RespSocket(server.port());
                ExecutorService threads = Executors.newCachedThreadPool()) {
            reader.call("HELLO", "3");
            assertThat(reader.call("CLIENT", "TRACKING", "ON")).isEqualTo("OK");
            List<Future<Void>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                writers.add(threads.submit(() -> increment(server.port())));
            }

            String value = "";
            int reads = 0;
            while (!value.equals(Integer.toString(WRITERS * CHANGES))) {
                value = read("a", reader);
                reads++;
                if (!value.equals(Integer.toString(WRITERS * CHANGES))) {
                    assertThat(reader.read()).isEqualTo(INVALIDATION);
                }
            }

            assertThat(reads).isGreaterThan(10);
            for (Future<Void> writer : writers) {
                writer.get();
            }
        }
    }

    /// A message before the reply is of an earlier read.
    private static String read(String key, RespSocket reader) throws IOException {
        reader.add("GET", key).flush();
        String reply = reader.read();
        while (reply.equals(INVALIDATION)) {
            reply = reader.read();
        }
        return reply;
    }

    private static Void increment(int port) throws IOException {
        try (RespSocket socket = new RespSocket(port)) {
            for (int i = 0; i < CHANGES; i++) {
                socket.call("INCR", "a");
            }
        }
        return null;
    }

    private CacheFrontend<String, String> cacheOf(RedisClient client) {
        StatefulRedisConnection<String, String> connection = client.connect();
        return ClientSideCaching.enable(CacheAccessor.forMap(cache), connection, TrackingArgs.Builder.enabled());
    }
}
