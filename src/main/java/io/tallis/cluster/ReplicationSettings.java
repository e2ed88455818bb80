package io.tallis.cluster;

import io.tallis.cluster.join.JoiningSettings;

/// The settings of replication.
///
/// `bulkBytesPerSecond` bounds the answers and pulled cells that this node sends, and its DELTA frames by as many
/// again; `rotationBytesPerSecond` bounds the rotation. `mostBytes` is how much memory counters may take before no more
/// cells of others are merged. `newestVersion` is the newest version of the protocol that this node understands. Shards
/// of a session are folded when it has been unreachable for `foldAfterNanos`.
public record ReplicationSettings(
        JoiningSettings joining,
        long bulkBytesPerSecond,
        long rotationBytesPerSecond,
        long mostBytes,
        int newestVersion,
        long foldAfterNanos) {}
