package io.tallis.cluster.records;

import java.util.UUID;

/// The identity of this node as other nodes see it: the UUID of its data directory, the name that its operator gave it,
/// and the address for clients (`host:port`).
public record Self(UUID uuid, String name, String clientAddress) {}
