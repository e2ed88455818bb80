package io.tallis.chaos;

import io.tallis.chaos.Network.Way;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The troubles of the moment, and how each ends. A node has one at a time of its own; any number of ways may be cut.
final class Troubles {
    private final Network network;
    private final Story story;
    private final List<Trouble> current = new ArrayList<>();
    private final Set<Way> cut = new HashSet<>();

    Troubles(Network network, Story story) {
        this.network = network;
        this.story = story;
    }

    /// `node` is the one that has it, if one has.
    private record Trouble(@Nullable ChaosNode node, long endNanos, Mending mending) {}

    private interface Mending {
        void run() throws IOException;
    }

    boolean isFree(ChaosNode node) {
        return current.stream().noneMatch(trouble -> trouble.node == node);
    }

    void kill(ChaosNode node, long millis) throws IOException {
        story.tell("kill -9 " + node);
        node.kill();
        down(node, millis);
    }

    /// It is dead, and will be started.
    void down(ChaosNode node, long millis) {
        begin(node, millis, () -> restart(node));
    }

    private void restart(ChaosNode node) {
        story.tell(node + " is started again");
        node.start();
    }

    void stop(ChaosNode node, long millis) {
        story.tell(node + " is told to stop");
        node.beginToStop();
        begin(node, millis, () -> {
            int code = node.awaitStop();
            if (code != 0) {
                story.wrong(node + " was told to stop, and ended with exit code " + code);
            }
            restart(node);
        });
    }

    void freeze(ChaosNode node, long millis) {
        story.tell(node + " is frozen");
        node.signal("STOP");
        begin(node, millis, () -> {
            story.tell(node + " is thawed");
            node.signal("CONT");
        });
    }

    void cut(Set<Way> ways, long millis) {
        Set<Way> now = ways.stream().filter(cut::add).collect(Collectors.toSet());
        if (!now.isEmpty()) {
            story.tell("cut " + now);
            now.forEach(network::cut);
            begin(null, millis, () -> mend(now));
        }
    }

    private void mend(Set<Way> ways) {
        story.tell("mended " + ways);
        ways.forEach(network::mend);
        cut.removeAll(ways);
    }

    private void begin(@Nullable ChaosNode node, long millis, Mending mending) {
        current.add(new Trouble(node, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), mending));
    }

    void endThoseDue() throws IOException {
        long now = System.nanoTime();
        endAll(current.stream().filter(trouble -> trouble.endNanos - now <= 0).toList());
    }

    void endAll() throws IOException {
        endAll(List.copyOf(current));
    }

    private void endAll(List<Trouble> these) throws IOException {
        for (Trouble trouble : these) {
            trouble.mending.run();
            current.remove(trouble);
        }
    }
}
