package io.tallis.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// All clients. They send requests to any node that serves, until they are told to end.
final class Load {
    private static final int COUNTING_CLIENTS_PER_NODE = 4;
    private static final int HISTORY_CLIENTS_PER_NODE = 4;
    private static final int WINDOW_CLIENTS_PER_NODE = 2;
    private static final long TIMEOUT_SECONDS = 60;

    private final int clients;
    private final Semaphore turns;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ended;

    /// What clients record.
    record Records(Ledger ledger, Histories histories, Windows windows) {
        /// The directory is lost. Returns how many changes may be.
        int lose(Directory directory) {
            return ledger.lose(directory) + histories.lose(directory) + windows.lose(directory);
        }
    }

    Load(List<ChaosNode> nodes, Records records, RunLog log, SplittableRandom random) {
        List<VisitingClient> all = new ArrayList<>();
        for (int i = 0; i < COUNTING_CLIENTS_PER_NODE * nodes.size(); i++) {
            all.add(new CountingClient(nodes, records.ledger, log, random.split()));
        }
        for (int i = 0; i < HISTORY_CLIENTS_PER_NODE * nodes.size(); i++) {
            all.add(new HistoryClient(nodes, records.histories, log, random.split()));
        }
        for (int i = 0; i < WINDOW_CLIENTS_PER_NODE * nodes.size(); i++) {
            all.add(new WindowClient(nodes, records.windows, log, random.split()));
        }
        clients = all.size();
        turns = new Semaphore(clients, true);
        for (VisitingClient client : all) {
            threads.add(Thread.ofVirtual().name("client-" + threads.size()).start(() -> client.runIn(this)));
        }
    }

    boolean isEnded() {
        return ended;
    }

    /// Waits for permission to send a batch. No request is in flight while no client has it.
    void takeTurn() throws InterruptedException {
        turns.acquire();
    }

    void endTurn() {
        turns.release();
    }

    /// Returns when no request is in flight; none is sent until [#resume].
    void pause() throws InterruptedException {
        if (!turns.tryAcquire(clients, TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("a client was not answered for " + TIMEOUT_SECONDS + " s");
        }
    }

    void resume() {
        turns.release(clients);
    }

    /// Returns when all clients have ended.
    void end() throws InterruptedException {
        ended = true;
        for (Thread thread : threads) {
            if (!thread.join(Duration.ofSeconds(TIMEOUT_SECONDS))) {
                throw new IllegalStateException(thread.getName() + " does not end");
            }
        }
    }
}
