package io.tallis.chaos;

import io.tallis.chaos.Network.Way;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/// Injects random faults for some time. A fault that is not possible when it is drawn is left out.
final class FaultInjector {
    private static final long BETWEEN_CHECKS_MILLIS = 20;

    private final List<ChaosNode> nodes;
    private final Network network;
    private final ActiveFaults faults;
    private final QuietPhase quietPhase;
    private final RunLog log;

    /// What faults are injected into, and how the result is checked.
    record Target(ChaosCluster cluster, Network network, Load load, Checker checker, WaitProof waitProof) {}

    FaultInjector(Target target, RunLog log) {
        nodes = target.cluster.nodes();
        network = target.network;
        faults = new ActiveFaults(network, log);
        quietPhase = new QuietPhase(target, faults, log);
        this.log = log;
    }

    /// Returns when the time is over and no fault is in force, or at the first failure.
    void run(SplittableRandom random, int seconds) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() - end < 0 && log.failures().isEmpty()) {
            SplittableRandom chance = random.split();
            RandomFault draw = RandomFault.of(chance, nodes.size());
            long next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(draw.pauseMillis());
            begin(draw, chance);
            while (System.nanoTime() - next < 0) {
                TimeUnit.MILLISECONDS.sleep(BETWEEN_CHECKS_MILLIS);
                faults.endDue();
                requireAlive();
            }
        }
        faults.endAll();
    }

    private void begin(RandomFault draw, SplittableRandom chance) throws IOException, InterruptedException {
        ChaosNode node = nodes.get(draw.node());
        switch (draw.kind()) {
            case KILL -> kill(node, draw);
            case STOP -> stop(node, draw.lastsMillis());
            case FREEZE -> freeze(node, draw.lastsMillis());
            case CUT_ONE_WAY -> cut(Set.of(new Way(draw.node(), draw.other())), draw);
            case CUT_BOTH_WAYS ->
                cut(Set.of(new Way(draw.node(), draw.other()), new Way(draw.other(), draw.node())), draw);
            case CUT_OFF -> cut(allWays(draw.node()), draw);
            case SET_CLOCK -> setClock(node, chance);
            case QUIET_PHASE -> quietPhase.run(chance);
        }
    }

    private void kill(ChaosNode node, RandomFault draw) throws IOException {
        if (faults.isFree(node)) {
            faults.kill(node, draw.lastsMillis());
            if (draw.coin() && node.hasData()) {
                log.print("a copy of its data is kept");
                node.takeCopy();
            }
        }
    }

    /// Only a node that is ready: a process that has just begun does not handle the signal yet.
    private void stop(ChaosNode node, long millis) {
        if (faults.isFree(node) && node.isReady()) {
            faults.stop(node, millis);
        }
    }

    private void freeze(ChaosNode node, long millis) {
        if (faults.isFree(node)) {
            faults.freeze(node, millis);
        }
    }

    private void cut(Set<Way> ways, RandomFault draw) {
        if (network.canCut()) {
            faults.cut(ways, draw.lastsMillis());
        }
    }

    private void setClock(ChaosNode node, SplittableRandom chance) {
        if (node.mostSkewMillis() > 0) {
            log.print(node + "'s clock is off by " + node.setClock(chance) + " ms");
        }
    }

    private Set<Way> allWays(int node) {
        Set<Way> ways = new HashSet<>();
        for (ChaosNode other : nodes) {
            if (other.number() != node) {
                ways.add(new Way(node, other.number()));
                ways.add(new Way(other.number(), node));
            }
        }
        return ways;
    }

    private void requireAlive() {
        for (ChaosNode node : nodes) {
            if (faults.isFree(node) && !node.isAlive()) {
                log.fail(node + " ended by itself");
            }
        }
    }
}
