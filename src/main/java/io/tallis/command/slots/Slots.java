package io.tallis.command.slots;

import io.tallis.command.cluster.ClientAddress;
import io.tallis.command.cluster.Cluster;
import io.tallis.command.slots.SlotMap.Owner;
import java.util.List;
import java.util.UUID;

/// The map of slots as this node sees it: nodes have slots that it reaches, that are ready to serve, and that have a
/// port for clients of Redis Cluster. Any thread may call.
public final class Slots {
    private final Cluster cluster;
    private volatile SlotMap latest = SlotMap.of(List.of());

    public Slots(Cluster cluster) {
        this.cluster = cluster;
    }

    /// The present map.
    SlotMap now() {
        List<Owner> owners = cluster.nodes().stream()
                .filter(Cluster.Node::isReady)
                .filter(node -> !node.slotsAddress().isEmpty())
                .map(Slots::owner)
                .toList();
        SlotMap map = latest;
        if (!map.owners().equals(owners)) {
            map = SlotMap.of(owners);
            latest = map;
        }
        return map;
    }

    private static Owner owner(Cluster.Node node) {
        return new Owner(UUID.fromString(node.uuid()), ClientAddress.of(node.slotsAddress()));
    }

    /// The UUID of this node, which may have no slots.
    UUID self() {
        return UUID.fromString(cluster.ownUuid());
    }

    /// This node's address for clients of Redis Cluster.
    ClientAddress ownAddress() {
        String own = cluster.ownUuid();
        return cluster.nodes().stream()
                .filter(node -> node.uuid().equals(own))
                .findFirst()
                .map(node -> ClientAddress.of(node.slotsAddress()))
                .orElse(new ClientAddress("", 0));
    }
}
