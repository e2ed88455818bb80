package io.tallis.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.testing.ClusterPorts;
import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A node that has got a part of what others have, and no more, takes it for the whole at no start.
final class FirstJoinIT {
    private static final Duration LONGER_THAN_IT_WAITS_ALONE = Duration.ofSeconds(3);

    @TempDir
    Path dir;

    @Test
    void nodeWhoseFirstJoinWasCutShort_servesNobodyByItself() throws IOException {
        try (LocalServer server = LocalServer.in(dir);
                RespSocket client = new RespSocket(server.port())) {
            assertThat(client.call("INCR", "visits")).isEqualTo("1");
        }
        Files.createFile(joining());

        try (LocalServer server = nodeOfACluster();
                RespSocket client = new RespSocket(server.port())) {
            await().during(LONGER_THAN_IT_WAITS_ALONE)
                    .atMost(LONGER_THAN_IT_WAITS_ALONE.plusSeconds(5))
                    .until(() -> client.call("GET", "visits").startsWith("-LOADING"));
        }
        assertThat(joining()).exists();

        try (LocalServer server = nodeOfACluster();
                RespSocket client = new RespSocket(server.port())) {
            assertThat(client.call("SYSTEM", "READY")).isEqualTo("OK");
            await().atMost(20, SECONDS).until(() -> client.call("GET", "visits"), "1"::equals);
            await().atMost(20, SECONDS).until(() -> !Files.exists(joining()));
        }
    }

    /// What clients were told before would be in a part after a crash.
    @Test
    void firstNode_servesWhenItsDiskKnowsThatItJoined() throws IOException {
        try (LocalServer server = nodeOfACluster();
                RespSocket client = new RespSocket(server.port())) {
            assertThat(joining()).exists();
            await().atMost(20, SECONDS).until(() -> client.call("INCR", "visits"), "1"::equals);
            assertThat(joining()).doesNotExist();
        }

        try (LocalServer server = nodeOfACluster();
                RespSocket client = new RespSocket(server.port())) {
            await().atMost(20, SECONDS).until(() -> client.call("INCR", "visits"), "2"::equals);
            assertThat(joining()).doesNotExist();
        }
    }

    private Path joining() {
        return dir.resolve("joining");
    }

    private LocalServer nodeOfACluster() throws IOException {
        return LocalServer.in(
                dir,
                "cluster-name",
                "alone",
                "cluster-stack",
                "tcp",
                "cluster-port",
                Integer.toString(ClusterPorts.free()),
                "cluster-seeds",
                "127.0.0.1:" + ClusterPorts.free(),
                "cluster-alone-timeout",
                "1");
    }
}
