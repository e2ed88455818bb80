package io.tallis.chaos;

import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// Looks whether nodes that can reach each other come to agree in time, and whether counters are worth what clients
/// know.
final class Judge {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long BETWEEN_LOOKS_MILLIS = 50;
    private static final String WAIT_MILLIS = "20000";

    private final List<ChaosNode> nodes;
    private final Ledger ledger;
    private final Story story;

    Judge(List<ChaosNode> nodes, Ledger ledger, Story story) {
        this.nodes = nodes;
        this.ledger = ledger;
        this.story = story;
    }

    private interface Question {
        boolean isSo() throws IOException;
    }

    /// Whether all nodes serve, soon enough.
    boolean awaitReady() throws InterruptedException {
        boolean ready = await(() -> nodes.stream().allMatch(ChaosNode::isReady));
        if (!ready) {
            story.wrong("not all nodes are ready after " + PATIENCE.toSeconds() + " s");
        }
        return ready;
    }

    /// Whether all nodes hold the same counters, soon enough after the last change.
    boolean awaitAgreement() throws InterruptedException {
        long begin = System.nanoTime();
        boolean agreed = await(() -> digests().size() == 1);
        if (agreed) {
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            story.tell("all nodes agree, after " + millis + " ms");
        } else {
            story.wrong("nodes do not agree after " + PATIENCE.toSeconds() + " s without a change");
        }
        return agreed;
    }

    private static boolean await(Question question) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - end < 0) {
            try {
                if (question.isSo()) {
                    return true;
                }
            } catch (IOException _) {
                // Asked again.
            }
            TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS_MILLIS);
        }
        return false;
    }

    private Set<String> digests() throws IOException {
        Set<String> digests = new HashSet<>();
        for (ChaosNode node : nodes) {
            String digest = node.call("SYSTEM", "DIGEST");
            if (digest.startsWith("-")) {
                throw new IOException(digest);
            }
            digests.add(digest);
        }
        return digests;
    }

    /// Reads all counters, of nodes that agree and while nothing is sent, and takes them for known from now on.
    void settle() throws IOException {
        try (RespSocket socket = nodes.getFirst().connect()) {
            for (int counter = 0; counter < Ledger.COUNTERS; counter++) {
                String reply = socket.call(Ledger.reading(counter));
                long value = reply.equals("(nil)") ? 0 : Long.parseLong(reply);
                long least = ledger.least(counter);
                long most = ledger.most(counter);
                if (value < least || value > most) {
                    story.wrong(
                            "counter " + counter + " is worth " + value + ", and not from " + least + " to " + most);
                }
                ledger.settle(counter, value);
            }
        }
    }

    /// Whether all nodes have on their disks what each of them has at present. Nodes write what they merge in order,
    /// so that holds when it holds for one more change of each.
    boolean allIsOnAllDisks() throws IOException {
        List<String> answers = new ArrayList<>();
        for (ChaosNode node : nodes) {
            try (RespSocket socket = node.connect()) {
                socket.call("GCOUNT", "INC", "marker", "1");
                answers.add(socket.call("WAIT", Integer.toString(nodes.size() - 1), WAIT_MILLIS));
            }
        }
        boolean all = answers.stream().allMatch(Integer.toString(nodes.size() - 1)::equals);
        if (!all) {
            story.wrong("WAIT answered " + answers + " where nothing was sent and everybody was there");
        }
        return all;
    }
}
