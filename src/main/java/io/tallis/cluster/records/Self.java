package io.tallis.cluster.records;

import java.util.UUID;

/// Who this node is for the others: the UUID of its data directory, the name its operator gave it, and where clients
/// reach it (`host:port`).
public record Self(UUID uuid, String name, String clientAddress) {}
