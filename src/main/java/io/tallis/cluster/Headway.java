package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import java.util.HashSet;
import java.util.Set;

/// Whether a session that joins gets on: not with what only comes again to where it was, nor, while its targets stand
/// still, with what others count meanwhile.
final class Headway {
    private final Pulls pulls;
    private final Targets targets;
    private long pulled;
    private long answered = Long.MIN_VALUE;

    /// Who has given all that it has since the targets came nearer: each may have what is missing, and each but once.
    private final Set<ReplicaId> heard = new HashSet<>();

    /// How far a round has come at most since then.
    private int settled;

    Headway(Pulls pulls, Targets targets) {
        this.pulls = pulls;
        this.targets = targets;
    }

    /// Whether it has come further than it ever was: with what it pulls or, where the targets stand still, with the
    /// answers that it needs, or with a round that may bring them.
    boolean isMade(boolean targetsStandStill) {
        boolean pulledMore = hasPulledMore();
        if (targetsStandStill) {
            return isNearer() || hasSettledMore() || hasHeardAnother();
        }
        if (pulledMore) {
            answered = Long.MIN_VALUE;
            beginAgain();
        }
        return pulledMore;
    }

    private boolean hasPulledMore() {
        long before = pulled;
        pulled = Math.max(pulled, pulls.progress());
        return pulled > before;
    }

    private boolean isNearer() {
        long before = answered;
        answered = Math.max(answered, targets.answered());
        if (answered > before) {
            beginAgain();
        }
        return answered > before;
    }

    private void beginAgain() {
        heard.clear();
        settled = 0;
    }

    private boolean hasSettledMore() {
        int before = settled;
        settled = Math.max(settled, pulls.settled());
        return settled > before;
    }

    private boolean hasHeardAnother() {
        return heard.addAll(pulls.lastRound().stream().map(Pull::provider).toList());
    }
}
