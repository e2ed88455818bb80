package io.tallis.cluster.records;

import java.util.UUID;

/// The identity of this node as other nodes see it: the UUID of its data directory, the name that its operator gave it,
/// and where it serves clients.
public record Self(UUID uuid, String name, Addresses addresses) {
    /// A node that serves the Redis protocol alone.
    public Self(UUID uuid, String name, String clientAddress) {
        this(uuid, name, Addresses.of(clientAddress));
    }
}
