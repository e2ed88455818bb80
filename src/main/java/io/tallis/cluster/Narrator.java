package io.tallis.cluster;

import io.tallis.cluster.records.Chronicle;
import io.tallis.crdt.ReplicaId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/// Tells the chronicle who comes and goes, who is there twice, and whether merges find memory and reach the disk.
///
/// Two sessions that should be one are told of once; there is room for [#MOST_TOLD_ONCE] such pairs, and those after
/// them are not told. Belongs to the replicator's thread.
final class Narrator {
    static final int MOST_TOLD_ONCE = 4096;

    private static final int DIGITS_SHOWN = 8;

    /// Who a present session says it is.
    record Identity(ReplicaId session, UUID uuid, String name) {}

    private record Pair(Set<ReplicaId> sessions, boolean sameNode) {}

    private final Chronicle chronicle;
    private final Set<Pair> toldOnce = new HashSet<>();
    private boolean mergesLost;
    private boolean memoryFull;
    private boolean lacks;

    Narrator(Chronicle chronicle) {
        this.chronicle = chronicle;
    }

    void joined(Identity peer) {
        chronicle.tell("sees " + shown(peer));
    }

    void left(Identity peer) {
        chronicle.tell("does not see " + shown(peer) + " any more");
    }

    private static String shown(Identity peer) {
        return peer.name() + " (session " + peer.session().toString().substring(0, DIGITS_SHOWN) + ")";
    }

    /// These are there together. Of two with one UUID or one name, one is there by mistake.
    void present(List<Identity> all) {
        for (int i = 0; i < all.size(); i++) {
            for (Identity other : all.subList(i + 1, all.size())) {
                compare(all.get(i), other);
            }
        }
    }

    private void compare(Identity one, Identity other) {
        boolean sameNode = one.uuid().equals(other.uuid());
        if (!sameNode && !one.name().equals(other.name())) {
            return;
        }
        Pair pair = new Pair(Set.of(one.session(), other.session()), sameNode);
        if (toldOnce.size() < MOST_TOLD_ONCE && toldOnce.add(pair)) {
            String fault = sameNode
                    ? "one UUID: a copied data directory? When others have all that one of them counted, give it an empty one and"
                            + " --cluster-alone-timeout 0"
                    : "one name: give one another";
            chronicle.warn("hears that " + shown(one) + " and " + shown(other) + " have " + fault);
        }
    }

    /// Whether the journal takes what is merged; tells of changes only.
    void merges(boolean lost) {
        if (lost != mergesLost) {
            mergesLost = lost;
            if (lost) {
                chronicle.warn("cannot write what others tell to its disk, and does not count as having it");
            } else {
                chronicle.tell("writes what others tell to its disk again");
            }
        }
    }

    /// Whether there is memory for what others count; tells of changes only.
    void memory(boolean full) {
        if (full != memoryFull) {
            memoryFull = full;
            if (full) {
                chronicle.warn("has no memory left for what others count, and takes in no more of it: it needs a larger"
                        + " heap, and a start");
            } else {
                chronicle.tell("takes in again what others count");
            }
        }
    }

    /// Whether some counter had no room; tells it once.
    void room(boolean lacking) {
        if (lacking && !lacks) {
            lacks = true;
            chronicle.warn("has no room for some of what others count: for keys that were chosen to fill one place of"
                    + " the memory, or a counter with a share of 65,536 lives. It goes on with all others, as far as they"
                    + " are sent to it, and once it serves asks for nothing more until it is started again");
        }
    }
}
