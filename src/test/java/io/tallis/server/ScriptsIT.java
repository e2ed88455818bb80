package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// Scripts that a real client sends, to one node and to three in turn.
@ParameterizedClass(name = "{0} nodes")
@ValueSource(ints = {1, RealCluster.NODES})
final class ScriptsIT {
    private static final String WINDOW = """
            redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
            local consumed = redis.call('incrby', KEYS[1], ARGV[1])
            local ttl = redis.call('pttl', KEYS[1])
            return {consumed, ttl}
            """;

    private static final int CALLS = 300;
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    private static Path dir;

    private static Nodes nodes;
    private static final List<RedisClient> clients = new ArrayList<>();
    private static final List<RedisCommands<String, String>> commands = new ArrayList<>();

    @Parameter
    int count;

    @BeforeParameterizedClassInvocation
    static void startNodes(int count) throws IOException {
        nodes = Nodes.start(count, dir);
        for (int node = 0; node < count; node++) {
            RedisClient client = RedisClient.create("redis://127.0.0.1:" + nodes.port(node));
            StatefulRedisConnection<String, String> connection = client.connect();
            clients.add(client);
            commands.add(connection.sync());
        }
    }

    @AfterParameterizedClassInvocation
    static void stopNodes() {
        clients.forEach(RedisClient::shutdown);
        clients.clear();
        commands.clear();
        nodes.close();
    }

    private RedisCommands<String, String> node(int number) {
        return commands.get(number % count);
    }

    @Test
    void evalsha_onEachNode_countsEachCallOnce() {
        String sha1 = null;
        for (int node = 0; node < count; node++) {
            sha1 = node(node).scriptLoad(WINDOW);
        }

        for (int call = 0; call < CALLS; call++) {
            node(call).evalsha(sha1, ScriptOutputType.MULTI, new String[] {"window"}, "1", "600");
        }

        for (int node = 0; node < count; node++) {
            RedisCommands<String, String> asked = node(node);
            await().atMost(LONG).until(() -> asked.get("window"), String.valueOf(CALLS)::equals);
            assertThat(asked.ttl("window")).isBetween(500L, 600L);
        }
    }

    @Test
    void evalsha_ofAnUnknownScript_isReportedAsSuch() {
        assertThatThrownBy(() -> node(0).evalsha("0".repeat(40), ScriptOutputType.INTEGER))
                .isInstanceOf(RedisNoScriptException.class);
    }

    @Test
    void eval_withoutEnd_failsAndOthersAreServed() {
        assertThatThrownBy(() -> node(0).eval("while true do end", ScriptOutputType.INTEGER))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("script-max-steps");

        assertThat(node(0).ping()).isEqualTo("PONG");
    }
}
