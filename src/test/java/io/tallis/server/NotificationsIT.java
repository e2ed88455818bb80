package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.tallis.testing.LocalServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Keyspace notifications, as a client with Lettuce gets them.
final class NotificationsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Queue<String> events = new ConcurrentLinkedQueue<>();

    @Test
    void singleNode_tellsOfCommandsAndDeadlines_fromWhenItIsAskedTo() {
        try (LocalServer server = LocalServer.inMemory();
                RedisClient client = listener(server.uri())) {
            var commands = client.connect().sync();
            commands.incr("before");
            commands.configSet("notify-keyspace-events", "Ex$");
            assertThat(commands.configGet("notify-keyspace-events")).containsValue("$xE");

            commands.set("short", "x", SetArgs.Builder.px(Duration.ofMillis(300)));
            commands.incr("a");

            awaitEvents("set short", "incrby a", "expired short");
            assertThat(events).doesNotContain("incrby before", "expire short");
        }
    }

    @Test
    void node_tellsOfWhatOthersChanged(@TempDir Path dir) throws IOException {
        try (RealCluster cluster = RealCluster.start(dir, RealCluster.Stack.TCP, "--notify-keyspace-events", "KEA");
                RedisClient client =
                        listener("redis://127.0.0.1:" + cluster.process(2).port())) {
            cluster.call(0, "INCRBY", "a", "5");
            awaitEvents("merge a");
            assertThat(client.connect().sync().get("a")).isEqualTo("5");
            assertThat(events).doesNotContain("incrby a");

            cluster.call(1, "DEL", "a");
            awaitEvents("del a");

            cluster.call(2, "INCR", "own");
            cluster.awaitValue("own", 1, 0, 1, 2);
            awaitEvents("incrby own");
            assertThat(events).doesNotContain("merge own");

            cluster.call(0, "SET", "short", "x", "PX", "300");
            awaitEvents("expired short");
        }
    }

    private RedisClient listener(String uri) {
        RedisClient client = RedisClient.create(uri);
        StatefulRedisPubSubConnection<String, String> connection = client.connectPubSub();
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String pattern, String channel, String key) {
                events.add(channel.substring(channel.indexOf(':') + 1) + " " + key);
            }
        });
        connection.sync().psubscribe("__keyevent@0__:*");
        return client;
    }

    private void awaitEvents(String... expected) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(events).contains(expected));
    }
}
