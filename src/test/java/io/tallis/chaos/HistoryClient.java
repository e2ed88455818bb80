package io.tallis.chaos;

import io.tallis.chaos.History.Request;
import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/// A client that adds to counters, sets, deletes and reads them, alone and in transactions, and waits for replication
/// now and then. It records all of it in [Histories] and checks each value that it is answered.
final class HistoryClient extends VisitingClient {
    private static final int MOST_IN_A_TRANSACTION = 4;
    private static final String WAIT_MILLIS = "300";

    private final List<ChaosNode> nodes;
    private final Histories histories;

    /// Acknowledged on this connection, and not known to be on all nodes.
    private final List<Request> unreplicated = new ArrayList<>();

    HistoryClient(List<ChaosNode> nodes, Histories histories, RunLog log, SplittableRandom random) {
        super(nodes, log, random);
        this.nodes = nodes;
        this.histories = histories;
    }

    @Override
    void connected(ChaosNode node) {
        unreplicated.clear();
    }

    @Override
    boolean batch(ChaosNode node, RespSocket socket) throws IOException {
        int kind = random.nextInt(100);
        if (kind < 10) {
            return await(node, socket);
        }
        if (kind < 20) {
            return read(node, socket);
        }
        return kind < 35 ? transaction(node, socket) : change(node, socket);
    }

    private boolean await(ChaosNode node, RespSocket socket) throws IOException {
        List<Integer> generations =
                nodes.stream().map(ChaosNode::dataGeneration).toList();
        int others = nodes.size() - 1;
        String reply = socket.call("WAIT", Integer.toString(others), WAIT_MILLIS);
        if (isError(reply)) {
            requireLoading(node, reply);
            return false;
        }
        if (Integer.parseInt(reply) > others) {
            log.fail(node + " replied " + reply + " to WAIT, and has " + others + " others");
        }
        if (Integer.parseInt(reply) == others) {
            long now = System.nanoTime();
            unreplicated.forEach(request -> request.onAllNodes(now, generations));
            unreplicated.clear();
        }
        return true;
    }

    private boolean read(ChaosNode node, RespSocket socket) throws IOException {
        History history = histories.pick(random);
        Request request = request(node);
        String reply = socket.call("GET", history.key());
        if (isError(reply)) {
            requireLoading(node, reply);
            return false;
        }
        request.acknowledged(System.nanoTime());
        check(node, history, request, reply);
        return true;
    }

    private void check(ChaosNode node, History history, Request request, String reply) {
        history.check(request, Histories.value(reply)).ifPresent(wrong -> log.fail(wrong + ", on " + node));
    }

    private static Request request(ChaosNode node) {
        return new Request(node.number(), node.dataGeneration(), System.nanoTime());
    }

    private boolean change(ChaosNode node, RespSocket socket) throws IOException {
        History history = histories.pick(random);
        Request request = request(node);
        Optional<String[]> words = draw(history, request);
        if (words.isEmpty()) {
            return true;
        }
        String reply = socket.call(words.get());
        if (!acknowledged(node, request, reply)) {
            return false;
        }
        if (words.get()[0].endsWith("RBY")) {
            check(node, history, request, reply);
        }
        return true;
    }

    /// The words of a change, recorded as sent; empty if the history was full, and another one begins.
    private Optional<String[]> draw(History history, Request request) {
        int kind = random.nextInt(10);
        if (kind == 0) {
            history.reset(request);
            return Optional.of(new String[] {"DEL", history.key()});
        }
        boolean sets = kind == 1;
        Optional<Long> added = history.add(request, sets, random.nextBoolean());
        if (added.isEmpty()) {
            histories.replace(history);
            return Optional.empty();
        }
        long amount = added.get();
        String[] adding = {amount < 0 ? "DECRBY" : "INCRBY", history.key(), Long.toString(Math.abs(amount))};
        return Optional.of(sets ? new String[] {"SET", history.key(), Long.toString(amount)} : adding);
    }

    private boolean transaction(ChaosNode node, RespSocket socket) throws IOException {
        Request request = request(node);
        List<String[]> changes = new ArrayList<>();
        for (int i = random.nextInt(MOST_IN_A_TRANSACTION); i >= 0; i--) {
            draw(histories.pick(random), request).ifPresent(changes::add);
        }
        socket.add("MULTI");
        changes.forEach(socket::add);
        socket.add("EXEC").flush();
        for (int i = 0; i <= changes.size(); i++) {
            String queued = socket.read();
            if (isError(queued)) {
                requireLoading(node, queued);
            }
        }
        String reply = socket.read();
        // Its cause is the error before.
        return acknowledged(node, request, reply.startsWith("-EXECABORT") ? "-LOADING " : reply);
    }

    private boolean acknowledged(ChaosNode node, Request request, String reply) {
        if (isError(reply)) {
            request.refused();
            requireLoading(node, reply);
            return false;
        }
        request.acknowledged(System.nanoTime());
        unreplicated.add(request);
        return true;
    }
}
