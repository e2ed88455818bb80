package io.tallis.cluster.join;

import java.time.Duration;

/// When a node that starts may serve; see [Joining].
///
/// `expectsOthers` is whether settings name other nodes. `aloneTimeout` is how long a complete node that finds no
/// other serves nobody, and how long an empty node looks for a cluster before it founds one; with [#FOR_EVER] it waits
/// for an operator. `joinTimeout` is how long a complete node that makes no progress with joining waits before it
/// serves what it has. `hold` keeps it from serving until an operator says so. `donor` names the node to pull from,
/// empty for any. `bootstrapExpect` is how many empty nodes, this one among them, have to see each other before one of
/// them founds a cluster; 0 is never.
public record JoiningSettings(
        boolean expectsOthers,
        Duration aloneTimeout,
        Duration joinTimeout,
        boolean hold,
        String donor,
        int bootstrapExpect) {
    public static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);
}
