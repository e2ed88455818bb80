package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

/// The requests by which widely used limiters count in a window, from several clients at a time.
@ParameterizedClass(name = "{0} nodes")
@ValueSource(ints = {1, RealCluster.NODES})
final class RateLimitClientsIT {
    /// In seconds; longer than a test takes.
    private static final int WINDOW = 600;

    private static final int LIMIT = 20;
    private static final int HITS = 100;

    @TempDir
    private static Path dir;

    private static Nodes nodes;

    @Parameter
    int count;

    @BeforeParameterizedClassInvocation
    static void startNodes(int count) throws IOException {
        nodes = Nodes.start(count, dir);
    }

    @AfterParameterizedClassInvocation
    static void stopNodes() {
        nodes.close();
    }

    @ParameterizedTest
    @EnumSource(Limiter.class)
    void requests_ofClientsAtOnce_areAllCounted(Limiter limiter) throws Exception {
        String key = "count:" + limiter;
        // Django sets the first count, so of first requests on several nodes at once only one is kept.
        hit(0, client -> limiter.hit(client, key, WINDOW));
        nodes.settle();

        hitAtOnce(client -> limiter.hit(client, key, WINDOW));

        nodes.assertCount(key, 1 + (long) HITS * nodes.clients(), WINDOW);
    }

    @ParameterizedTest
    @EnumSource(value = Limiter.class, names = "DJANGO", mode = EnumSource.Mode.EXCLUDE)
    void requests_ofClientsThatOpenTheWindowAtOnce_areAllCounted(Limiter limiter) throws Exception {
        String key = "open:" + limiter;

        hitAtOnce(client -> limiter.hit(client, key, WINDOW));

        nodes.assertCount(key, (long) HITS * nodes.clients(), WINDOW);
    }

    @Test
    void envoy_withSeveralHitsUnderTwoLimits_countsAllInBoth() throws Exception {
        hitAtOnce(client -> Limiter.envoy(client, 7, WINDOW, "envoy:hour", "envoy:day"));
        hitAtOnce(client -> Limiter.envoy(client, 0, WINDOW, "envoy:hour", "envoy:day"));

        nodes.assertCount("envoy:hour", 7L * HITS * nodes.clients(), WINDOW);
        nodes.assertCount("envoy:day", 7L * HITS * nodes.clients(), WINDOW);
    }

    @ParameterizedTest
    @EnumSource(Limiter.class)
    void limit_forRequestsThatNodesTakeInTurn_admitsExactlyAsMany(Limiter limiter) {
        String key = "limit:" + limiter;
        List<Long> counts = new ArrayList<>();

        for (int i = 0; i < 2 * LIMIT; i++) {
            counts.add(hit(i, client -> limiter.hit(client, key, WINDOW)));
            nodes.settle();
        }

        assertThat(counts.stream().filter(made -> made <= LIMIT)).hasSize(LIMIT);
        nodes.assertCount(key, 2 * LIMIT, WINDOW);
    }

    @Test
    void window_thatHasEnded_beginsAgainOnEachNode() {
        for (Limiter limiter : Limiter.values()) {
            hit(0, client -> limiter.hit(client, "end:" + limiter, 1));
        }
        nodes.settle();

        for (Limiter limiter : Limiter.values()) {
            String key = "end:" + limiter;
            for (int node = 0; node < count; node++) {
                int asked = node;
                await().atMost(Duration.ofSeconds(10))
                        .until(() -> nodes.call(asked, "EXISTS", key).equals("0"));
            }
            long first = hit(2, client -> limiter.hit(client, key, WINDOW));
            assertThat(first).as(key).isEqualTo(1);
            nodes.assertCount(key, 1, WINDOW);
        }
    }

    private static <T> T hit(int request, Function<Jedis, T> limiter) {
        try (Jedis client = new Jedis("127.0.0.1", nodes.port(request))) {
            return limiter.apply(client);
        }
    }

    private static void hitAtOnce(Consumer<Jedis> limiter) throws Exception {
        nodes.atOnce(node -> {
            try (Jedis client = new Jedis("127.0.0.1", nodes.port(node))) {
                for (int i = 0; i < HITS; i++) {
                    limiter.accept(client);
                }
            }
        });
    }
}
