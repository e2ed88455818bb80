package io.tallis.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallis.testing.ClusterPorts;
import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The start of a node by the content of the file `cluster` in its data directory.
final class StandingIT {
    private static final Duration LONGER_THAN_IT_WAITS_ALONE = Duration.ofSeconds(3);
    private static final String ID = "0000019c4f1a2b3c9d8e7f6a5b4c3d2e";

    @TempDir
    Path dir;

    @Test
    void incompleteNode_withoutOthers_servesOnlyAfterSystemReady() throws IOException {
        countAlone();
        Files.writeString(file(), ID + " incomplete\n");

        try (LocalServer server = seededNode();
                RespSocket client = new RespSocket(server.port())) {
            await().during(LONGER_THAN_IT_WAITS_ALONE)
                    .atMost(LONGER_THAN_IT_WAITS_ALONE.plusSeconds(5))
                    .until(() -> client.call("GET", "visits").startsWith("-LOADING The node is incomplete"));
            assertThat(client.call("SYSTEM", "READY")).isEqualTo("OK");
            await().atMost(20, SECONDS).until(() -> client.call("GET", "visits"), "1"::equals);
            await().atMost(20, SECONDS).untilAsserted(() -> assertThat(file()).hasContent(ID + " complete"));
        }
    }

    @Test
    void completeNode_withoutOthers_servesAfterTheTimeout() throws IOException {
        countAlone();
        Files.writeString(file(), ID + " complete\n");

        try (LocalServer server = seededNode();
                RespSocket client = new RespSocket(server.port())) {
            await().atMost(20, SECONDS).until(() -> client.call("INCR", "visits"), "2"::equals);
        }
    }

    @Test
    void emptyNode_withUnreachableSeeds_doesNotServe() throws IOException {
        try (LocalServer server = seededNode();
                RespSocket client = new RespSocket(server.port())) {
            await().during(LONGER_THAN_IT_WAITS_ALONE)
                    .atMost(LONGER_THAN_IT_WAITS_ALONE.plusSeconds(5))
                    .until(() -> client.call("GET", "visits").startsWith("-LOADING "));
            assertThat(client.call("GET", "visits")).contains("founds one when 2 empty nodes reach each other");
            assertThat(file()).doesNotExist();
        }
    }

    @Test
    void emptyNode_thatMayFoundAlone_foundsAClusterForGood() throws IOException {
        try (LocalServer server = seededNode("cluster-bootstrap-expect", "1");
                RespSocket client = new RespSocket(server.port())) {
            await().atMost(20, SECONDS).until(() -> client.call("INCR", "visits"), "1"::equals);
            assertThat(file()).content().endsWith(" complete\n");
        }
        String founded = Files.readString(file());

        try (LocalServer server = seededNode();
                RespSocket client = new RespSocket(server.port())) {
            await().atMost(20, SECONDS).until(() -> client.call("INCR", "visits"), "2"::equals);
            assertThat(file()).hasContent(founded);
        }
    }

    @Test
    void directory_withAMalformedFile_isRefused() throws IOException {
        Files.writeString(file(), "complete?");

        assertThatThrownBy(this::seededNode).isInstanceOf(StartException.class).hasMessageContaining(file().toString());
    }

    private void countAlone() throws IOException {
        try (LocalServer server = LocalServer.in(dir);
                RespSocket client = new RespSocket(server.port())) {
            assertThat(client.call("INCR", "visits")).isEqualTo("1");
        }
    }

    private Path file() {
        return dir.resolve("cluster");
    }

    private LocalServer seededNode(String... more) throws IOException {
        List<String> settings = new ArrayList<>(List.of(
                "cluster-name",
                "alone",
                "cluster-stack",
                "tcp",
                "cluster-port",
                Integer.toString(ClusterPorts.free()),
                "cluster-seeds",
                "127.0.0.1:" + ClusterPorts.free(),
                "cluster-alone-timeout",
                "1"));
        settings.addAll(List.of(more));
        return LocalServer.in(dir, settings.toArray(String[]::new));
    }
}
