package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.testing.RespSocket;
import io.tallis.testing.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A bug in the middle of a transaction ends the process, and no part of the transaction is kept.
final class PanicIT {
    private static final String[] WITH_DEBUG = {"--enable-debug-command", "local"};

    @TempDir
    Path dir;

    @Test
    void panicInATransaction_endsTheProcessAndKeepsNoPartOfIt() throws IOException {
        try (ServerProcess server = ServerProcess.start(dir, WITH_DEBUG);
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(socket.call("INCRBY", "kept", "7")).isEqualTo("7");
            socket.call("MULTI");
            socket.call("INCRBY", "kept", "1");
            socket.call("DEBUG", "PANIC");
            socket.call("INCRBY", "other", "1");

            assertThatThrownBy(() -> socket.call("EXEC")).isInstanceOf(IOException.class);

            assertThat(server.awaitExit()).isEqualTo(1);
            assertThat(String.join("\n", server.lines())).contains("failed; the process ends", "DEBUG PANIC");
        }

        try (ServerProcess server = ServerProcess.start(dir, WITH_DEBUG);
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(socket.call("MGET", "kept", "other")).isEqualTo("[7, (nil)]");
        }
    }
}
