package io.tallis.command;

import io.tallis.crdt.ReplicaId;

/// What people call the node that a replica id belongs to.
@FunctionalInterface
public interface ReplicaNames {
    /// The name of a node, or of a former session of one. Equal names are shown as one.
    String nameOf(ReplicaId id);
}
