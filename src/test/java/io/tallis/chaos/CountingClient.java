package io.tallis.chaos;

import io.tallis.chaos.Ledger.Change;
import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A client that visits one node after the other, counts there, and reads now and then: a counter that only grows is
/// never worth more than what was sent, nor less than before on the same connection.
final class CountingClient {
    private static final int MOST_BATCHES = 300;
    private static final int MOST_PIPELINED = 16;
    private static final int ONE_READ_IN = 8;
    private static final long BETWEEN_BATCHES_MILLIS = 5;
    private static final long BETWEEN_VISITS_MILLIS = 50;

    private final List<ChaosNode> nodes;
    private final Ledger ledger;
    private final Story story;
    private final SplittableRandom random;

    CountingClient(List<ChaosNode> nodes, Ledger ledger, Story story, SplittableRandom random) {
        this.nodes = nodes;
        this.ledger = ledger;
        this.story = story;
        this.random = random;
    }

    void runIn(Load load) {
        try {
            while (!load.isEnded()) {
                ChaosNode node = nodes.get(random.nextInt(nodes.size()));
                try (RespSocket socket = node.connect()) {
                    visit(node, socket, load);
                } catch (IOException _) {
                    // What was not answered may be there or not.
                    TimeUnit.MILLISECONDS.sleep(BETWEEN_VISITS_MILLIS);
                }
            }
        } catch (InterruptedException | RuntimeException | Error failed) {
            story.wrong("a client failed: " + failed);
        }
    }

    private void visit(ChaosNode node, RespSocket socket, Load load) throws IOException, InterruptedException {
        Map<Integer, Long> seen = new HashMap<>();
        boolean welcome = true;
        for (int i = random.nextInt(MOST_BATCHES); i >= 0 && welcome && !load.isEnded(); i--) {
            load.takeTurn();
            try {
                welcome = batch(node, socket, seen);
            } finally {
                load.endTurn();
            }
            TimeUnit.MILLISECONDS.sleep(BETWEEN_BATCHES_MILLIS);
        }
    }

    /// A change, or a look at a counter that only grows.
    private record Step(@Nullable Change change, int counter) {}

    /// Answers whether the node takes changes.
    private boolean batch(ChaosNode node, RespSocket socket, Map<Integer, Long> seen) throws IOException {
        List<Step> steps = new ArrayList<>();
        for (int i = random.nextInt(MOST_PIPELINED); i >= 0; i--) {
            steps.add(draw());
        }
        for (Step step : steps) {
            if (step.change != null) {
                ledger.sent(step.change);
            }
            socket.add(step.change == null ? Ledger.reading(step.counter) : step.change.words());
        }
        socket.flush();
        boolean welcome = true;
        for (Step step : steps) {
            welcome &= answered(node, step, socket.read(), seen);
        }
        return welcome;
    }

    private Step draw() {
        Change change = Change.draw(random);
        boolean read = Ledger.isGrowing(change.counter()) && random.nextInt(ONE_READ_IN / 2) == 0;
        return new Step(read ? null : change, change.counter());
    }

    private boolean answered(ChaosNode node, Step step, String reply, Map<Integer, Long> seen) {
        if (isError(reply)) {
            refused(node, step, reply);
            return false;
        }
        if (step.change != null) {
            ledger.acknowledged(step.change);
            return true;
        }
        long value = reply.equals("(nil)") ? 0 : Long.parseLong(reply);
        long before = seen.getOrDefault(step.counter, 0L);
        long most = ledger.most(step.counter);
        if (value < before || value > most) {
            story.wrong("counter " + step.counter + " is worth " + value + " on " + node + ", but was worth " + before
                    + " there, and no more than " + most + " was ever sent");
        }
        seen.put(step.counter, value);
        return true;
    }

    /// A number may begin with a dash, too.
    private static boolean isError(String reply) {
        return reply.length() > 1 && reply.charAt(0) == '-' && Character.isLetter(reply.charAt(1));
    }

    private void refused(ChaosNode node, Step step, String reply) {
        if (step.change != null) {
            ledger.refused(step.change);
        }
        if (!reply.startsWith("-LOADING ")) {
            story.wrong(node + " answered " + reply);
        }
    }
}
