package io.tallis.cluster;

import java.util.concurrent.TimeUnit;

/// Looks when a session that serves with a part has all: as an operator wanted, since it did not get on, or because it
/// met one that has far more. It gets the rest as members get anything.
final class PartInService {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /// How often it asks itself what all is.
    private static final long TARGETS_NANOS = TimeUnit.SECONDS.toNanos(2);

    /// Most have all so soon that nobody need know of the part.
    private static final long TOLD_AFTER_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Sessions sessions;
    private final Pulls pulls;
    private final Targets targets;
    private final OwnShare share;
    private final EventSink events;
    private long nextLook = Long.MIN_VALUE;
    private long nextTargets = Long.MIN_VALUE;
    private long since = Long.MAX_VALUE;
    private long rounds;
    private boolean told;

    PartInService(Sessions sessions, Pulls pulls, Targets targets, OwnShare share, EventSink events) {
        this.sessions = sessions;
        this.pulls = pulls;
        this.targets = targets;
        this.share = share;
        this.events = events;
    }

    /// Looks, if it is time. Returns when to be called again.
    long tick(long now) {
        boolean wasWhole = share.isWhole();
        if (rounds != pulls.ended()) {
            rounds = pulls.ended();
            targets.raise(pulls.lastRound());
        }
        if (wasWhole || now >= nextLook) {
            nextLook = now + LOOK_NANOS;
            share.look(now);
        }
        if (wasWhole && share.isWhole()) {
            return Long.MAX_VALUE;
        }
        if (wasWhole) {
            nextTargets = now;
        }
        if (share.isWhole()) {
            isOver();
        } else {
            tell(now);
            if (now >= nextTargets) {
                nextTargets = now + TARGETS_NANOS;
                targets.setTo(sessions.present().stream()
                        .filter(peer -> peer.beat() != null)
                        .toList());
            }
        }
        return nextLook;
    }

    private void tell(long now) {
        since = Math.min(since, now);
        if (!told && share.lacksSomething() && now - since >= TOLD_AFTER_NANOS) {
            told = true;
            events.happened("serves a part of the counters, so that values may be too low, until it has what those have"
                    + " who are whole, and not far less than one that was seen. Where those are gone for good, SYSTEM"
                    + " READY takes what it has for all, or what the whole ones have who are there");
        }
    }

    private void isOver() {
        targets.clear();
        if (share.isWholeByWord()) {
            events.happened("takes what it has for all that there is, as an operator wants: nobody whole is there, and"
                    + " nobody who has more");
        } else if (told) {
            events.happened("has all that those have who are there and are whole; what it serves is no part any more");
        }
        since = Long.MAX_VALUE;
        told = false;
    }

    /// The process has stood still for so long, and has got nothing meanwhile.
    void stoodStill(long nanos) {
        since += since == Long.MAX_VALUE ? 0 : nanos;
    }
}
