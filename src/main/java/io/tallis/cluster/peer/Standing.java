package io.tallis.cluster.peer;

import org.jspecify.annotations.Nullable;

/// Which cluster a node belongs to, and whether it is complete. Kept in the data directory and sent in beats.
///
///     NONE          the node belongs to no cluster yet
///     incomplete    the node may lack any part of the cluster's counters, and serves only if an operator says so
///     complete      the node once had all that the cluster had; what was counted elsewhere since comes by replication
public record Standing(@Nullable ClusterId cluster, boolean complete) {
    public static final Standing NONE = new Standing(null, false);

    private static final String COMPLETE = "complete";
    private static final String INCOMPLETE = "incomplete";

    public Standing {
        if (cluster == null && complete) {
            throw new IllegalArgumentException("complete without a cluster");
        }
    }

    public static Standing incomplete(ClusterId cluster) {
        return new Standing(cluster, false);
    }

    public static Standing complete(ClusterId cluster) {
        return new Standing(cluster, true);
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
        return cluster == null ? "" : cluster + " " + (complete ? COMPLETE : INCOMPLETE) + "\n";
    }

    /// Reads what [#toText] wrote. Throws [IllegalArgumentException] for anything else.
    public static Standing parse(String text) {
        String[] words = text.strip().split(" ", -1);
        if (words.length != 2 || !(words[1].equals(COMPLETE) || words[1].equals(INCOMPLETE))) {
            throw new IllegalArgumentException("neither complete nor incomplete: " + text.strip());
        }
        return new Standing(ClusterId.parse(words[0]), words[1].equals(COMPLETE));
    }
}
