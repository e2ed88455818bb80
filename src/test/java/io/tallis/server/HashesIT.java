package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.KeyScanArgs;
import io.lettuce.core.KeyValue;
import io.lettuce.core.MapScanCursor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.sync.RedisCommands;
import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Hashes as Lettuce uses them, across restarts and on three nodes.
final class HashesIT {
    @Test
    void lettuce_usesHashes() {
        try (LocalServer server = LocalServer.inMemory();
                RedisClient client = RedisClient.create(server.uri())) {
            RedisCommands<String, String> commands = client.connect().sync();

            assertThat(commands.hincrby("h", "count", 5)).isEqualTo(5);
            assertThat(commands.hset("h", Map.of("count", "7", "text", "some"))).isEqualTo(1);
            assertThat(commands.hincrbyfloat("h", "count", 3)).isEqualTo(10);
            assertThat(commands.hgetall("h")).isEqualTo(Map.of("count", "10", "text", "some"));
            assertThat(commands.hmget("h", "text", "none"))
                    .containsExactly(KeyValue.just("text", "some"), KeyValue.empty("none"));
            assertThat(commands.hkeys("h")).containsExactlyInAnyOrder("count", "text");
            assertThat(commands.hrandfieldWithvalues("h", 2)).hasSize(2);
            assertThat(commands.type("h")).isEqualTo("hash");
            assertThat(commands.scan(KeyScanArgs.Builder.type("hash").limit(10_000))
                            .getKeys())
                    .containsExactly("h");
            assertThatThrownBy(() -> commands.incr("h"))
                    .isInstanceOf(RedisCommandExecutionException.class)
                    .hasMessageStartingWith("WRONGTYPE");
            assertThat(commands.hdel("h", "text", "none")).isEqualTo(1);
            assertThat(commands.expire("h", 100)).isTrue();
            assertThat(commands.ttl("h")).isBetween(99L, 100L);
            assertThat(commands.del("h")).isEqualTo(1);
            assertThat(commands.hlen("h")).isZero();
        }
    }

    @Test
    void largeHash_isScannedAndKeptAcrossARestart(@TempDir Path dir) {
        int fields = 5_000;
        try (LocalServer server = LocalServer.in(dir);
                RedisClient client = RedisClient.create(server.uri())) {
            RedisCommands<String, String> commands = client.connect().sync();
            Map<String, String> some = new HashMap<>();
            for (int i = 0; i < fields; i++) {
                some.put("f" + i, Integer.toString(i));
            }
            assertThat(commands.hset("large", some)).isEqualTo(fields);
            assertThat(commands.hincrby("large", "f1", 10)).isEqualTo(11);
            assertThat(commands.hdel("large", "f2")).isEqualTo(1);
        }

        try (LocalServer server = LocalServer.in(dir);
                RedisClient client = RedisClient.create(server.uri())) {
            RedisCommands<String, String> commands = client.connect().sync();
            Map<String, String> scanned = new HashMap<>();
            MapScanCursor<String, String> cursor = commands.hscan("large", ScanArgs.Builder.limit(300));
            scanned.putAll(cursor.getMap());
            while (!cursor.isFinished()) {
                cursor = commands.hscan("large", ScanCursor.of(cursor.getCursor()), ScanArgs.Builder.limit(300));
                cursor.getMap()
                        .forEach((field, value) ->
                                assertThat(scanned.put(field, value)).isNull());
            }
            assertThat(commands.hlen("large")).isEqualTo(fields - 1);
            assertThat(scanned).hasSize(fields - 1).containsEntry("f1", "11").doesNotContainKey("f2");
            assertThat(commands.hgetall("large")).isEqualTo(scanned);
            assertThat(commands.dbsize()).isEqualTo(1);
            assertThat(commands.unlink("large")).isEqualTo(1);
            assertThat(commands.dbsize()).isZero();
        }
    }

    @Test
    void transaction_thatChangesALargeHashTooOften_isRefused() throws Exception {
        try (LocalServer server = LocalServer.inMemory();
                RespSocket client = new RespSocket(server.port())) {
            for (int i = 0; i < 1_500; i++) {
                client.call("HINCRBY", "h", "field:" + i, "1");
            }
            client.call("MULTI");
            for (int i = 0; i < 100; i++) {
                client.call("EXPIRE", "h", "100");
            }

            assertThat(client.call("EXEC")).startsWith("-").contains("at once");
            assertThat(client.call("TTL", "h")).isEqualTo("-1");
            assertThat(client.call("EXPIRE", "h", "100")).isEqualTo("1");
            assertThat(client.call("TTL", "h")).isEqualTo("100");
        }
    }

    @Test
    void fullMemory_stillTakesIncrementsOfFields() throws Exception {
        try (LocalServer server = LocalServer.inMemory();
                RespSocket client = new RespSocket(server.port())) {
            client.call("HINCRBY", "h", "a", "1");
            client.call("CONFIG", "SET", "maxmemory", "1");

            assertThat(client.call("HINCRBY", "h", "a", "2")).isEqualTo("3");
            assertThat(client.call("HINCRBY", "h", "new", "1")).startsWith("-OOM");
            assertThat(client.call("HSET", "h", "a", "1", "b", "1")).startsWith("-OOM");
            assertThat(client.call("HGET", "h", "a")).isEqualTo("3");
        }
    }

    @Test
    void fields_changedOnThreeNodes_addUp(@TempDir Path dir) throws Exception {
        try (RealCluster cluster = RealCluster.start(dir, RealCluster.Stack.UDP)) {
            for (int round = 0; round < 30; round++) {
                for (int node = 0; node < RealCluster.NODES; node++) {
                    cluster.call(node, "HINCRBY", "h", "f" + round % 5, "2");
                }
            }
            cluster.call(0, "HSET", "h", "text", "some");

            for (int node = 0; node < RealCluster.NODES; node++) {
                int where = node;
                await().atMost(Duration.ofSeconds(30))
                        .untilAsserted(() -> assertThat(cluster.call(where, "HMGET", "h", "f0", "f4", "text"))
                                .isEqualTo("[36, 36, some]"));
                assertThat(cluster.call(node, "HLEN", "h")).isEqualTo("6");
            }
            assertThat(cluster.call(1, "DEL", "h")).isEqualTo("1");
            cluster.awaitReply(2, "0"::equals, "EXISTS", "h");
        }
    }
}
