package io.tallis.chaos;

import io.tallis.chaos.Network.Way;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/// Injects random faults for some time, and has a purge made in the end. A fault that is not possible when it is drawn
/// is left out.
final class FaultInjector {
    private static final long BETWEEN_CHECKS_MILLIS = 20;

    private final Target target;
    private final List<ChaosNode> nodes;
    private final Network network;
    private final ActiveFaults faults;
    private final QuietPhase quietPhase;
    private final PurgePhase purgePhase;
    private final RunLog log;

    /// What faults are injected into, and how the result is checked.
    record Target(
            ChaosCluster cluster,
            Network network,
            Load load,
            Checker checker,
            WaitProof waitProof,
            Operator operator) {}

    FaultInjector(Target target, RunLog log) {
        this.target = target;
        nodes = target.cluster.nodes();
        network = target.network;
        faults = new ActiveFaults(network, log);
        purgePhase = new PurgePhase(target, faults, log);
        quietPhase = new QuietPhase(target, faults, purgePhase, log);
        this.log = log;
    }

    /// How many nodes were killed when they were ready for a purge.
    int killedWhenReady() {
        return purgePhase.killed();
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
                target.operator().tend(faults);
            }
        }
        if (log.failures().isEmpty()) {
            purge(random.split());
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
            case CUT_OFF -> cut(Network.allWays(draw.node(), nodes.size()), draw);
            case SET_CLOCK -> setClock(node, chance);
            case QUIET_PHASE -> quietPhase.run(chance);
            case PURGE_PHASE -> purge(chance);
        }
    }

    private void purge(SplittableRandom chance) throws IOException, InterruptedException {
        faults.endAll();
        if (target.operator().awaitReady()) {
            if (target.checker().findClone().isPresent()) {
                quietPhase.run(chance);
                faults.endAll();
            }
            purgePhase.run(chance);
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
        if (faults.isFree(node) && node.isAlive()) {
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
}
