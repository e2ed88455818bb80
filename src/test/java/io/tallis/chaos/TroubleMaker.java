package io.tallis.chaos;

import io.tallis.chaos.Network.Way;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/// Makes trouble at random for a while. What cannot be done when it is drawn is left out.
final class TroubleMaker {
    private static final long BETWEEN_LOOKS_MILLIS = 20;

    private final List<ChaosNode> nodes;
    private final Network network;
    private final Troubles troubles;
    private final Copies copies;
    private final Truce truce;
    private final Story story;

    /// Who is at its hands.
    record Victims(List<ChaosNode> nodes, Network network, Load load, Judge judge) {}

    TroubleMaker(Victims victims, Copies copies, Story story) {
        nodes = victims.nodes;
        network = victims.network;
        troubles = new Troubles(network, story);
        truce = new Truce(victims, troubles, copies, story);
        this.copies = copies;
        this.story = story;
    }

    /// Returns when the time is over and no trouble is left, or as soon as something is wrong.
    void make(SplittableRandom random, int seconds) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() - end < 0 && story.wrongs().isEmpty()) {
            SplittableRandom chance = random.split();
            Draw draw = Draw.of(chance, nodes.size());
            long next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(draw.pauseMillis());
            begin(draw, chance);
            while (System.nanoTime() - next < 0) {
                TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS_MILLIS);
                troubles.endThoseDue();
                watch();
            }
        }
        troubles.endAll();
    }

    private void begin(Draw draw, SplittableRandom chance) throws IOException, InterruptedException {
        ChaosNode node = nodes.get(draw.node());
        switch (draw.kind()) {
            case KILL -> kill(node, draw);
            case STOP -> stop(node, draw.lastsMillis());
            case FREEZE -> freeze(node, draw.lastsMillis());
            case CUT_ONE_WAY -> cut(Set.of(new Way(draw.node(), draw.other())), draw);
            case CUT_BOTH_WAYS ->
                cut(Set.of(new Way(draw.node(), draw.other()), new Way(draw.other(), draw.node())), draw);
            case CUT_OFF -> cut(allWays(draw.node()), draw);
            case TRUCE -> truce.keepAndBreak(chance);
        }
    }

    private void kill(ChaosNode node, Draw draw) throws IOException {
        if (troubles.isFree(node)) {
            troubles.kill(node, draw.lastsMillis());
            if (draw.coin() && node.hasData()) {
                story.tell("a copy of its data is kept");
                copies.take(node);
            }
        }
    }

    /// A process that has just begun does not know yet how to stop in good order.
    private void stop(ChaosNode node, long millis) {
        if (troubles.isFree(node) && node.isReady()) {
            troubles.stop(node, millis);
        }
    }

    private void freeze(ChaosNode node, long millis) {
        if (troubles.isFree(node)) {
            troubles.freeze(node, millis);
        }
    }

    private void cut(Set<Way> ways, Draw draw) {
        if (network.canCut()) {
            troubles.cut(ways, draw.lastsMillis());
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

    private void watch() {
        for (ChaosNode node : nodes) {
            if (troubles.isFree(node) && !node.isAlive()) {
                story.wrong(node + " ended, and nobody had told it to");
            }
        }
    }
}
