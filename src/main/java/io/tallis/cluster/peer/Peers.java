package io.tallis.cluster.peer;

import io.tallis.cluster.frame.Frame;
import io.tallis.crdt.ReplicaId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The peers that can be reached. A peer is *reachable* when a frame of it arrived within [#boundNanos] on the
/// [AwakeClock]. Everything in replication that asks whether a node is there asks this.
///
/// The view of the transport is another matter. It says where the transport's reliable sends go, and which nodes it
/// believes to exist. It is early at times (a member that was never heard), late at others (a peer that is back after a
/// partition is heard one to four seconds before the views merge; a member that was frozen stays in it), so nothing
/// else is decided by it: [#members] tells a node that joins whom it may yet hear, and beats which peers a multicast
/// does not get to.
///
/// At most [#MOST] peers are kept. Frames of others are merged, but they are not answered, asked or waited for.
public final class Peers {
    static final int MOST = 1_024;

    /// Five beats of a small cluster, and half a second for a slow line on which an answer of 50 kB delays them.
    private static final long LEAST_BOUND_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    private static final int BEATS = 5;

    /// How much longer a peer stays reachable while frames wait in this node's inbox: its own may be among them.
    private static final int BACKLOG_FACTOR = 6;

    private final ReplicaId self;
    private final Map<ReplicaId, Peer> reachable = new LinkedHashMap<>();
    private Set<ReplicaId> members = Set.of();
    private boolean viewed;
    private long membersSince;
    private long connectedSince;

    public Peers(ReplicaId self) {
        this.self = self;
    }

    /// How long a peer that is silent stays reachable.
    long boundNanos() {
        return Math.max(LEAST_BOUND_NANOS, BEATS * Beats.intervalNanos(count()));
    }

    /// How many sessions hear each other, this one included.
    public int count() {
        return reachable.size() + 1;
    }

    /// A frame of `session` arrived. Returns its peer; null when there are too many.
    @Nullable
    public Peer heard(ReplicaId session, long head, long now) {
        Peer peer = reachable.get(session);
        if (peer == null) {
            if (reachable.size() >= MOST) {
                return null;
            }
            peer = new Peer(session, now);
            reachable.put(session, peer);
        }
        peer.heard(head, now);
        return peer;
    }

    /// Removes the peers that were silent for too long, and returns their sessions; `backlog` is whether frames wait in
    /// the inbox.
    public List<ReplicaId> removeSilent(long now, boolean backlog) {
        long bound = backlog ? BACKLOG_FACTOR * boundNanos() : boundNanos();
        List<ReplicaId> removed = List.of();
        for (Iterator<Peer> it = reachable.values().iterator(); it.hasNext(); ) {
            Peer peer = it.next();
            if (now - peer.lastHeard() > bound) {
                it.remove();
                removed = removed.isEmpty() ? new ArrayList<>() : removed;
                removed.add(peer.session());
            }
        }
        return removed;
    }

    public Collection<Peer> all() {
        return reachable.values();
    }

    /// Those that have told how they stand.
    public Stream<Peer> withBeat() {
        return reachable.values().stream().filter(peer -> peer.beat() != null);
    }

    @Nullable
    public Peer get(ReplicaId session) {
        return reachable.get(session);
    }

    public boolean isReachable(ReplicaId session) {
        return reachable.containsKey(session);
    }

    /// This session and its peers, in an order that all agree on.
    public List<ReplicaId> inOrder() {
        Set<ReplicaId> all = new TreeSet<>(reachable.keySet());
        all.add(self);
        return List.copyOf(all);
    }

    /// The newest version of the protocol that all peers speak, as far as they have told; at most `newest`.
    public int versionOfAll(int newest) {
        int version = newest;
        for (Peer peer : reachable.values()) {
            Beat beat = peer.beat();
            version = Math.min(version, beat == null ? Frame.OLDEST_VERSION : beat.newestVersion());
        }
        return Math.max(Frame.OLDEST_VERSION, version);
    }

    /// The transport has another view.
    public void view(Collection<ReplicaId> view, long now) {
        if (!viewed || !members.equals(Set.copyOf(view))) {
            membersSince = now;
        }
        connectedSince = viewed ? connectedSince : now;
        viewed = true;
        members = Set.copyOf(view);
    }

    /// Whether the transport takes part in the network: it had a view.
    public boolean isConnected() {
        return viewed;
    }

    /// When that was.
    public long connectedSince() {
        return connectedSince;
    }

    /// Since when the view has been what it is.
    public long viewSince() {
        return membersSince;
    }

    /// Whether a member of the view has not told how it stands.
    public boolean mayHearMore() {
        return members.stream().anyMatch(member -> !member.equals(self) && !hasBeat(member));
    }

    private boolean hasBeat(ReplicaId session) {
        Peer peer = reachable.get(session);
        return peer != null && peer.beat() != null;
    }

    /// Whether the view names another session.
    boolean seesOthers() {
        return members.stream().anyMatch(member -> !member.equals(self));
    }

    /// The reachable peers that are not in the view: not every transport's multicasts get to them.
    List<ReplicaId> outsideOfView() {
        if (members.size() > reachable.size() && members.containsAll(reachable.keySet())) {
            return List.of();
        }
        return reachable.keySet().stream()
                .filter(session -> !members.contains(session))
                .toList();
    }
}
