package io.tallis.cluster;

import java.time.Duration;

/// When a node that starts may serve.
///
/// `expectsOthers` is whether settings or the registry say that there are other nodes. A node that sees none, and
/// expects some or has no counters, waits `aloneTimeout` before it serves by itself; with [#FOR_EVER] it never does,
/// unless an operator tells it to. `joinTimeout` is how long a node gets no further before it serves though it is not
/// in step. `hold` keeps it from serving until it is told to. `donor` names the node to pull from, empty for whichever.
/// `hasPart` is whether its counters may be a part of what others have, and up to `few` cells more than twice as many
/// as here prove nothing of the kind, see [OwnShare].
public record JoiningSettings(
        boolean expectsOthers,
        Duration aloneTimeout,
        Duration joinTimeout,
        boolean hold,
        String donor,
        boolean hasPart,
        long few) {
    public static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    /// As many as others may have because a load of new keys has only just begun.
    private static final long FEW = 1_000;

    /// For a node that has all that it ever had.
    public JoiningSettings(
            boolean expectsOthers, Duration aloneTimeout, Duration joinTimeout, boolean hold, String donor) {
        this(expectsOthers, aloneTimeout, joinTimeout, hold, donor, false, FEW);
    }

    /// The same for a node that has a part of what others have.
    JoiningSettings withPart() {
        return new JoiningSettings(expectsOthers, aloneTimeout, joinTimeout, hold, donor, true, few);
    }

    /// The same for a node that knows of others.
    JoiningSettings expectingOthers() {
        return new JoiningSettings(true, aloneTimeout, joinTimeout, hold, donor, hasPart, few);
    }
}
