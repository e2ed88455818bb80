package io.tallis.cluster;

import java.time.Duration;

/// How a node replicates.
///
/// With an `aloneTimeout` of [#FOR_EVER] it never serves by itself, unless an operator tells it to.
///
/// `expectsOthers` is whether seeds or the registry name other nodes; then a node that sees none waits
/// `aloneTimeout` before it serves by itself. `joinTimeout` is after what time a node serves though it is not in step.
/// `hold` keeps it from serving until it is told to. `donor` names the node to pull from when joining, empty for
/// whichever.
/// `bulkBytesPerSecond` bounds answers and pulls that this node provides, and own changes by as many again;
/// `rotationBytesPerSecond` bounds the rotation.
/// `mostBytes` is what counters may take before nothing more of others is merged. `newestVersion` is the newest version
/// of the protocol that it speaks.
public record ReplicationSettings(
        boolean expectsOthers,
        Duration aloneTimeout,
        Duration joinTimeout,
        boolean hold,
        String donor,
        long bulkBytesPerSecond,
        long rotationBytesPerSecond,
        long mostBytes,
        int newestVersion) {
    public static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    /// The same for a node that knows of others.
    public ReplicationSettings expectingOthers() {
        return new ReplicationSettings(
                true,
                aloneTimeout,
                joinTimeout,
                hold,
                donor,
                bulkBytesPerSecond,
                rotationBytesPerSecond,
                mostBytes,
                newestVersion);
    }
}
