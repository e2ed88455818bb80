package io.tallis.command.limit;

import io.tallis.command.cluster.Cluster;

/// The part of a limit that the nodes on this side of a partition may admit, so that all sides together keep to the
/// limit: as much as `here` is of `known`, how many nodes there are on this side and in all.
///
/// At least one request is admitted. Until a node notices that it is cut off, after about two seconds, it admits the
/// whole limit.
record Share(int here, int known) {
    private static final Share WHOLE = new Share(1, 1);

    /// The share of this node at present; all of the limit if the request does not ask for shares.
    static Share now(boolean asked, Cluster cluster) {
        if (!asked) {
            return WHOLE;
        }
        Cluster.Reach reach = cluster.reach();
        return new Share(reach.here(), reach.known());
    }

    boolean isWhole() {
        return here >= known;
    }

    /// The part of a number of requests.
    long of(long limit) {
        return isWhole() ? limit : Math.max(Math.min(1, limit), limit / known * here + limit % known * here / known);
    }

    /// The time between two requests at the part of a rate, of which this is the time; `most` bounds it.
    long interval(long nanos, long most) {
        return isWhole() ? nanos : Math.min(most, (long) Math.ceil((double) nanos * known / here));
    }
}
