package io.tallis.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/// One run: starts nodes and clients, makes trouble, heals all, and judges.
final class ChaosRun {
    private static final long CALM_SECONDS = 1;

    private final Options options;
    private final Story story;
    private final Network network;
    private final Ledger ledger = new Ledger();
    private final List<ChaosNode> nodes = new ArrayList<>();
    private final Judge judge;

    private ChaosRun(Options options, Story story, Network network) {
        this.options = options;
        this.story = story;
        this.network = network;
        String cluster = "chaos-" + ProcessHandle.current().pid();
        for (int i = 0; i < options.nodes(); i++) {
            nodes.add(new ChaosNode(i, options.dir(), network, cluster));
        }
        judge = new Judge(nodes, ledger, story);
    }

    /// Whether all was well. All processes of the run have ended then, and the directory is gone; if it was not, their
    /// logs and data are left there.
    static boolean run(Options options, Network network) throws IOException, InterruptedException {
        Story story = new Story(System.out);
        Files.createDirectories(options.dir());
        var run = new ChaosRun(options, story, network);
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
        story.tell("seed " + options.seed() + ", " + options.nodes() + " nodes by " + options.stack() + ", "
                + (network.canCut() ? "in networks of their own" : "on the loopback interface, so nothing is cut"));
        SplittableRandom random = new SplittableRandom(options.seed());
        nodes.forEach(ChaosNode::start);
        if (!judge.awaitReady()) {
            return;
        }
        Load load = new Load(nodes, ledger, story, random.split());
        try {
            var victims = new TroubleMaker.Victims(nodes, network, load, judge);
            new TroubleMaker(victims, new Copies(options.dir()), story).make(random, options.seconds());
            TimeUnit.SECONDS.sleep(CALM_SECONDS);
        } finally {
            load.end();
        }
        story.tell("all is healed, and clients have ended");
        if (judge.awaitReady() && judge.awaitAgreement()) {
            judge.settle();
        }
        stopAll();
    }

    private void stopAll() throws IOException {
        nodes.forEach(ChaosNode::beginToStop);
        for (ChaosNode node : nodes) {
            int code = node.awaitStop();
            if (code != 0) {
                story.wrong(node + " ended with exit code " + code);
            }
        }
    }

    private void endNodes() {
        for (ChaosNode node : nodes) {
            try {
                node.close();
            } catch (IOException e) {
                story.tell("the log of " + node + " could not be kept: " + e);
            }
        }
    }

    private boolean verdict() throws IOException {
        List<String> wrongs = story.wrongs();
        if (wrongs.isEmpty()) {
            ChaosNode.delete(options.dir());
            story.tell("all is well: " + ledger.changes()
                    + " changes were acknowledged, all are there, none is there twice");
            return true;
        }
        wrongs.forEach(wrong -> story.tell("WRONG: " + wrong));
        story.tell("seed " + options.seed() + " found what is wrong; logs and data are in " + options.dir());
        return false;
    }
}
