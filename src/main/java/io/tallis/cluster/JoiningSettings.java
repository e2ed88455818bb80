package io.tallis.cluster;

import java.time.Duration;

/// When a node that starts may serve.
///
/// `expectsOthers` is whether settings or the registry say that there are other nodes. A node that sees none, and
/// expects some or has no counters, waits `aloneTimeout` before it serves by itself; with [#FOR_EVER] it never does,
/// unless an operator tells it to. `joinTimeout` is how long a node gets no further before it serves though it is not
/// in step. `hold` keeps it from serving until it is told to. `donor` names the node to pull from, empty for whichever.
public record JoiningSettings(
        boolean expectsOthers, Duration aloneTimeout, Duration joinTimeout, boolean hold, String donor) {
    public static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    /// The same for a node that must not serve by itself.
    JoiningSettings waitingForOthers() {
        return new JoiningSettings(true, FOR_EVER, joinTimeout, hold, donor);
    }

    /// The same for a node that knows of others.
    JoiningSettings expectingOthers() {
        return new JoiningSettings(true, aloneTimeout, joinTimeout, hold, donor);
    }
}
