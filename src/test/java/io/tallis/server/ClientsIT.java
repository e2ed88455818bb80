package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.ProtocolVersion;
import io.tallis.testing.LocalServer;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.Transaction;

/// Widely used Redis clients, with their default settings.
final class ClientsIT {
    private static LocalServer server;

    @BeforeAll
    static void startServer() {
        server = LocalServer.inMemory();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"RESP2", "RESP3"})
    void lettuce_countsReadsAndScans(ProtocolVersion version) {
        try (RedisClient client = lettuce(version)) {
            RedisCommands<String, String> commands = client.connect().sync();
            String key = "lettuce:" + version;

            assertThat(commands.ping()).isEqualTo("PONG");
            assertThat(commands.incrby(key, 40)).isEqualTo(40);
            assertThat(commands.incr(key)).isEqualTo(41);
            assertThat(commands.get(key)).isEqualTo("41");
            assertThat(commands.type(key)).isEqualTo("string");
            KeyScanCursor<String> found =
                    commands.scan(ScanArgs.Builder.matches(key).limit(10_000));
            assertThat(found.getKeys()).containsExactly(key);
            assertThat(commands.del(key)).isEqualTo(1);
            assertThat(commands.exists(key)).isZero();
        }
    }

    @Test
    void lettuce_inTransaction_getsAllReplies() {
        try (RedisClient client = lettuce(ProtocolVersion.RESP3)) {
            RedisCommands<String, String> commands = client.connect().sync();

            commands.multi();
            commands.incr("tx");
            commands.decrby("tx", 3);
            TransactionResult result = commands.exec();

            assertThat(result.stream().toList()).isEqualTo(List.of(1L, -2L));
        }
    }

    private static RedisClient lettuce(ProtocolVersion version) {
        RedisClient client = RedisClient.create(RedisURI.create(server.uri()));
        client.setOptions(ClientOptions.builder().protocolVersion(version).build());
        return client;
    }

    @Test
    void jedis_outOfTheBox_counts() {
        try (redis.clients.jedis.RedisClient jedis = redis.clients.jedis.RedisClient.create(URI.create(server.uri()))) {
            assertThat(jedis.incrBy("jedis", 5)).isEqualTo(5);
            assertThat(jedis.get("jedis")).isEqualTo("5");
            assertThat(jedis.mget("jedis", "nothing")).containsExactly("5", null);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RedisProtocol.class,
            names = {"RESP2", "RESP3"})
    void jedis_inTransaction_getsAllReplies(RedisProtocol protocol) {
        var config = DefaultJedisClientConfig.builder().protocol(protocol).build();
        try (Jedis jedis = new Jedis(new HostAndPort("127.0.0.1", server.port()), config)) {
            String key = "jedis:" + protocol;
            Transaction transaction = jedis.multi();
            Response<Long> first = transaction.incr(key);
            Response<Long> second = transaction.incrBy(key, 10);

            transaction.exec();

            assertThat(first.get()).isEqualTo(1);
            assertThat(second.get()).isEqualTo(11);
            assertThat(jedis.keys(key)).containsExactly(key);
        }
    }
}
