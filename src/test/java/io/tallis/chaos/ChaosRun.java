package io.tallis.chaos;

import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/// One run: starts nodes and clients, injects faults, repairs everything and checks all counters.
final class ChaosRun {
    private static final long CALM_SECONDS = 1;

    private final Options options;
    private final RunLog log;
    private final Network network;
    private final Ledger ledger = new Ledger();
    private final Histories histories;
    private final Windows windows;
    private final SplittableRandom random;
    private final WaitProof waitProof;
    private final ChaosCluster cluster;
    private final List<ChaosNode> nodes;
    private final Checker checker;
    private final Operator operator;
    private int killedWhenReady;
    private long purges;

    private ChaosRun(Options options, RunLog log, Network network, ChaosCluster cluster) {
        this.cluster = cluster;
        this.options = options;
        this.log = log;
        this.network = network;
        random = new SplittableRandom(options.seed());
        histories = new Histories(options.skewMillis());
        windows = new Windows(options.skewMillis(), random.split());
        nodes = cluster.nodes();
        waitProof = new WaitProof(log);
        var records = new Load.Records(ledger, histories, windows);
        checker = new Checker(cluster, records, waitProof, log);
        operator = new Operator(cluster, records, log);
    }

    /// Returns whether no check failed. All processes of the run have ended then. The directory is deleted if so, and
    /// else has their logs and data.
    static boolean run(Options options, Network network) throws IOException, InterruptedException {
        RunLog log = new RunLog(System.out);
        ChaosRun run;
        try (var cluster = new ChaosCluster(options, network, log)) {
            run = new ChaosRun(options, log, network, cluster);
            run.perform();
        }
        return run.verdict();
    }

    private void perform() throws IOException, InterruptedException {
        log.print("seed " + options.seed() + ", " + options.describe() + ", "
                + (network.canCut() ? "in networks of their own" : "on the loopback interface, so nothing is cut"));
        for (ChaosNode node : nodes) {
            log.print(node + "'s clock is off by " + node.setClock(random) + " ms");
            node.start();
        }
        if (!cluster.awaitReady()) {
            return;
        }
        Load load = new Load(nodes, new Load.Records(ledger, histories, windows), log, random.split());
        try {
            operator.purgeNowAndThen(load, random.split());
            var target = new FaultInjector.Target(cluster, network, load, checker, waitProof, operator);
            var injector = new FaultInjector(target, log);
            injector.run(random, options.seconds());
            killedWhenReady = injector.killedWhenReady();
            TimeUnit.SECONDS.sleep(CALM_SECONDS);
        } finally {
            load.end();
        }
        log.print("all faults are repaired, and clients have ended");
        if (operator.awaitReady() && cluster.awaitAgreement()) {
            purges = cluster.purges();
            checker.checkCounters();
            checker.checkThatAllWindowsEnd();
        }
        cluster.stop();
    }

    private boolean verdict() throws IOException {
        log.print(purges + " purges, " + operator.summary() + ", " + killedWhenReady
                + " nodes killed when they were ready");
        List<String> failures = log.failures();
        if (failures.isEmpty()) {
            ChaosNode.delete(options.dir());
            log.print("all is well: each of " + ledger.changes() + " acknowledged changes was counted once; "
                    + histories.count() + " counters that were set and deleted, "
                    + windows.lives() + " with deadlines and " + waitProof.count()
                    + " tests of WAIT were right");
            return true;
        }
        failures.forEach(failure -> log.print("WRONG: " + failure));
        log.print("seed " + options.seed() + " failed; logs and data are in " + options.dir());
        return false;
    }
}
