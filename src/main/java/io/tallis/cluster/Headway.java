package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import java.util.HashMap;
import java.util.Map;

/// Whether a session that joins gets on: not with what only comes again to where it was, nor, while its targets stand
/// still, with what others count meanwhile.
final class Headway {
    private final Pulls pulls;
    private final Targets targets;
    private long pulled;
    private long answered = Long.MIN_VALUE;

    /// How many partitions a pull from each has settled at most, since the targets came nearer or a pull brought
    /// something: each may have what is missing, and each but once.
    private final Map<ReplicaId, Integer> settled = new HashMap<>();

    Headway(Pulls pulls, Targets targets) {
        this.pulls = pulls;
        this.targets = targets;
    }

    /// Whether it has come further than it ever was: with what it pulls or, where the targets stand still, with the
    /// answers that it needs; or with a pull that may bring them.
    boolean isMade(boolean targetsStandStill) {
        boolean pulledMore = hasPulledMore();
        boolean nearer = targetsStandStill ? isNearer() : pulledMore;
        if (nearer) {
            settled.clear();
        }
        if (pulledMore && !targetsStandStill) {
            answered = Long.MIN_VALUE;
        }
        return hasSettledMore() || nearer;
    }

    private boolean hasPulledMore() {
        long before = pulled;
        pulled = Math.max(pulled, pulls.progress());
        return pulled > before;
    }

    private boolean isNearer() {
        long before = answered;
        answered = Math.max(answered, targets.answered());
        return answered > before;
    }

    private boolean hasSettledMore() {
        boolean more = false;
        for (Pull pull : pulls.running()) {
            int before = settled.getOrDefault(pull.provider(), 0);
            if (pull.settled() > before) {
                settled.put(pull.provider(), pull.settled());
                more = true;
            }
        }
        return more;
    }
}
