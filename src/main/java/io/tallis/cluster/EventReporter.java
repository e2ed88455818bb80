package io.tallis.cluster;

import io.tallis.cluster.records.Chronicle;
import io.tallis.crdt.ReplicaId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/// Writes cluster conditions that an operator should know into the [Chronicle]: peers that appear and disappear, nodes
/// with the same identity, and trouble with this node's disk or memory.
///
/// Is called with the present state and writes an event only when that has changed. Belongs to the replicator's thread.
final class EventReporter {
    /// Pairs of sessions with the same identity are reported once each; of more pairs than this none is reported.
    static final int MOST_PAIRS = 4096;

    private static final int DIGITS_SHOWN = 8;

    /// The identity of a reachable session, as its beats give it.
    record Identity(ReplicaId session, UUID uuid, String name) {}

    private record Pair(Set<ReplicaId> sessions, boolean sameNode) {}

    private final Chronicle chronicle;
    private final Set<Pair> reportedPairs = new HashSet<>();
    private boolean journalFails;
    private boolean memoryFull;
    private boolean refusedCells;

    EventReporter(Chronicle chronicle) {
        this.chronicle = chronicle;
    }

    void reachable(Identity peer) {
        chronicle.record("reaches " + shown(peer));
    }

    void unreachable(Identity peer) {
        chronicle.record("no longer reaches " + shown(peer));
    }

    private static String shown(Identity peer) {
        return peer.name() + " (session " + peer.session().toString().substring(0, DIGITS_SHOWN) + ")";
    }

    /// Warns of sessions in `reachable` that share a UUID or a name: each belongs to one node.
    void checkDuplicates(List<Identity> reachable) {
        for (int i = 0; i < reachable.size(); i++) {
            for (Identity other : reachable.subList(i + 1, reachable.size())) {
                compare(reachable.get(i), other);
            }
        }
    }

    private void compare(Identity one, Identity other) {
        boolean sameNode = one.uuid().equals(other.uuid());
        if (!sameNode && !one.name().equals(other.name())) {
            return;
        }
        Pair pair = new Pair(Set.of(one.session(), other.session()), sameNode);
        if (reportedPairs.size() < MOST_PAIRS && reportedPairs.add(pair)) {
            String fault = sameNode
                    ? "the same node UUID (a copied data directory?). When its counts are on other nodes, restart one with an"
                            + " empty directory"
                    : "the same name; rename one of them";
            chronicle.recordWarning("finds that " + shown(one) + " and " + shown(other) + " have " + fault);
        }
    }

    /// The peer's clock is so many milliseconds ahead of this node's; `differs` is whether that is too much.
    void clock(Identity peer, boolean differs, long aheadMillis) {
        if (differs) {
            chronicle.recordWarning("has a clock that is " + Math.abs(aheadMillis) / 1000.0 + " seconds "
                    + (aheadMillis > 0 ? "behind" : "ahead of") + " that of " + shown(peer)
                    + ": one of the two clocks is wrong. Set the clocks, by NTP");
        } else {
            chronicle.record("has the same time again as " + shown(peer));
        }
    }

    /// `fails` is whether the journal refuses what this node merges.
    void journal(boolean fails) {
        if (fails != journalFails) {
            journalFails = fails;
            if (fails) {
                chronicle.recordWarning(
                        "cannot write changes of other nodes to its journal, and does not acknowledge them");
            } else {
                chronicle.record("writes changes of other nodes to its journal again");
            }
        }
    }

    /// `full` is whether changes of other nodes are dropped for lack of memory.
    void memory(boolean full) {
        if (full != memoryFull) {
            memoryFull = full;
            if (full) {
                chronicle.recordWarning(
                        "is out of memory and merges no more changes of other nodes: restart it with a larger heap");
            } else {
                chronicle.record("has memory again and merges changes of other nodes");
            }
        }
    }

    /// `any` is whether a cell was ever refused because its partition or its shard list is full; reported once.
    void refusedCells(boolean any) {
        if (any && !refusedCells) {
            refusedCells = true;
            chronicle.recordWarning(
                    "cannot store some counters of other nodes (a full partition, or 65,536 shards of one counter)."
                            + " It merges the others as they arrive, and asks for missing ones only after a restart");
        }
    }
}
