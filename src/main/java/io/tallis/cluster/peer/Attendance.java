package io.tallis.cluster.peer;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Whether all nodes of the cluster are there, which is what they need to agree on a fold or a purge, and which of them
/// are away.
public final class Attendance {
    private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Peers peers;
    private final UUID self;
    private final Supplier<Set<UUID>> nodes;
    private final LongSupplier nodesHash;
    private final LongSupplier foldsHash;
    private final Supplier<Standing> standing;
    private final BooleanSupplier serves;
    private final Map<UUID, Long> awaySince = new HashMap<>();

    /// `nodes` are the ids of all nodes there are, `nodesHash` a hash of what is known of them, `foldsHash` one of the
    /// folds that were made here. `standing` and `serves` are those of this node.
    public Attendance(
            Peers peers,
            UUID self,
            Supplier<Set<UUID>> nodes,
            LongSupplier nodesHash,
            LongSupplier foldsHash,
            Supplier<Standing> standing,
            BooleanSupplier serves) {
        this.peers = peers;
        this.self = self;
        this.nodes = nodes;
        this.nodesHash = nodesHash;
        this.foldsHash = foldsHash;
        this.standing = standing;
        this.serves = serves;
    }

    /// Whether all nodes there are can be reached, serve, have the same standing, which is complete, and know the same
    /// nodes and folds.
    public boolean areAllHere() {
        Standing own = standing.get();
        Set<UUID> here = new HashSet<>();
        here.add(self);
        for (Peer peer : peers.all()) {
            Beat beat = peer.beat();
            if (beat == null
                    || !peer.serves()
                    || !beat.standing().equals(own)
                    || beat.nodesHash() != nodesHash.getAsLong()
                    || beat.folds().made() != foldsHash.getAsLong()
                    || !here.add(beat.self().uuid())) {
                return false;
            }
        }
        return own.complete() && serves.getAsBoolean() && here.equals(nodes.get());
    }

    /// Whether this node proposes: of the nodes that can reach each other, it has the lowest session.
    public boolean isProposer(Sessions sessions) {
        return peers.all().stream().allMatch(peer -> peer.session().compareTo(sessions.self()) > 0);
    }

    /// How many nodes are here, this one included: those that serve, and have been reachable for so long that what they
    /// had counted before has usually come.
    public int here(long now) {
        return 1
                + (int) peers.all().stream()
                        .filter(peer -> peer.serves() && now - peer.since() >= SETTLED_NANOS)
                        .map(Peer::uuid)
                        .filter(node -> !self.equals(node))
                        .distinct()
                        .count();
    }

    /// The nodes that are unreachable or do not serve, and for how many milliseconds they have been so at least. To be
    /// called a few times a second, since it compares with the last call.
    public Map<UUID, Long> away(long now) {
        Set<UUID> away = new HashSet<>(nodes.get());
        away.remove(self);
        peers.all().stream().filter(Peer::serves).forEach(peer -> away.remove(peer.uuid()));
        awaySince.keySet().retainAll(away);
        away.forEach(node -> awaySince.putIfAbsent(node, now));
        Map<UUID, Long> times = HashMap.newHashMap(away.size());
        awaySince.forEach((node, since) -> times.put(node, TimeUnit.NANOSECONDS.toMillis(now - since)));
        return times;
    }
}
