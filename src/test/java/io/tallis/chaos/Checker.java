package io.tallis.chaos;

import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Checks that each counter has a value that the recorded requests allow, when all nodes agree.
final class Checker {
    private static final Duration SWEEP_TIMEOUT = Duration.ofSeconds(5);

    private static final Pattern UUID = Pattern.compile("node_uuid:\\S+");
    private static final Pattern HAS_DEADLINES = Pattern.compile("expires=[1-9]");
    private static final String WAIT_MILLIS = "20000";

    private final List<ChaosNode> nodes;
    private final Ledger ledger;
    private final Histories histories;
    private final WaitProof waitProof;
    private final RunLog log;
    private final WindowChecker windows;

    Checker(ChaosCluster cluster, Load.Records records, WaitProof waitProof, RunLog log) {
        nodes = cluster.nodes();
        ledger = records.ledger();
        histories = records.histories();
        this.waitProof = waitProof;
        this.log = log;
        windows = new WindowChecker(nodes, records.windows(), log);
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
            if (!ChaosCluster.await(
                    () -> !HAS_DEADLINES.matcher(node.call("INFO", "keyspace")).find(), SWEEP_TIMEOUT)) {
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
