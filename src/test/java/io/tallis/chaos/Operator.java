package io.tallis.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Does what the operator of a cluster has to do: asks for purges, forgets nodes that are gone, and starts a node with
/// an empty directory if its old one was refused. What only the refused one had is recorded as lost.
final class Operator {
    private static final String REFUSED = "the other nodes have dropped deleted counters without this node";
    private static final String COUNTED_AS_ENDED = "the other nodes have counted this process among the ended ones";
    private static final Pattern UNREACHABLE =
            Pattern.compile("uuid, ([0-9a-f-]+), address, [^,]*, state, unreachable");

    /// Nodes that run twice, as copies, keep all from folding.
    private static final Duration FOLD_TIMEOUT = Duration.ofSeconds(5);
    private static final long LEAST_PAUSE_MILLIS = 1_000;
    private static final long MOST_PAUSE_MILLIS = 8_000;

    private final ChaosCluster cluster;
    private final Load.Records records;
    private final RunLog log;
    private final AtomicInteger asked = new AtomicInteger();
    private int refusals;
    private long lost;

    Operator(ChaosCluster cluster, Load.Records records, RunLog log) {
        this.cluster = cluster;
        this.records = records;
        this.log = log;
    }

    /// Asks for purges at random nodes until the load ends, whatever faults there are.
    void purgeNowAndThen(Load load, SplittableRandom random) {
        Thread.ofVirtual().name("purger").start(() -> {
            try {
                while (!load.isEnded()) {
                    TimeUnit.MILLISECONDS.sleep(random.nextLong(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS));
                    askForPurge(
                            cluster.nodes().get(random.nextInt(cluster.nodes().size())));
                }
            } catch (InterruptedException | RuntimeException | Error failed) {
                log.fail("the operator failed: " + failed);
            }
        });
    }

    /// A node that does not run is not asked.
    void askForPurge(ChaosNode node) {
        try {
            String reply = node.call("SYSTEM", "PURGE");
            if (reply.equals("OK")) {
                asked.incrementAndGet();
            } else if (!reply.startsWith("-LOADING ")) {
                log.fail(node + " replied " + reply + " to SYSTEM PURGE");
            }
        } catch (IOException _) {
            // Another one is asked next time.
        }
    }

    /// Whether a node that has ended runs again: its directory was refused, as was to be expected, and it has been
    /// given an empty one.
    private boolean replaceIfRefused(ChaosNode node) throws IOException {
        if (node.isForgotten() && node.hasEndedSaying(COUNTED_AS_ENDED)) {
            log.print(node + " was counted among the ended ones, and is started again");
            node.start();
            return true;
        }
        if (!wasRefused(node)) {
            return false;
        }
        long changes = records.lose(node.directory());
        refusals++;
        lost += changes;
        log.print("the directory of " + node + " was refused, and is moved away; " + changes
                + " changes that it has acknowledged may be lost");
        node.moveDataAway();
        node.start();
        return true;
    }

    /// Whether the node has ended because of a purge, which is right if it missed that.
    static boolean wasRefused(ChaosNode node) {
        return node.mayBeRefused() && node.hasEndedSaying(REFUSED);
    }

    /// Looks after nodes that have ended though no fault is in force there.
    void tend(ActiveFaults faults) throws IOException {
        for (ChaosNode node : cluster.nodes()) {
            if (faults.isFree(node) && !node.isAlive() && !replaceIfRefused(node)) {
                log.fail(node + " ended by itself");
            }
        }
    }

    /// Whether all nodes serve before the timeout, while no fault is in force.
    boolean awaitReady() throws InterruptedException {
        return cluster.awaitReady(this::replaceRefused);
    }

    private void replaceRefused() throws IOException {
        for (ChaosNode node : cluster.nodes()) {
            if (!node.isAlive()) {
                replaceIfRefused(node);
            }
        }
    }

    /// Has the nodes forget those whose data was deleted: they will never come back, and keep the others from folding
    /// and purging. `by` serves.
    void forgetGone(ChaosNode by) throws IOException {
        List<String> present = cluster.nodes().stream().map(ChaosNode::uuid).toList();
        Matcher found = UNREACHABLE.matcher(by.call("SYSTEM", "NODES"));
        while (found.find()) {
            if (!present.contains(found.group(1))) {
                log.print("forget " + found.group(1) + ": " + by.call("SYSTEM", "FORGET", found.group(1)));
            }
        }
    }

    void awaitFolds() throws IOException, InterruptedException {
        boolean folded = cluster.awaitFolds(FOLD_TIMEOUT);
        log.print(cluster.folds() + " folds so far" + (folded ? "" : "; some sessions could not be folded"));
    }

    /// What it did, for people.
    String summary() {
        return asked + " requests for purges, " + refusals + " directories refused, with " + lost
                + " changes that may be lost";
    }
}
