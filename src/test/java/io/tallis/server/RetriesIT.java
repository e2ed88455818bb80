package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.tallis.server.RealCluster.Stack;
import io.tallis.testing.ServerProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A client of Lettuce that tries again, on the same node after `kill -9`, and on other nodes.
final class RetriesIT {
    private static final String KEY = "visits";
    private static final int REQUESTS = 60;
    private static final ProtocolKeyword PNCOUNT = () -> "PNCOUNT".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path dir;

    private final Random random = new Random(1);

    @Test
    void requests_repeatedAfterAKill_countOnce() {
        try (ServerProcess server = ServerProcess.start(dir)) {
            assertThat(increment(server, 5, "1")).isEqualTo("OK");
            assertThat(merge(server, 7)).containsExactly(7L, 0L);
            server.kill();
        }
        try (ServerProcess server = ServerProcess.start(dir)) {
            assertThat(increment(server, 5, "1")).isEqualTo("OK");
            assertThat(merge(server, 7)).containsExactly(7L, 0L);
            assertThat(value(server)).isEqualTo("12");
            assertThat(increment(server, 5, "2")).isEqualTo("OK");
            assertThat(merge(server, 8)).containsExactly(8L, 0L);

            assertThat(value(server)).isEqualTo("18");
        }
    }

    @Test
    void totals_toldToAnyNode_countOnce_whenANodeIsKilled() throws Exception {
        try (var cluster = RealCluster.start(dir, Stack.UDP)) {
            long total = 0;
            for (int i = 0; i < REQUESTS; i++) {
                total += random.nextInt(100);
                merge(cluster.process(random.nextInt(2)), total);
                merge(cluster.process(random.nextInt(2)), total);
                if (i == REQUESTS / 2) {
                    cluster.process(2).kill();
                }
            }
            cluster.start(2);
            merge(cluster.process(2), total);

            cluster.awaitValue(KEY, total, 0, 1, 2);
        }
    }

    /// The node that was asked first has told the others, which its client knows by `WAIT`.
    @Test
    void requests_repeatedOnAnotherNodeThatHasTheToken_countOnce() throws Exception {
        try (var cluster = RealCluster.start(dir, Stack.UDP)) {
            for (int i = 0; i < REQUESTS; i++) {
                String request = Integer.toString(i);
                int first = random.nextInt(RealCluster.NODES);
                long others = on(cluster.process(first), commands -> {
                    increment(commands, 5, request);
                    return commands.waitForReplication(2, 10_000);
                });
                assertThat(others).isEqualTo(2);
                increment(cluster.process((first + 1) % RealCluster.NODES), 5, request);
            }

            cluster.awaitValue(KEY, 5L * REQUESTS, 0, 1, 2);
        }
    }

    private static String increment(ServerProcess server, long amount, String request) {
        return on(server, commands -> increment(commands, amount, request));
    }

    private static String increment(RedisCommands<String, String> commands, long amount, String request) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8)
                .add("INC")
                .addKey(KEY)
                .add(amount)
                .add("IDMP")
                .add("client-1")
                .add(request);
        return commands.dispatch(PNCOUNT, new StatusOutput<>(StringCodec.UTF8), arguments);
    }

    private static List<Object> merge(ServerProcess server, long total) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8)
                .add("MERGE")
                .addKey(KEY)
                .add("client-1")
                .add(total);
        return on(server, commands -> commands.dispatch(PNCOUNT, new ArrayOutput<>(StringCodec.UTF8), arguments));
    }

    private static String value(ServerProcess server) {
        return on(server, commands -> commands.get(KEY));
    }

    private static <T> T on(ServerProcess server, Function<RedisCommands<String, String>, T> work) {
        try (RedisClient client = RedisClient.create("redis://127.0.0.1:" + server.port());
                var connection = client.connect()) {
            return work.apply(connection.sync());
        }
    }
}
