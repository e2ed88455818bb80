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

/// The set of sessions that this node can reach now, with what is known of each ([Peer]). A session is *reachable* when
/// a frame of it arrived within [#boundNanos] on the [AwakeClock]. All of replication uses this one definition.
///
/// Why not the transport's view, which also lists sessions: it is about the transport, and late. It names the members
/// to which reliable sends go. A member may be in the view before any frame of it arrives, and may stay in it while its
/// process is paused; after a partition, frames of a peer arrive one to four seconds before the views merge. A node
/// that waited for the view would not repair in that time, and one definition beside another would contradict it. So
/// the view decides only two things: a node that joins waits a while for the beats of members, and beats are sent
/// individually to reachable peers outside of the view, which a multicast may not get to.
///
/// Why a frame and not a beat makes a session reachable: a session whose changes arrive is plainly there, though a beat
/// may be lost. What only a beat tells, such as its standing, is unknown until one has come ([#withBeat]).
///
/// At most [#MOST] peers are kept. Frames of further sessions are ignored.
public final class Peers {
    static final int MOST = 1_024;

    /// Five beats of a small cluster take a second. Half a second more, because an answer of 50 kB delays beats on a
    /// slow line.
    private static final long LEAST_BOUND_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    private static final int BEATS = 5;

    /// How much longer a peer stays reachable while frames wait in this node's inbox, where its beats may be.
    private static final int BACKLOG_FACTOR = 6;

    private final ReplicaId self;
    private final Map<ReplicaId, Peer> reachable = new LinkedHashMap<>();
    private Set<ReplicaId> members = Set.of();
    private boolean hasView;
    private long membersSince;
    private long connectedSince;

    public Peers(ReplicaId self) {
        this.self = self;
    }

    /// How long a peer stays reachable after its last frame.
    long boundNanos() {
        return Math.max(LEAST_BOUND_NANOS, BEATS * Beats.intervalNanos(count()));
    }

    /// How many sessions are reachable, this one included.
    public int count() {
        return reachable.size() + 1;
    }

    /// A frame of `session` arrived, which makes it reachable. Returns its peer; null when there are too many.
    @Nullable
    public Peer onFrame(ReplicaId session, long head, long now) {
        Peer peer = reachable.get(session);
        if (peer == null) {
            if (reachable.size() >= MOST) {
                return null;
            }
            peer = new Peer(session, now);
            reachable.put(session, peer);
        }
        peer.onFrame(head, now);
        return peer;
    }

    /// Removes the peers that are no longer reachable and returns their sessions. `backlog` is whether frames wait in
    /// the inbox.
    public List<ReplicaId> removeUnreachable(long now, boolean backlog) {
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

    /// The peers that have sent a beat.
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

    /// This session and its peers, in ascending order of their ids, which is the same on each node.
    public List<ReplicaId> inOrder() {
        Set<ReplicaId> all = new TreeSet<>(reachable.keySet());
        all.add(self);
        return List.copyOf(all);
    }

    /// The newest version of the protocol that all peers understand, at most `newest`.
    public int versionOfAll(int newest) {
        int version = newest;
        for (Peer peer : reachable.values()) {
            Beat beat = peer.beat();
            version = Math.min(version, beat == null ? Frame.OLDEST_VERSION : beat.newestVersion());
        }
        return Math.max(Frame.OLDEST_VERSION, version);
    }

    /// The transport has a new view.
    public void view(Collection<ReplicaId> view, long now) {
        if (!hasView || !members.equals(Set.copyOf(view))) {
            membersSince = now;
        }
        connectedSince = hasView ? connectedSince : now;
        hasView = true;
        members = Set.copyOf(view);
    }

    /// Whether the transport is connected: it has had a view.
    public boolean isConnected() {
        return hasView;
    }

    /// When the transport was connected.
    public long connectedSince() {
        return connectedSince;
    }

    /// Since when the view has had its present members.
    public long viewSince() {
        return membersSince;
    }

    /// Whether no beat of some member of the view has arrived.
    public boolean hasUnheardMember() {
        return members.stream().anyMatch(member -> !member.equals(self) && !hasBeat(member));
    }

    private boolean hasBeat(ReplicaId session) {
        Peer peer = reachable.get(session);
        return peer != null && peer.beat() != null;
    }

    /// Whether the view names another session.
    boolean viewHasOthers() {
        return members.stream().anyMatch(member -> !member.equals(self));
    }

    /// The reachable peers that are not in the view. Multicasts of some transports do not get to them.
    List<ReplicaId> outsideOfView() {
        if (members.size() > reachable.size() && members.containsAll(reachable.keySet())) {
            return List.of();
        }
        return reachable.keySet().stream()
                .filter(session -> !members.contains(session))
                .toList();
    }
}
