package io.tallis.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// A phase without faults and without load, in which all nodes agree and all counters are checked. Every journal has
/// everything then, so the phase ends with a fault that would lose data at any other time:
///
///     some nodes lose their data     all but one at most are killed; the data of each is deleted, or replaced by an
///                                    older copy of its own or of another node
///     a writer loses its data        all nodes but a writer and a witness are killed; the writer makes changes and
///                                    waits for the witness; then both are killed, and the writer's data is deleted
///     a node is forgotten            the others purge without it, and it has to start anew, see PurgePhase
final class QuietPhase {
    private static final int MOST_DOWN_MILLIS = 2000;
    private static final int MOST_WRITING_MILLIS = 500;

    private final FaultInjector.Target target;
    private final ActiveFaults faults;
    private final PurgePhase purgePhase;
    private final RunLog log;

    QuietPhase(FaultInjector.Target target, ActiveFaults faults, PurgePhase purgePhase, RunLog log) {
        this.target = target;
        this.purgePhase = purgePhase;
        this.faults = faults;
        this.log = log;
    }

    void run(SplittableRandom chance) throws IOException, InterruptedException {
        log.print("quiet phase");
        faults.endAll();
        if (!target.operator().awaitReady()) {
            return;
        }
        Optional<ChaosNode> forgotten = Optional.empty();
        target.load().pause();
        try {
            if (target.cluster().awaitAgreement()) {
                target.checker().checkCounters();
                target.operator().forgetGone(target.cluster().nodes().getFirst());
                target.operator().awaitFolds();
                Optional<ChaosNode> clone = target.checker().findClone();
                target.cluster().nodes().forEach(ChaosNode::inStep);
                if (clone.isPresent()) {
                    loseDataOfClone(clone.get(), chance);
                } else if (target.checker().allJournalsAreComplete()) {
                    forgotten = loseData(chance);
                }
            }
        } finally {
            target.load().resume();
        }
        if (forgotten.isPresent()) {
            purgePhase.purgeWithout(forgotten.get(), chance);
        }
    }

    /// `WAIT` counts a node and its clone as one, so it cannot prove that both have everything. One node may lose its
    /// data without that proof, since all others have the same and go on.
    private void loseDataOfClone(ChaosNode clone, SplittableRandom chance) throws IOException {
        log.print("kill -9 " + clone + ", which has the UUID of another node; its data is deleted");
        clone.kill();
        clone.replaceData(null);
        down(clone, chance);
    }

    /// Returns the node that the others are to forget, if one is.
    private Optional<ChaosNode> loseData(SplittableRandom chance) throws IOException, InterruptedException {
        switch (chance.nextInt(4)) {
            case 0 -> loseDataOfWriter(chance);
            case 1 -> loseDataOfSome(chance);
            default -> {
                List<ChaosNode> nodes = target.cluster().nodes();
                ChaosNode victim = nodes.get(chance.nextInt(nodes.size()));
                purgePhase.takeAway(victim, chance);
                return Optional.of(victim);
            }
        }
        return Optional.empty();
    }

    private void loseDataOfSome(SplittableRandom chance) throws IOException {
        List<ChaosNode> nodes = target.cluster().nodes();
        List<ChaosNode> victims = new ArrayList<>(nodes);
        while (victims.size() == nodes.size() || (victims.size() > 1 && chance.nextBoolean())) {
            victims.remove(chance.nextInt(victims.size()));
        }
        log.print("kill -9 " + victims.stream().map(ChaosNode::toString).collect(Collectors.joining(", ")));
        for (ChaosNode node : victims) {
            node.kill();
            replaceData(node, chance);
            down(node, chance);
        }
    }

    private void replaceData(ChaosNode node, SplittableRandom chance) throws IOException {
        ChaosNode source = chance.nextBoolean()
                ? node
                : target.cluster()
                        .nodes()
                        .get(chance.nextInt(target.cluster().nodes().size()));
        Optional<Path> copy = chance.nextBoolean() ? source.copy() : Optional.empty();
        node.replaceData(copy.orElse(null));
        log.print("the data of " + node + " is "
                + copy.map(_ -> "replaced by an older copy of that of " + source)
                        .orElse("deleted"));
    }

    private void loseDataOfWriter(SplittableRandom chance) throws IOException, InterruptedException {
        List<ChaosNode> others = new ArrayList<>(target.cluster().nodes());
        ChaosNode writer = others.remove(chance.nextInt(others.size()));
        ChaosNode witness = others.remove(chance.nextInt(others.size()));
        for (ChaosNode other : others) {
            other.kill();
            down(other, chance);
        }
        log.print(writer + " writes, and " + witness + " alone is there to have it");
        Thread writing = target.waitProof().begin(writer);
        TimeUnit.MILLISECONDS.sleep(chance.nextLong(MOST_WRITING_MILLIS));
        witness.kill();
        writer.kill();
        writing.join();
        log.print("WAIT confirmed " + target.waitProof().latest());
        writer.replaceData(null);
        log.print("kill -9 " + witness + ", " + writer + "; the data of " + writer + " is deleted");
        down(witness, chance);
        down(writer, chance);
    }

    private void down(ChaosNode node, SplittableRandom chance) {
        faults.down(node, chance.nextLong(MOST_DOWN_MILLIS));
    }
}
