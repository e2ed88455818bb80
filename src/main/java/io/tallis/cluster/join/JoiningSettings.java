package io.tallis.cluster.join;

import java.time.Duration;

/// The settings of [Joining].
///
/// `expectsOthers` is whether the settings name other nodes. `aloneTimeout` is how long a complete node that reaches no
/// other one waits before it serves, and how long an empty node looks for a cluster before it founds one; with
/// [#FOR_EVER] it waits for an operator. `joinTimeout` is how long a complete node waits when joining makes no progress
/// before it serves what it has. `hold` keeps it from serving until an operator says `SYSTEM READY`. `donor` names the
/// node to pull from, empty for any. `bootstrapExpect` is how many empty nodes, this one included, have to reach each
/// other before one of them founds a cluster; 0 is never. `foundBy` lists the settings by which nodes of one cluster
/// find each other, for what operators are told.
public record JoiningSettings(
        boolean expectsOthers,
        Duration aloneTimeout,
        Duration joinTimeout,
        boolean hold,
        String donor,
        int bootstrapExpect,
        String foundBy) {
    public static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);
}
