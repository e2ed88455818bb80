package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.testing.ClusterPorts;
import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// After a restart a node recognizes its former sessions as its own.
final class FormerSessionsIT {
    @TempDir
    Path dir;

    @Test
    void raw_afterARestart_sumsTheSessionsOfANode() throws IOException {
        countOnce();
        countOnce();

        try (LocalServer server = start();
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(socket.call("PNCOUNT", "RAW", "a")).isEqualTo("[tower, 2]");
            assertThat(socket.call("SYSTEM", "NODES"))
                    .contains("[name, tower, ")
                    .contains("address, 127.0.0.1:" + server.port())
                    .contains("state, ready, present, 1, starts, 3, ");
        }
    }

    @Test
    void damagedRegistry_losesNamesOnly() throws IOException {
        countOnce();
        Files.write(dir.resolve("nodes"), new byte[] {1, 2, 3, 4, 5, 6});

        try (LocalServer server = start();
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(socket.call("GET", "a")).isEqualTo("1");
            assertThat(socket.call("PNCOUNT", "RAW", "a"))
                    .doesNotContain("tower")
                    .endsWith(", 1]");
        }
    }

    @Test
    void endedSessions_areToldWithTheirBytes_untilTheyAreFolded() throws IOException {
        for (int life = 1; life <= 2; life++) {
            try (LocalServer server = startCluster();
                    RespSocket socket = new RespSocket(server.port())) {
                await().until(() -> socket.call("INCR", "a"), Integer.toString(life)::equals);
            }
        }

        try (LocalServer server = startCluster();
                RespSocket socket = new RespSocket(server.port())) {
            await().untilAsserted(
                            () -> assertThat(socket.info("sessions_ended")).isEqualTo(1));
            await().untilAsserted(() ->
                    assertThat(socket.info("used_memory_ended_sessions")).isPositive());
            assertThat(socket.info("database_ended_sessions_bytes")).isBetween(1L, socket.info("aof_base_size"));
            assertThat(socket.call("MEMORY", "STATS"))
                    .contains("sessions.ended-bytes, " + socket.info("used_memory_ended_sessions"));

            assertThat(socket.call("SYSTEM", "FOLD")).isEqualTo("OK");
            await().untilAsserted(() -> assertThat(socket.info("folds")).isEqualTo(1));
            await().untilAsserted(
                            () -> assertThat(socket.info("sessions_ended")).isZero());
            await().untilAsserted(() ->
                    assertThat(socket.info("used_memory_ended_sessions")).isZero());
            assertThat(socket.info("database_ended_sessions_bytes")).isZero();
        }
    }

    private LocalServer startCluster() throws IOException {
        String[] alone = {"cluster-alone-timeout", "1", "cluster-bootstrap-expect", "1"};
        String port = Integer.toString(ClusterPorts.free());
        String[] network = {"cluster-stack", "tcp", "cluster-port", port, "cluster-seeds", "127.0.0.1:" + port};
        return LocalServer.in(
                dir,
                Stream.of(new String[] {"cluster-name", "tower"}, alone, network)
                        .flatMap(Stream::of)
                        .toArray(String[]::new));
    }

    private void countOnce() throws IOException {
        try (LocalServer server = start();
                RespSocket socket = new RespSocket(server.port())) {
            socket.call("INCR", "a");
            await().until(() -> Files.exists(dir.resolve("nodes")));
        }
    }

    private LocalServer start() {
        return LocalServer.in(dir, "name", "tower", "io-threads", "1");
    }
}
