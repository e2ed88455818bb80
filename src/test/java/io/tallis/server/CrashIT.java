package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.RespSocket;
import io.tallis.testing.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Nothing acknowledged is lost by `kill -9`, and nothing is counted that was not sent (I7).
///
/// A real process is killed in the midst of pipelined increments from several connections, again and again on the
/// same directory; after each start every counter is worth at least what was acknowledged and at most what was
/// sent. `-Dcrash.rounds=1000 -Dseed=17` digs.
final class CrashIT {
    private static final int ROUNDS = Integer.getInteger("crash.rounds", 50);
    private static final long SEED = Long.getLong("seed", 1);
    private static final int CONNECTIONS = 4;
    private static final int PIPELINE = 32;
    private static final int KEYS = 64;

    @TempDir
    Path dir;

    /// So small that segments end and checkpoints run amid the load.
    private static final String[] SMALL_JOURNAL = {"--journal-segment-size", "1mb", "--journal-checkpoint-size", "1mb"};

    private final AtomicLongArray sent = new AtomicLongArray(KEYS);
    private final AtomicLongArray acknowledged = new AtomicLongArray(KEYS);
    private final Queue<String> refusals = new ConcurrentLinkedQueue<>();
    private final Random random = new Random(SEED);

    @Test
    void killedServer_keepsAllThatItAcknowledged() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            try (ServerProcess server = ServerProcess.start(dir, SMALL_JOURNAL)) {
                settle(server.port(), round);
                loadUntilKilled(server, 1 + random.nextInt(4000));
            }
        }
        try (ServerProcess server = ServerProcess.start(dir, SMALL_JOURNAL)) {
            settle(server.port(), ROUNDS);
            assertThat(server.terminate()).isZero();
        }
    }

    private static String[] increment(int key) {
        return key % 2 == 0
                ? new String[] {"INCRBY", "key:" + key, "1"}
                : new String[] {"GCOUNT", "INC", "key:" + key, "1"};
    }

    /// Compares every counter with what is known of it, and takes its value for known from now on.
    private void settle(int port, int round) throws IOException {
        try (RespSocket socket = new RespSocket(port)) {
            for (int key = 0; key < KEYS; key++) {
                String reply = socket.call("GET", "key:" + key);
                long value = reply.equals("(nil)") ? 0 : Long.parseLong(reply);
                assertThat(value)
                        .as("key:%d at the start of round %d, seed %d", key, round, SEED)
                        .isBetween(acknowledged.get(key), sent.get(key));
                acknowledged.set(key, value);
                sent.set(key, value);
            }
        }
    }

    private void loadUntilKilled(ServerProcess server, int enough) throws InterruptedException {
        AtomicLong answers = new AtomicLong();
        CountDownLatch reached = new CountDownLatch(1);
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            Random keys = new Random(random.nextLong());
            clients.add(Thread.ofVirtual().start(() -> {
                try (RespSocket socket = new RespSocket(server.port())) {
                    while (true) {
                        pipeline(socket, keys);
                        if (answers.addAndGet(PIPELINE) >= enough) {
                            reached.countDown();
                        }
                    }
                } catch (IOException _) {
                    // Killed: what was not answered may be there or not.
                    reached.countDown();
                }
            }));
        }
        reached.await();
        server.kill();
        for (Thread client : clients) {
            client.join();
        }
        assertThat(refusals).isEmpty();
    }

    private void pipeline(RespSocket socket, Random keys) throws IOException {
        int[] chosen = keys.ints(PIPELINE, 0, KEYS).toArray();
        for (int key : chosen) {
            socket.add(increment(key));
            sent.incrementAndGet(key);
        }
        socket.flush();
        for (int key : chosen) {
            String reply = socket.read();
            if (reply.startsWith("-")) {
                refusals.add(reply);
            } else {
                acknowledged.incrementAndGet(key);
            }
        }
    }
}
