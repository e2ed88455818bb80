package io.tallis.cluster;

import java.time.Duration;

/// When a node that starts may serve.
///
/// `expectsOthers` is whether seeds or the registry name other nodes; then a node that sees none waits
/// `aloneTimeout` before it serves by itself, and with [#FOR_EVER] it never does, unless an operator tells it to.
/// `joinTimeout` is after what time a node serves though it is not in step. `hold` keeps it from serving until it is
/// told to. `donor` names the node to pull from, empty for whichever.
public record JoiningSettings(
        boolean expectsOthers, Duration aloneTimeout, Duration joinTimeout, boolean hold, String donor) {
    public static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    /// The same for a node that knows of others.
    JoiningSettings expectingOthers() {
        return new JoiningSettings(true, aloneTimeout, joinTimeout, hold, donor);
    }
}
