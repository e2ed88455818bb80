package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.RespSocket;
import io.tallis.testing.ServerProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A node that is started again and again, and counts on the same keys in each of its lives.
final class AgeingIT {
    private static final int LIVES = 25;
    private static final int KEYS = 1_000;

    @TempDir
    private Path dir;

    @Test
    void counters_afterManyRestarts_takeNoMoreMemory_andAreExact() throws Exception {
        long young = 0;
        for (int life = 1; life <= LIVES; life++) {
            boolean isKilled = life % 2 == 0;
            try (ServerProcess server = ServerProcess.start(dir);
                    RespSocket socket = new RespSocket(server.port())) {
                for (int key = 0; key < KEYS; key++) {
                    assertThat(socket.call("INCR", "key:" + key)).isEqualTo(Integer.toString(life));
                }
                if (life == 3) {
                    young = socket.info("used_memory_dataset");
                }
                if (life == LIVES) {
                    assertThat(socket.info("used_memory_dataset") - young).isLessThanOrEqualTo(16L * KEYS);
                    assertThat(socket.call("PNCOUNT", "RAW", "key:7")).contains(Integer.toString(LIVES));
                }
                if (isKilled) {
                    server.kill();
                } else {
                    assertThat(server.terminate()).isZero();
                }
            }
        }
    }
}
