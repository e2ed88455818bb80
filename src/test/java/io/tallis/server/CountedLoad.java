package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/// Pipelined increments from several connections, and a record of what was sent and what was acknowledged.
final class CountedLoad {
    static final int KEYS = 64;

    private static final int CONNECTIONS = 4;
    private static final int PIPELINE = 32;

    private final AtomicLongArray sent = new AtomicLongArray(KEYS);
    private final AtomicLongArray acknowledged = new AtomicLongArray(KEYS);
    private final Queue<String> refusals = new ConcurrentLinkedQueue<>();
    private final List<Thread> clients = new ArrayList<>();

    /// Error replies.
    Queue<String> refusals() {
        return refusals;
    }

    /// The number of acknowledged increments of each key.
    List<Long> acknowledged() {
        return IntStream.range(0, KEYS).mapToObj(acknowledged::get).toList();
    }

    /// Checks every counter against the record, which continues with the values found.
    void settle(int port, String when) throws IOException {
        settle(port, acknowledged(), when);
    }

    /// The same, if only `promised` increments have to be found.
    void settle(int port, List<Long> promised, String when) throws IOException {
        try (RespSocket socket = new RespSocket(port)) {
            for (int key = 0; key < KEYS; key++) {
                String reply = socket.call("GET", "key:" + key);
                long value = reply.equals("(nil)") ? 0 : Long.parseLong(reply);
                assertThat(value).as("key:%d %s", key, when).isBetween(promised.get(key), sent.get(key));
                acknowledged.set(key, value);
                sent.set(key, value);
            }
        }
    }

    /// Increments until the connections break. Returns when `enough` increments have been answered, or a connection
    /// broke.
    void run(int port, int enough, Random random) throws InterruptedException {
        AtomicLong answers = new AtomicLong();
        CountDownLatch reached = new CountDownLatch(1);
        for (int i = 0; i < CONNECTIONS; i++) {
            Random keys = new Random(random.nextLong());
            clients.add(Thread.ofVirtual().start(() -> {
                try (RespSocket socket = new RespSocket(port)) {
                    while (true) {
                        pipeline(socket, keys);
                        if (answers.addAndGet(PIPELINE) >= enough) {
                            reached.countDown();
                        }
                    }
                } catch (IOException _) {
                    // What was not answered may be there or not.
                    reached.countDown();
                }
            }));
        }
        reached.await();
    }

    /// Waits until all connections have broken.
    void awaitEnd() throws InterruptedException {
        for (Thread client : clients) {
            client.join();
        }
        clients.clear();
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
                sent.decrementAndGet(key);
            } else {
                acknowledged.incrementAndGet(key);
            }
        }
    }

    private static String[] increment(int key) {
        return key % 2 == 0
                ? new String[] {"INCRBY", "key:" + key, "1"}
                : new String[] {"GCOUNT", "INC", "key:" + key, "1"};
    }
}
