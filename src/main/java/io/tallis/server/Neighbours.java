package io.tallis.server;

import io.tallis.cluster.records.Registry;
import io.tallis.command.cluster.Cluster;
import io.tallis.command.cluster.PlainNode;
import io.tallis.command.counter.CounterCommands.ReplicaNames;
import java.util.Locale;
import java.util.UUID;

/// What clients are told of nodes: of the cluster, and whose sessions counted.
record Neighbours(Cluster cluster, ReplicaNames names) {
    /// For a node that has no others.
    static Neighbours none(Registry registry) {
        return new Neighbours(
                new PlainNode(() -> describe(registry)), id -> registry.known().nameOf(id));
    }

    private static Cluster.Node describe(Registry registry) {
        UUID own = registry.own();
        return registry.known().visible().stream()
                .filter(record -> record.uuid().equals(own))
                .findFirst()
                .map(record -> ClusterView.node(
                        record,
                        registry.known().nameOf(own),
                        record.newest().state().name().toLowerCase(Locale.ROOT),
                        1))
                .orElseThrow();
    }
}
