package io.tallis.cluster.peer;

import org.jspecify.annotations.Nullable;

/// Which cluster a node belongs to, whether it is complete, and the last purge that it knows of. Kept in the data
/// directory and sent in beats.
///
///     NONE          the node belongs to no cluster yet
///     incomplete    the node may lack any part of the cluster's counters, and serves only if an operator says so
///     complete      the node once had all that the cluster had; what was counted elsewhere since comes by replication
///
/// `readyFor` is the id of the last purge for which the node was ready, 0 if there was none. It is kept on disk only.
public record Standing(@Nullable ClusterId cluster, boolean complete, Purge purge, long readyFor) {
    public static final Standing NONE = new Standing(null, false, Purge.NONE, 0);

    private static final int HEX = 16;
    private static final String COMPLETE = "complete";
    private static final String INCOMPLETE = "incomplete";

    public Standing {
        if (cluster == null && complete) {
            throw new IllegalArgumentException("complete without a cluster");
        }
    }

    public static Standing incomplete(ClusterId cluster) {
        return new Standing(cluster, false, Purge.NONE, 0);
    }

    public static Standing complete(ClusterId cluster) {
        return new Standing(cluster, true, Purge.NONE, 0);
    }

    /// The same with `last` as the last purge.
    public Standing after(Purge last) {
        return new Standing(cluster, complete, last, readyFor);
    }

    public Standing readyFor(long nextPurge) {
        return new Standing(cluster, complete, purge, nextPurge);
    }

    /// The id of a purge for which the node was ready, and which may have been made without that it knows; 0 if there
    /// is none.
    public long undecided() {
        return readyFor == purge.id() ? 0 : readyFor;
    }

    /// What beats say of it, besides [#undecided].
    public Standing told() {
        return readyFor(0);
    }

    /// Whether the node did not take part in a purge of its cluster, so that its cells may be deleted ones.
    public boolean isBehind(Purge later) {
        return later.isLaterThan(purge) && later.id() != readyFor;
    }

    /// What an operator has to know of a node that is behind `later`.
    public String whyBehind(Purge later) {
        return "the other nodes have dropped deleted counters without this node (purge " + later + ", here " + purge
                + "): it was away, and SYSTEM FORGET said for good, or its directory is an old copy. It would bring"
                + " them back. Start the node with an empty data directory: it gets all counters from the others."
                + " SYSTEM FORGET the old one after that";
    }

    public boolean isNone() {
        return cluster == null;
    }

    public boolean isCompleteFor(ClusterId other) {
        return complete && other.equals(cluster);
    }

    /// Whether it is complete for a cluster that was founded before `other`.
    public boolean isCompleteForEarlierThan(ClusterId other) {
        return complete && cluster != null && cluster.isEarlierThan(other);
    }

    /// The content of the file `cluster` in a data directory.
    public String toText() {
        if (cluster == null) {
            return "";
        }
        String purges = purge.equals(Purge.NONE) && readyFor == 0 ? "" : " " + purge + " " + Long.toHexString(readyFor);
        return cluster + " " + (complete ? COMPLETE : INCOMPLETE) + purges + "\n";
    }

    /// Reads what [#toText] wrote. Throws [IllegalArgumentException] for anything else.
    public static Standing parse(String text) {
        String[] words = text.strip().split(" ", -1);
        boolean hasPurges = words.length == 4;
        if (!(hasPurges || words.length == 2) || !(words[1].equals(COMPLETE) || words[1].equals(INCOMPLETE))) {
            throw new IllegalArgumentException("neither complete nor incomplete: " + text.strip());
        }
        return new Standing(
                ClusterId.parse(words[0]),
                words[1].equals(COMPLETE),
                hasPurges ? Purge.parse(words[2]) : Purge.NONE,
                hasPurges ? Long.parseUnsignedLong(words[3], HEX) : 0);
    }
}
