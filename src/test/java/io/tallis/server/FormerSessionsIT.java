package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
