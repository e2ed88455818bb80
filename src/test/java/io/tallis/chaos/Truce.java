package io.tallis.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/// A moment at which nothing is sent and everybody has everything. Counters are compared with what clients know; then
/// the data of all nodes but one may be lost at once, and nothing acknowledged is lost with it: the truce is broken by
/// killing some, and leaving them nothing, or an older copy of what they or others had.
final class Truce {
    private static final int MOST_DOWN_MILLIS = 2000;

    private final TroubleMaker.Victims victims;
    private final Troubles troubles;
    private final Copies copies;
    private final Story story;

    Truce(TroubleMaker.Victims victims, Troubles troubles, Copies copies, Story story) {
        this.victims = victims;
        this.troubles = troubles;
        this.copies = copies;
        this.story = story;
    }

    void keepAndBreak(SplittableRandom chance) throws IOException, InterruptedException {
        story.tell("truce");
        troubles.endAll();
        if (!victims.judge().awaitReady()) {
            return;
        }
        victims.load().pause();
        try {
            if (victims.judge().awaitAgreement()) {
                victims.judge().settle();
                if (victims.judge().allIsOnAllDisks()) {
                    rob(chance);
                }
            }
        } finally {
            victims.load().resume();
        }
    }

    private void rob(SplittableRandom chance) throws IOException {
        List<ChaosNode> robbed = new ArrayList<>(victims.nodes());
        while (robbed.size() == victims.nodes().size() || (robbed.size() > 1 && chance.nextBoolean())) {
            robbed.remove(chance.nextInt(robbed.size()));
        }
        story.tell("kill -9 " + robbed.stream().map(ChaosNode::toString).collect(Collectors.joining(", ")));
        for (ChaosNode node : robbed) {
            node.kill();
            replaceData(node, chance);
            troubles.down(node, chance.nextLong(MOST_DOWN_MILLIS));
        }
    }

    private void replaceData(ChaosNode node, SplittableRandom chance) throws IOException {
        int source = chance.nextBoolean()
                ? node.number()
                : chance.nextInt(victims.nodes().size());
        Optional<Path> copy = chance.nextBoolean() ? copies.of(source) : Optional.empty();
        node.replaceData(copy.orElse(null));
        story.tell("the data of " + node + " is "
                + copy.map(_ -> "replaced by an older copy of what node-" + source + " had")
                        .orElse("wiped"));
    }
}
