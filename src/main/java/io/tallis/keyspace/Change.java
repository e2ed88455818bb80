package io.tallis.keyspace;

/// How a cell came to change: for a client of this node or not, and whether something was reset.
enum Change {
    OWN,
    OWN_RESET,
    MERGED,
    MERGED_RESET;

    boolean isOwn() {
        return this == OWN || this == OWN_RESET;
    }

    boolean isReset() {
        return this == OWN_RESET || this == MERGED_RESET;
    }
}
