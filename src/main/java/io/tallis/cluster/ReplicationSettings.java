package io.tallis.cluster;

import io.tallis.cluster.join.JoiningSettings;

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
        int newestVersion) {}
