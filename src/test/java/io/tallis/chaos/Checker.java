package io.tallis.chaos;

import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Checks that nodes which can reach each other agree in time, and that each counter has a value that the recorded
/// requests allow.
final class Checker {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /// Nodes that run twice, as copies, keep all from folding.
    private static final Duration FOLD_TIMEOUT = Duration.ofSeconds(5);

    private static final long BETWEEN_LOOKS_MILLIS = 50;
    private static final Pattern UUID = Pattern.compile("node_uuid:\\S+");
    private static final Pattern LOST = Pattern.compile("uuid, ([0-9a-f-]+), address, [^,]*, state, unreachable");
    private static final Pattern FOLDS = Pattern.compile("\nfolds:(\\d+)");
    private static final Pattern HAS_DEADLINES = Pattern.compile("expires=[1-9]");
    private static final String WAIT_MILLIS = "20000";

    private final List<ChaosNode> nodes;
    private final Ledger ledger;
    private final Histories histories;
    private final WaitProof waitProof;
    private final RunLog log;
    private final WindowChecker windows;

    Checker(List<ChaosNode> nodes, Load.Records records, WaitProof waitProof, RunLog log) {
        this.nodes = nodes;
        ledger = records.ledger();
        histories = records.histories();
        this.waitProof = waitProof;
        this.log = log;
        windows = new WindowChecker(nodes, records.windows(), log);
    }

    private interface Question {
        boolean isTrue() throws IOException;
    }

    /// Whether all nodes serve before the timeout.
    boolean awaitReady() throws InterruptedException {
        boolean ready = await(() -> nodes.stream().allMatch(ChaosNode::isReady));
        if (!ready) {
            log.fail("not all nodes are ready after " + TIMEOUT.toSeconds() + " s");
        }
        return ready;
    }

    /// Has the nodes forget those whose data was deleted: they will never come back, and keep the others from folding.
    void forgetLost() throws IOException, InterruptedException {
        Matcher lost = LOST.matcher(nodes.getFirst().call("SYSTEM", "NODES"));
        while (lost.find()) {
            log.print("forget " + lost.group(1) + ": " + nodes.getFirst().call("SYSTEM", "FORGET", lost.group(1)));
        }
        boolean folded = await(() -> replication().contains("fold_waits_for:\r"), FOLD_TIMEOUT);
        Matcher folds = FOLDS.matcher(replication());
        if (folds.find()) {
            log.print(folds.group(1) + " folds so far" + (folded ? "" : "; some sessions could not be folded"));
        }
    }

    private String replication() throws IOException {
        return nodes.getFirst().call("INFO", "replication");
    }

    /// Whether all nodes have the same counters before the timeout.
    boolean awaitAgreement() throws InterruptedException {
        long begin = System.nanoTime();
        boolean agreed = await(() -> digests().size() == 1);
        if (agreed) {
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            log.print("all nodes agree, after " + millis + " ms");
        } else {
            log.fail("nodes do not agree after " + TIMEOUT.toSeconds() + " s without a change");
        }
        return agreed;
    }

    private static boolean await(Question question) throws InterruptedException {
        return await(question, TIMEOUT);
    }

    private static boolean await(Question question, Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        while (System.nanoTime() - end < 0) {
            try {
                if (question.isTrue()) {
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
            // Without the number of cells: nodes drop what has ended when they come to it.
            digests.add(digest.substring(0, digest.indexOf(", cells")));
        }
        return digests;
    }

    /// Reads and checks all counters while all nodes agree and no request is in flight.
    void checkCounters() throws IOException, InterruptedException {
        try (RespSocket socket = nodes.getFirst().connect()) {
            for (int counter = 0; counter < Ledger.COUNTERS; counter++) {
                long value = Histories.value(socket.call(Ledger.reading(counter)));
                if (!ledger.isPossible(counter, value)) {
                    log.fail("counter " + counter + " is " + value + ", which is not " + ledger.expected(counter));
                }
                ledger.settle(counter, value);
            }
            histories.check(socket, log);
            waitProof.check(socket);
        }
        windows.check();
    }

    /// Waits until all deadlines have come, and checks that nothing with a deadline is left.
    void checkThatAllWindowsEnd() throws IOException, InterruptedException {
        windows.checkThatAllEnd();
        for (ChaosNode node : nodes) {
            if (!await(
                    () -> !HAS_DEADLINES.matcher(node.call("INFO", "keyspace")).find())) {
                log.fail(node + " has keys with deadlines that have come: " + node.call("INFO", "keyspace"));
            }
        }
    }

    /// A node that has the UUID of another one, because its data was replaced by a copy.
    Optional<ChaosNode> findClone() throws IOException {
        Set<String> uuids = new HashSet<>();
        for (ChaosNode node : nodes) {
            Matcher found = UUID.matcher(node.call("INFO", "tallis"));
            if (found.find() && !uuids.add(found.group())) {
                return Optional.of(node);
            }
        }
        return Optional.empty();
    }

    /// Whether the journals of all nodes have what any of them has at present. Nodes write what they merge in order, so
    /// that holds when it holds for one more change of each.
    boolean allJournalsAreComplete() throws IOException {
        List<String> replies = new ArrayList<>();
        for (ChaosNode node : nodes) {
            try (RespSocket socket = node.connect()) {
                socket.call("GCOUNT", "INC", "marker", "1");
                replies.add(socket.call("WAIT", Integer.toString(nodes.size() - 1), WAIT_MILLIS));
            }
        }
        boolean all = replies.stream().allMatch(Integer.toString(nodes.size() - 1)::equals);
        if (!all) {
            log.fail("WAIT replied " + replies + " while no changes were made and all nodes were running");
        }
        return all;
    }
}
