package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.testing.LocalServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.commands.ProtocolCommand;

/// The requests by which widely used limiters count in a window.
final class RateLimitPatternsIT {
    /// In seconds; longer than a test takes.
    private static final int WINDOW = 600;

    private static LocalServer server;

    private Jedis client;

    @BeforeAll
    static void startServer() {
        server = LocalServer.inMemory();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void connect() {
        client = new Jedis("127.0.0.1", server.port());
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    @ParameterizedTest
    @EnumSource(Limiter.class)
    void window_countsFromOne(Limiter limiter) {
        String key = "count:" + limiter;

        assertThat(limiter.hit(client, key, WINDOW)).isEqualTo(1);
        assertThat(limiter.hit(client, key, WINDOW)).isEqualTo(2);
        assertThat(limiter.hit(client, key, WINDOW)).isEqualTo(3);
        assertThat(client.get(key)).isEqualTo("3");
        assertThat(client.ttl(key)).isBetween(1L, (long) WINDOW);
    }

    @Test
    void window_thatHasEnded_beginsAgain() {
        for (Limiter limiter : Limiter.values()) {
            limiter.hit(client, "end:" + limiter, 1);
        }

        for (Limiter limiter : Limiter.values()) {
            String key = "end:" + limiter;
            await().atMost(Duration.ofSeconds(10)).until(() -> !client.exists(key));
            assertThat(limiter.hit(client, key, 1)).as(key).isEqualTo(1);
            assertThat(client.pttl(key)).as(key).isBetween(1L, 1_000L);
        }
    }

    /// Those that set the deadline once must not move it with each request, or a busy client is never admitted again.
    @ParameterizedTest
    @EnumSource(
            value = Limiter.class,
            names = {"RACK_ATTACK", "ENVOY", "REDIS_PY"},
            mode = EnumSource.Mode.EXCLUDE)
    void window_thatIsCountedIn_keepsItsDeadline(Limiter limiter) {
        String key = "deadline:" + limiter;
        limiter.hit(client, key, WINDOW);
        long deadline = client.pexpireTime(key);

        limiter.hit(client, key, WINDOW);

        assertThat(client.pexpireTime(key)).isEqualTo(deadline);
    }

    @Test
    void envoy_addingNoHitsToANewWindow_opensIt() {
        assertThat(Limiter.envoy(client, 0, WINDOW, "envoy:hour", "envoy:day")).containsExactly(0L, 0L);
        assertThat(Limiter.envoy(client, 7, WINDOW, "envoy:hour", "envoy:day")).containsExactly(7L, 7L);

        assertThat(client.ttl("envoy:hour")).isBetween(1L, (long) WINDOW);
    }

    @Test
    void increx_atItsBound_isRefusedUntilTheWindowEnds() {
        assertThat(increx("increx", WINDOW)).containsExactly(1L, 1L);
        assertThat(increx("increx", WINDOW)).containsExactly(2L, 1L);
        assertThat(increx("increx", WINDOW)).containsExactly(2L, 0L);

        client.pexpire("increx", 100);

        await().atMost(Duration.ofSeconds(10)).until(() -> !client.exists("increx"));
        assertThat(increx("increx", WINDOW)).containsExactly(1L, 1L);
    }

    private List<Object> increx(String key, int seconds) {
        return objects(client.sendCommand(named("INCREX"), key, "UBOUND", "2", "EX", Integer.toString(seconds), "ENX"));
    }

    @Test
    void throttle_atItsLimit_admitsAgainAtTheRate() {
        assertThat(throttle("slow", WINDOW)).containsExactly(0L, 2L, 1L, -1L, (long) WINDOW);
        assertThat(throttle("slow", WINDOW)).startsWith(0L, 2L, 0L, -1L);
        assertThat(throttle("slow", WINDOW)).startsWith(1L, 2L, 0L);
        assertThat(throttle("fast", 1)).startsWith(0L, 2L, 1L, -1L);
        assertThat(throttle("fast", 1)).startsWith(0L, 2L);

        await().atMost(Duration.ofSeconds(10))
                .until(() -> throttle("fast", 1).getFirst().equals(0L));
    }

    @Test
    void window_atItsLimit_admitsAgain_whenItIsOver() {
        assertThat(window("slow", WINDOW)).startsWith(0L, 2L, 1L, -1L);
        assertThat(window("slow", WINDOW)).startsWith(0L, 2L, 0L, -1L);
        assertThat(window("slow", WINDOW)).startsWith(1L, 2L, 0L);
        assertThat(window("fast", 1)).startsWith(0L, 2L, 1L);
        assertThat(window("fast", 1)).startsWith(0L, 2L);

        await().atMost(Duration.ofSeconds(10))
                .until(() -> window("fast", 1).getFirst().equals(0L));
    }

    private List<Object> window(String key, int seconds) {
        return objects(client.sendCommand(named("HCOUNT"), "WINDOW", "window:" + key, "2", Integer.toString(seconds)));
    }

    private List<Object> throttle(String key, int seconds) {
        return objects(client.sendCommand(named("CL.THROTTLE"), key, "1", "1", Integer.toString(seconds)));
    }

    private static List<Object> objects(Object reply) {
        return List.copyOf((List<?>) reply);
    }

    private static ProtocolCommand named(String command) {
        return () -> command.getBytes(StandardCharsets.US_ASCII);
    }
}
