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

/// The faults in force, each with its end and its repair. A node has at most one; any number of ways may be cut.
final class ActiveFaults {
    private final Network network;
    private final RunLog log;
    private final List<Fault> current = new ArrayList<>();
    private final Set<Way> cut = new HashSet<>();

    ActiveFaults(Network network, RunLog log) {
        this.network = network;
        this.log = log;
    }

    /// `node` is absent for a fault of the network.
    private record Fault(@Nullable ChaosNode node, long endNanos, Repair repair) {}

    private interface Repair {
        void run() throws IOException;
    }

    boolean isFree(ChaosNode node) {
        return current.stream().noneMatch(fault -> fault.node == node);
    }

    void kill(ChaosNode node, long millis) throws IOException {
        log.print("kill -9 " + node);
        node.kill();
        down(node, millis);
    }

    /// The node is dead, and will be started.
    void down(ChaosNode node, long millis) {
        begin(node, millis, () -> restart(node));
    }

    private void restart(ChaosNode node) {
        log.print(node + " is started again");
        node.start();
    }

    void stop(ChaosNode node, long millis) {
        log.print(node + " is told to stop");
        node.beginToStop();
        begin(node, millis, () -> {
            int code = node.awaitStop();
            if (code != 0 && !Operator.wasRefused(node)) {
                log.fail(node + " was told to stop, and ended with exit code " + code);
            }
            restart(node);
        });
    }

    void freeze(ChaosNode node, long millis) {
        log.print(node + " is frozen");
        node.signal("STOP");
        begin(node, millis, () -> {
            log.print(node + " is thawed");
            node.signal("CONT");
        });
    }

    void cut(Set<Way> ways, long millis) {
        Set<Way> now = ways.stream().filter(cut::add).collect(Collectors.toSet());
        if (!now.isEmpty()) {
            log.print("cut " + now);
            now.forEach(network::cut);
            begin(null, millis, () -> restore(now));
        }
    }

    private void restore(Set<Way> ways) {
        log.print("restored " + ways);
        ways.forEach(network::restore);
        cut.removeAll(ways);
    }

    private void begin(@Nullable ChaosNode node, long millis, Repair repair) {
        current.add(new Fault(node, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), repair));
    }

    void endDue() throws IOException {
        long now = System.nanoTime();
        endAll(current.stream().filter(fault -> fault.endNanos - now <= 0).toList());
    }

    void endAll() throws IOException {
        endAll(List.copyOf(current));
    }

    private void endAll(List<Fault> these) throws IOException {
        for (Fault fault : these) {
            fault.repair.run();
            current.remove(fault);
        }
    }
}
