package io.tallis.chaos;

import io.tallis.chaos.Ledger.Change;
import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A client that adds to counters which nothing resets, and reads them now and then: a counter that only grows is never
/// above what was sent, nor below a value read before on the same connection.
final class CountingClient extends VisitingClient {
    private static final int MOST_PIPELINED = 16;
    private static final int ONE_READ_IN = 8;

    private final Ledger ledger;

    /// The last value read of each counter on this connection.
    private final Map<Integer, Long> seen = new HashMap<>();

    /// That of the node.
    private Directory directory = Directory.NONE;

    CountingClient(List<ChaosNode> nodes, Ledger ledger, RunLog log, SplittableRandom random) {
        super(nodes, log, random);
        this.ledger = ledger;
    }

    @Override
    void connected(ChaosNode node) {
        seen.clear();
        directory = node.directory();
    }

    /// A change, or a read of a counter that only grows if `change` is absent.
    private record Step(@Nullable Change change, int counter) {}

    @Override
    boolean batch(ChaosNode node, RespSocket socket) throws IOException {
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
        boolean serves = true;
        for (Step step : steps) {
            serves &= answered(node, step, socket.read());
        }
        return serves;
    }

    private Step draw() {
        Change change = Change.draw(random);
        boolean read = Ledger.isGrowing(change.counter()) && random.nextInt(ONE_READ_IN / 2) == 0;
        return new Step(read ? null : change, change.counter());
    }

    private boolean answered(ChaosNode node, Step step, String reply) {
        if (isError(reply)) {
            refused(node, step, reply);
            return false;
        }
        if (step.change != null) {
            ledger.acknowledged(step.change, directory);
            return true;
        }
        long value = Histories.value(reply);
        long before = seen.getOrDefault(step.counter, 0L);
        long most = ledger.most(step.counter);
        if (value < before || value > most) {
            log.fail("counter " + step.counter + " is " + value + " on " + node + ", but was " + before
                    + " there before, and no more than " + most + " was ever sent");
        }
        seen.put(step.counter, value);
        return true;
    }

    private void refused(ChaosNode node, Step step, String reply) {
        if (step.change != null) {
            ledger.refused(step.change);
        }
        requireLoading(node, reply);
    }
}
