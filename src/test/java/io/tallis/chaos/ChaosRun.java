package io.tallis.chaos;

import java.io.IOException;
import java.util.ArrayList;
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
    private final List<ChaosNode> nodes = new ArrayList<>();
    private final Checker checker;

    private ChaosRun(Options options, RunLog log, Network network) throws IOException {
        this.options = options;
        this.log = log;
        this.network = network;
        random = new SplittableRandom(options.seed());
        histories = new Histories(options.skewMillis());
        windows = new Windows(options.skewMillis(), random.split());
        String cluster = "chaos-" + ProcessHandle.current().pid();
        for (int i = 0; i < options.nodes(); i++) {
            nodes.add(new ChaosNode(i, options, network, cluster));
        }
        waitProof = new WaitProof(log);
        checker = new Checker(nodes, new Load.Records(ledger, histories, windows), waitProof, log);
    }

    /// Returns whether no check failed. All processes of the run have ended then. The directory is deleted if so, and
    /// else has their logs and data.
    static boolean run(Options options, Network network) throws IOException, InterruptedException {
        RunLog log = new RunLog(System.out);
        var run = new ChaosRun(options, log, network);
        Thread end = new Thread(run::endNodes, "end-nodes");
        Runtime.getRuntime().addShutdownHook(end);
        try {
            run.perform();
        } finally {
            run.endNodes();
        }
        Runtime.getRuntime().removeShutdownHook(end);
        return run.verdict();
    }

    private void perform() throws IOException, InterruptedException {
        Options.Cluster cluster = options.cluster();
        log.print("seed " + options.seed() + ", " + options.nodes() + " nodes by " + cluster.stack()
                + (cluster.encrypted() ? ", encrypted, " : ", ") + "loss " + cluster.lossPercent() + " %, delay "
                + cluster.delayMillis() + " ms, "
                + (network.canCut() ? "in networks of their own" : "on the loopback interface, so nothing is cut"));
        for (ChaosNode node : nodes) {
            log.print(node + "'s clock is off by " + node.setClock(random) + " ms");
            node.start();
        }
        if (!checker.awaitReady()) {
            return;
        }
        Load load = new Load(nodes, new Load.Records(ledger, histories, windows), log, random.split());
        try {
            var target = new FaultInjector.Target(nodes, network, load, checker, waitProof);
            new FaultInjector(target, log).run(random, options.seconds());
            TimeUnit.SECONDS.sleep(CALM_SECONDS);
        } finally {
            load.end();
        }
        log.print("all faults are repaired, and clients have ended");
        if (checker.awaitReady() && checker.awaitAgreement()) {
            checker.checkCounters();
            checker.checkThatAllWindowsEnd();
        }
        stopAll();
    }

    private void stopAll() throws IOException {
        nodes.forEach(ChaosNode::beginToStop);
        for (ChaosNode node : nodes) {
            int code = node.awaitStop();
            if (code != 0) {
                log.fail(node + " ended with exit code " + code);
            }
        }
    }

    private void endNodes() {
        for (ChaosNode node : nodes) {
            try {
                node.close();
            } catch (IOException e) {
                log.print("the log of " + node + " could not be kept: " + e);
            }
        }
    }

    private boolean verdict() throws IOException {
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
