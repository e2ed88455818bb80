package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

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
import org.springframework.dao.DataRetrievalFailureException;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.support.atomic.RedisAtomicInteger;
import org.springframework.data.redis.support.atomic.RedisAtomicLong;

/// Spring Data Redis with its default client.
@ParameterizedClass(name = "{0} nodes")
@ValueSource(ints = {1, RealCluster.NODES})
final class SpringDataIT {
    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final long SECONDS = WINDOW.toSeconds();

    private static final int LIMIT = 20;
    private static final int TIMES = 100;
    private static final int COMPARISONS = 20;

    @TempDir
    private static Path dir;

    private static Nodes nodes;
    private static final List<LettuceConnectionFactory> factories = new ArrayList<>();

    @Parameter
    int count;

    @BeforeParameterizedClassInvocation
    static void startNodes(int count) throws IOException {
        nodes = Nodes.start(count, dir);
        for (int node = 0; node < count; node++) {
            var factory = new LettuceConnectionFactory("127.0.0.1", nodes.port(node));
            factory.afterPropertiesSet();
            factory.start();
            factories.add(factory);
        }
    }

    @AfterParameterizedClassInvocation
    static void stopNodes() {
        factories.forEach(LettuceConnectionFactory::destroy);
        factories.clear();
        nodes.close();
    }

    @Test
    void atomicLong_thatClientsMakeAtOnce_countsForAll() throws Exception {
        nodes.atOnce(node -> {
            var counter = new RedisAtomicLong("long", factory(node));
            counter.expire(WINDOW);
            for (int i = 0; i < TIMES; i++) {
                counter.incrementAndGet();
                counter.addAndGet(5);
                counter.getAndDecrement();
            }
        });

        nodes.assertCount("long", 5L * TIMES * nodes.clients(), SECONDS);
    }

    @Test
    void atomicInteger_thatClientsMakeAtOnce_countsForAll() throws Exception {
        nodes.atOnce(node -> {
            var counter = new RedisAtomicInteger("integer", factory(node));
            counter.expire(WINDOW);
            for (int i = 0; i < TIMES; i++) {
                counter.addAndGet(3);
                counter.decrementAndGet();
            }
        });

        nodes.assertCount("integer", 2L * TIMES * nodes.clients(), SECONDS);
    }

    @Test
    void increment_byClientsAtOnceWithExpire_countsForAll() throws Exception {
        nodes.atOnce(node -> {
            for (int i = 0; i < TIMES; i++) {
                template(node).opsForValue().increment("template", 2);
                template(node).expire("template", WINDOW);
            }
        });

        nodes.assertCount("template", 2L * TIMES * nodes.clients(), SECONDS);
        for (int node = 0; node < count; node++) {
            assertThat(template(node).getExpire("template")).isBetween(SECONDS - 60, SECONDS);
        }
    }

    @Test
    void limit_forRequestsThatNodesTakeInTurn_admitsExactlyAsMany() {
        List<Long> counts = new ArrayList<>();

        for (int i = 0; i < 2 * LIMIT; i++) {
            counts.add(template(i).opsForValue().increment("limit"));
            template(i).expire("limit", WINDOW);
            nodes.settle();
        }

        assertThat(counts.stream().filter(made -> made <= LIMIT)).hasSize(LIMIT);
        nodes.assertCount("limit", 2 * LIMIT, SECONDS);
    }

    @Test
    void atomicLong_thatHasEnded_beginsAgainOnAnotherNode() {
        var counter = new RedisAtomicLong("end", factory(0), 41);
        nodes.settle();
        var shared = new RedisAtomicLong("end", factory(1));
        assertThat(shared.incrementAndGet()).isEqualTo(42);
        shared.expire(Duration.ofMillis(100));
        nodes.settle();

        await().atMost(Duration.ofSeconds(10))
                .until(() -> nodes.call(0, "EXISTS", "end").equals("0"));
        assertThatThrownBy(counter::get).isInstanceOf(DataRetrievalFailureException.class);
        var again = new RedisAtomicLong("end", factory(2));
        again.expire(WINDOW);
        assertThat(again.incrementAndGet()).isEqualTo(1);
        nodes.assertCount("end", 1, SECONDS);
    }

    @Test
    void setIfAbsent_onNodesInTurn_succeedsOnce() {
        assertThat(template(0).opsForValue().setIfAbsent("claim", "7", WINDOW)).isTrue();
        nodes.settle();

        assertThat(template(1).opsForValue().setIfAbsent("claim", "8", WINDOW)).isFalse();
        assertThat(template(2).opsForValue().getAndExpire("claim", WINDOW)).isEqualTo("7");

        nodes.assertCount("claim", 7, SECONDS);
    }

    /// Sends `WATCH`, `GET`, `MULTI`, `SET`, `EXEC`, which is right among clients of one node.
    @Test
    void compareAndSet_byClientsOfOneNode_losesNothing() throws Exception {
        nodes.atOnce(node -> {
            var counter = new RedisAtomicLong("compared:" + node, factory(node));
            for (int i = 0; i < COMPARISONS; i++) {
                counter.updateAndGet(before -> before + 2);
            }
        });

        for (int node = 0; node < count; node++) {
            template(node).expire("compared:" + node, WINDOW);
            nodes.assertCount("compared:" + node, 2L * COMPARISONS * nodes.clients() / count, SECONDS);
        }
    }

    private static LettuceConnectionFactory factory(int request) {
        return factories.get(request % factories.size());
    }

    private static StringRedisTemplate template(int request) {
        return new StringRedisTemplate(factory(request));
    }
}
