package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.ServerProcess;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Nothing acknowledged is lost by `kill -9`, and nothing is counted that was not sent (I7).
///
/// A real process is killed during pipelined increments from several connections, again and again on the same
/// directory; after each start every counter is at least what was acknowledged and at most what was sent.
/// `-Dcrash.rounds=1000 -Dseed=17` runs longer.
final class CrashIT {
    private static final int ROUNDS = Integer.getInteger("crash.rounds", 20);
    private static final long SEED = Long.getLong("seed", 1);

    @TempDir
    Path dir;

    /// So small that segments end and checkpoints run during the load.
    private static final String[] SMALL_JOURNAL = {"--journal-segment-size", "1mb", "--journal-checkpoint-size", "1mb"};

    private final CountedLoad load = new CountedLoad();
    private final Random random = new Random(SEED);

    @Test
    void killedServer_keepsAllThatItAcknowledged() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            try (ServerProcess server = ServerProcess.start(dir, SMALL_JOURNAL)) {
                load.settle(server.port(), atTheStartOf(round));
                load.run(server.port(), 1 + random.nextInt(4000), random);
                server.kill();
                load.awaitEnd();
                assertThat(load.refusals()).isEmpty();
            }
        }
        try (ServerProcess server = ServerProcess.start(dir, SMALL_JOURNAL)) {
            load.settle(server.port(), atTheStartOf(ROUNDS));
            assertThat(server.terminate()).isZero();
        }
    }

    private static String atTheStartOf(int round) {
        return "at the start of round " + round + ", seed " + SEED;
    }
}
