package io.tallis.cluster;

import java.util.concurrent.TimeUnit;

/// Looks when a session that serves with a part, as an operator wanted or since it did not get on, has all: it gets the
/// rest as members get anything.
final class PartInService {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /// How often it asks itself what all is.
    private static final long TARGETS_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Sessions sessions;
    private final Targets targets;
    private final OwnShare share;
    private final EventSink events;
    private long nextLook = Long.MIN_VALUE;
    private long nextTargets = Long.MIN_VALUE;

    PartInService(Sessions sessions, Targets targets, OwnShare share, EventSink events) {
        this.sessions = sessions;
        this.targets = targets;
        this.share = share;
        this.events = events;
    }

    /// Looks, if it is time. Returns when to be called again.
    long tick(long now) {
        if (share.isWhole()) {
            return Long.MAX_VALUE;
        }
        if (now >= nextLook) {
            nextLook = now + LOOK_NANOS;
            share.look(now);
        }
        if (share.isWhole()) {
            targets.clear();
            events.happened(
                    share.isWholeByWord()
                            ? "takes what it has for all that there is, as an operator wants: nobody is there who has more"
                            : "has all that those have who are there and have all; what it serves is no part any more");
        } else if (now >= nextTargets) {
            nextTargets = now + TARGETS_NANOS;
            targets.setTo(sessions.present().stream()
                    .filter(peer -> peer.beat() != null)
                    .toList());
        }
        return nextLook;
    }
}
