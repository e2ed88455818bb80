package io.tallis.cluster;

/// How a node replicates.
///
/// `bulkBytesPerSecond` bounds answers and pulls that this node provides, and own changes by as many again;
/// `rotationBytesPerSecond` bounds the rotation. `mostBytes` is what counters may take before nothing more of others
/// is merged. `newestVersion` is the newest version of the protocol that it speaks.
public record ReplicationSettings(
        JoiningSettings joining,
        long bulkBytesPerSecond,
        long rotationBytesPerSecond,
        long mostBytes,
        int newestVersion) {
    /// The same for a node that knows of others.
    public ReplicationSettings expectingOthers() {
        return joining(joining.expectingOthers());
    }

    /// The same for a node that has a part of what others have.
    public ReplicationSettings withPart() {
        return joining(joining.withPart());
    }

    private ReplicationSettings joining(JoiningSettings other) {
        return new ReplicationSettings(other, bulkBytesPerSecond, rotationBytesPerSecond, mostBytes, newestVersion);
    }
}
