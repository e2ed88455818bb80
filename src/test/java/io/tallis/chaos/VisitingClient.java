package io.tallis.chaos;

import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/// A client that connects to one node after the other, at random, and sends some batches of requests to each.
abstract class VisitingClient {
    private static final int MOST_BATCHES = 300;
    private static final long BETWEEN_BATCHES_MILLIS = 5;
    private static final long BETWEEN_VISITS_MILLIS = 50;

    private final List<ChaosNode> nodes;
    protected final RunLog log;
    protected final SplittableRandom random;

    VisitingClient(List<ChaosNode> nodes, RunLog log, SplittableRandom random) {
        this.nodes = nodes;
        this.log = log;
        this.random = random;
    }

    void runIn(Load load) {
        try {
            while (!load.isEnded()) {
                ChaosNode node = nodes.get(random.nextInt(nodes.size()));
                try (RespSocket socket = node.connect()) {
                    visit(node, socket, load);
                } catch (IOException _) {
                    // Requests that were not answered may have been executed or not.
                    TimeUnit.MILLISECONDS.sleep(BETWEEN_VISITS_MILLIS);
                }
            }
        } catch (InterruptedException | RuntimeException | Error failed) {
            log.fail("a client failed: " + failed);
        }
    }

    private void visit(ChaosNode node, RespSocket socket, Load load) throws IOException, InterruptedException {
        connected(node);
        boolean serves = true;
        for (int i = random.nextInt(MOST_BATCHES); i >= 0 && serves && !load.isEnded(); i--) {
            load.takeTurn();
            try {
                serves = batch(node, socket);
            } finally {
                load.endTurn();
            }
            TimeUnit.MILLISECONDS.sleep(BETWEEN_BATCHES_MILLIS);
        }
    }

    /// A new connection; what was known of the former one is over.
    abstract void connected(ChaosNode node);

    /// Sends some requests and reads all replies. Returns whether the node serves.
    abstract boolean batch(ChaosNode node, RespSocket socket) throws IOException;

    /// Whether the reply is an error; a number may begin with a dash, too.
    static boolean isError(String reply) {
        return reply.length() > 1 && reply.charAt(0) == '-' && Character.isLetter(reply.charAt(1));
    }

    /// Only a node that loads or stops refuses requests.
    void requireLoading(ChaosNode node, String reply) {
        if (!reply.startsWith("-LOADING ")) {
            log.fail(node + " replied " + reply);
        }
    }
}
