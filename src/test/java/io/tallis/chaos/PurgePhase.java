package io.tallis.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/// A phase under load, but without other faults, in which nodes make a purge; or a purge without one of them, which is
/// forgotten meanwhile.
///
/// In some phases nodes are killed as soon as they have noted that they are ready, and before they note the purge. They
/// have to come back by themselves.
final class PurgePhase {
    /// With two cores a purge takes 16 to 42 s here, with one up to 100 s: each node that is killed meanwhile starts
    /// and pulls beside the load of all clients.
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(300);

    private static final long BETWEEN_REQUESTS_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long BETWEEN_LOOKS_MILLIS = 2;
    private static final long MOST_DOWN_MILLIS = 2_000;
    private static final long FOR_LONG_MILLIS = TimeUnit.HOURS.toMillis(1);

    private final FaultInjector.Target target;
    private final ActiveFaults faults;
    private final RunLog log;
    private int killed;

    PurgePhase(FaultInjector.Target target, ActiveFaults faults, RunLog log) {
        this.target = target;
        this.faults = faults;
        this.log = log;
    }

    private List<ChaosNode> nodes() {
        return target.cluster().nodes();
    }

    /// All nodes serve, and no two of them have one directory.
    void run(SplittableRandom chance) throws IOException, InterruptedException {
        log.print("purge phase");
        Map<ChaosNode, String> victims = new HashMap<>();
        for (ChaosNode node : nodes()) {
            if (chance.nextInt(nodes().size()) == 0) {
                victims.put(node, node.purgeNote().readyFor());
            }
        }
        awaitPurge(nodes(), victims, chance);
    }

    /// Waits until `these` have noted a purge which they had not noted before. Kills victims that are ready for another
    /// purge than they were, and starts them again.
    private void awaitPurge(List<ChaosNode> these, Map<ChaosNode, String> victims, SplittableRandom chance)
            throws IOException, InterruptedException {
        long before = number(these);
        long begin = System.nanoTime();
        long next = begin;
        while (these.stream().anyMatch(node -> node.purgeNote().number() <= before)) {
            long now = System.nanoTime();
            if (now - begin > TIMEOUT_NANOS) {
                log.fail("no purge was made within " + TimeUnit.NANOSECONDS.toSeconds(TIMEOUT_NANOS)
                        + " s though all nodes were there: "
                        + replication(these));
                return;
            }
            if (now - next >= 0) {
                target.operator().askForPurge(these.get(chance.nextInt(these.size())));
                if (these.stream().allMatch(ChaosNode::isReady)) {
                    target.operator().forgetGone(these.getFirst());
                }
                next = now + BETWEEN_REQUESTS_NANOS;
            }
            killThoseThatAreReady(victims, chance);
            tend();
            if (!log.failures().isEmpty()) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS_MILLIS);
        }
        log.print("purge " + number(these) + ", after " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin)
                + " ms");
    }

    private static String replication(List<ChaosNode> these) throws IOException {
        for (ChaosNode node : these) {
            if (node.isReady()) {
                return String.valueOf(node.call("INFO", "replication"));
            }
        }
        return "none is ready now";
    }

    private void killThoseThatAreReady(Map<ChaosNode, String> victims, SplittableRandom chance) throws IOException {
        for (ChaosNode victim : List.copyOf(victims.keySet())) {
            PurgeNote note = victim.purgeNote();
            if (note.isReady() && !note.readyFor().equals(victims.get(victim))) {
                victims.remove(victim);
                log.print(victim + " is ready for a purge");
                faults.kill(victim, chance.nextLong(MOST_DOWN_MILLIS));
                killed++;
            }
        }
    }

    private static long number(List<ChaosNode> these) {
        return these.stream().mapToLong(node -> node.purgeNote().number()).max().orElseThrow();
    }

    /// Ends the faults that are over, and looks after nodes that have ended.
    private void tend() throws IOException {
        faults.endDue();
        target.operator().tend(faults);
    }

    /// Has the others forget a node that is dead, stands still, or is cut off and goes on counting, and purge without
    /// it. Begins while nodes agree and no request is in flight: what is lost then is what it alone counts.
    void takeAway(ChaosNode victim, SplittableRandom chance) throws IOException {
        log.print(victim + " is to be forgotten");
        switch (chance.nextInt(target.network().canCut() ? 4 : 2)) {
            case 0 -> faults.kill(victim, FOR_LONG_MILLIS);
            case 1 -> faults.freeze(victim, FOR_LONG_MILLIS);
            default -> faults.cut(Network.allWays(victim.number(), nodes().size()), FOR_LONG_MILLIS);
        }
    }

    /// Returns when the victim has been refused, and is started with an empty directory.
    void purgeWithout(ChaosNode victim, SplittableRandom chance) throws IOException, InterruptedException {
        List<ChaosNode> others = new ArrayList<>(nodes());
        others.remove(victim);
        if (!forget(victim, others.get(chance.nextInt(others.size())))) {
            return;
        }
        awaitPurge(others, Map.of(), chance);
        if (!log.failures().isEmpty()) {
            return;
        }
        boolean behind = others.stream().allMatch(other -> victim.purgeNote().isBehind(other.purgeNote()));
        if (behind) {
            victim.forgotten();
        }
        faults.endAll();
        if (!behind) {
            log.print(victim + " was ready for that purge");
        } else if (!awaitRefusal(victim)) {
            log.fail(victim + " was not refused, though a purge was made without it");
        }
    }

    private boolean forget(ChaosNode victim, ChaosNode other) throws InterruptedException {
        String uuid = victim.uuid();
        boolean forgotten =
                ChaosCluster.await(() -> other.call("SYSTEM", "FORGET", uuid).equals("OK"), ChaosCluster.TIMEOUT);
        if (forgotten) {
            log.print("forget " + uuid + " of " + victim);
        } else {
            log.fail(other + " does not forget " + victim);
        }
        return forgotten;
    }

    private boolean awaitRefusal(ChaosNode victim) throws IOException, InterruptedException {
        Directory old = victim.directory();
        return ChaosCluster.await(
                () -> {
                    tend();
                    return !victim.directory().equals(old);
                },
                ChaosCluster.TIMEOUT);
    }

    /// How many nodes were killed when they were ready.
    int killed() {
        return killed;
    }
}
