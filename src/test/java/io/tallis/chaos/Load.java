package io.tallis.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// All clients, which count at any node that lets them until they are told to end.
final class Load {
    private static final int CLIENTS_PER_NODE = 5;
    private static final long PATIENCE_SECONDS = 60;

    private final int clients;
    private final Semaphore turns;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ended;

    Load(List<ChaosNode> nodes, Ledger ledger, Story story, SplittableRandom random) {
        clients = CLIENTS_PER_NODE * nodes.size();
        turns = new Semaphore(clients, true);
        for (int i = 0; i < clients; i++) {
            var client = new CountingClient(nodes, ledger, story, random.split());
            threads.add(Thread.ofVirtual().name("client-" + i).start(() -> client.runIn(this)));
        }
    }

    boolean isEnded() {
        return ended;
    }

    /// Each client takes a turn for a batch, so nothing is under way while none has one.
    void takeTurn() throws InterruptedException {
        turns.acquire();
    }

    void endTurn() {
        turns.release();
    }

    /// Returns when nothing is under way any more.
    void pause() throws InterruptedException {
        if (!turns.tryAcquire(clients, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("clients were not answered for " + PATIENCE_SECONDS + " s");
        }
    }

    void resume() {
        turns.release(clients);
    }

    /// Returns when all clients have ended.
    void end() throws InterruptedException {
        ended = true;
        for (Thread thread : threads) {
            if (!thread.join(Duration.ofSeconds(PATIENCE_SECONDS))) {
                throw new IllegalStateException(thread.getName() + " does not end");
            }
        }
    }
}
