package io.tallis.keyspace;

/// How many bytes the records of one partition may have, and for whom.
///
/// Keys spread evenly, and a partition has about a thousandth of all. One that has much more is the work of somebody
/// who chooses keys, and what is done with a partition as a whole, moving its records or making its digest, takes
/// memory in proportion. So clients are refused new counters where a partition has many times its share.
///
/// Merges are not, since what others have counted has to be known here: they may take more than clients of two sides of
/// a cut cluster could. A change of what is there may take a little more than they, so that what all nodes have can
/// still be deleted.
///
/// However records come to stand, each chunk but the last has more than half of its bytes in use, so that [#CHANGES]
/// bytes fit the chunks of an arena in any order: that of clients, of the database, of a compaction. What the database
/// or the journal has is therefore taken without a bound.
final class Bounds {
    static final int CHANGES = 112 << 20;
    static final int MERGES = 104 << 20;

    /// More than a reset adds to a cell of [#SHARDS].
    static final int RESET = 4 << 20;

    /// So many shards a counter has at most after a merge that brings any: as many as fit the largest frame, however
    /// wide they are. Each life of this node that changes it may add one more.
    static final int SHARDS = 1 << 16;

    private static final int MOST_OF_CLIENTS = 48 << 20;
    private static final int LEAST_OF_CLIENTS = 1 << 20;
    private static final int PART = 64;

    private Bounds() {}

    /// How many clients of a node with so large a heap may fill.
    static int ofClients(long mostHeap) {
        return Math.clamp(mostHeap / PART, LEAST_OF_CLIENTS, MOST_OF_CLIENTS);
    }
}
