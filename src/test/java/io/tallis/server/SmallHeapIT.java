package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.RespSocket;
import io.tallis.testing.ServerProcess;
import io.tallis.testing.ServerProcess.Launch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A node whose memory is full refuses new counters, serves the others, and loads all of them again with a heap of the
/// same size.
@Timeout(300)
final class SmallHeapIT {
    private static final String OOM = "-OOM command not allowed when used memory > 'maxmemory'.";
    private static final int PIPELINE = 1000;

    /// As `scripts/tallis` has it.
    private static final Launch SMALL = new Launch(
            List.of(),
            List.of(
                    "-Xmx128m",
                    "-XX:-UseSerialGC",
                    "-XX:+UseG1GC",
                    "-XX:+UseCompactObjectHeaders",
                    "-XX:+ExitOnOutOfMemoryError"));

    @TempDir
    Path dir;

    @Test
    void fullNode_startsAgainOnTheSameHeapAndServes() throws IOException {
        long keys;
        try (ServerProcess server = ServerProcess.start(SMALL, dir);
                RespSocket socket = new RespSocket(server.port())) {
            keys = fill(socket);
            assertThat(socket.call("SAVE")).isEqualTo("OK");
            serves(socket, keys);
            server.kill();
        }

        try (ServerProcess server = ServerProcess.start(SMALL, dir);
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(socket.call("DBSIZE")).isEqualTo(Long.toString(keys));
            serves(socket, keys);
            assertThat(socket.call("SAVE")).isEqualTo("OK");
            assertThat(server.terminate()).isZero();
        }
    }

    /// Creates counters until they are refused. Returns their number.
    private static long fill(RespSocket socket) throws IOException {
        for (long made = 0; ; made += PIPELINE) {
            for (int i = 0; i < PIPELINE; i++) {
                socket.add("INCRBY", "counter:%010d".formatted(made + i), "7");
            }
            socket.flush();
            long refused = 0;
            for (int i = 0; i < PIPELINE; i++) {
                String reply = socket.read();
                if (!reply.equals("7")) {
                    assertThat(reply).isEqualTo(OOM);
                    refused++;
                }
            }
            if (refused > 0) {
                return made + PIPELINE - refused;
            }
        }
    }

    private static void serves(RespSocket socket, long keys) throws IOException {
        assertThat(socket.call("PING")).isEqualTo("PONG");
        assertThat(socket.call("INCR", "one:more")).isEqualTo(OOM);
        for (long key = 0; key < keys; key += keys / 100) {
            String name = "counter:%010d".formatted(key);
            long before = Long.parseLong(socket.call("GET", name));
            assertThat(before).isGreaterThanOrEqualTo(7);
            assertThat(socket.call("INCR", name)).isEqualTo(Long.toString(before + 1));
        }
    }
}
