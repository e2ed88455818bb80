package io.tallis.cluster.peer;

import io.tallis.crdt.ReplicaId;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A table of how much this node has of every other session's changes, present or gone, and the vectors that say so.
///
/// A [Vector] maps sessions to how much of their changes is somewhere ([Known]): in memory here, in the journal here,
/// or at a peer. Nodes compare vectors to find out whether one lacks something without comparing counters:
///
///     A's vector   {A: frame 9, B: frame 7, C: frame 4}         C crashed after it had sent
///     B's vector   {A: frame 8, B: frame 7, C: frame 5}         frame 5, which only B received
///
/// A has all of B. B is one frame behind A and asks A for it. A sees that B has more of C, cannot ask C any more, and
/// pulls from B. When the pull is complete, A has all that B had when it began, and raises its own vector to B's. A
/// vector has two parts: beats carry that of the reachable sessions, which changes all the time; of the unreachable
/// ones, which may be thousands of restarts ago, they carry a hash, and a peer whose hash differs asks for the vector
/// (see [Beats]).
///
/// *News* are what frame numbers cannot express. A node that starts with counters from its disk, or that announces
/// [unnumbered][Progress] changes of a dead session, raises its news number. Peers that have a smaller news number of
/// it pull from it; when that is complete they have its news.
///
/// At most [#MOST] sessions are kept. Beyond that the oldest unreachable one is forgotten. No count is lost by that,
/// only the knowledge how much of that session is here. From then on sessions that are neither known nor reachable are
/// ignored in others' vectors, since they could not be remembered: the rotation brings what they changed.
public final class Sessions {
    static final int MOST = 1 << 16;

    /// All of a session that was folded: what it counted is in the fold's shards.
    private static final Known EVERYTHING = new Known(Long.MAX_VALUE, Long.MAX_VALUE);

    private final ReplicaId self;
    private final Peers peers;
    private final Predicate<ReplicaId> isFolded;
    private final Map<ReplicaId, Progress> all = new LinkedHashMap<>();

    /// What is durable of unreachable sessions, null when it has to be computed again. Kept because there may be
    /// thousands of them and each beat carries the hash.
    private @Nullable Unreachable unreachable;

    private final long firstNews;
    private long news;

    /// `news` is 1 for a session that starts with counters from its disk, else 0. `isFolded` is whether a session is a
    /// member of a fold.
    public Sessions(ReplicaId self, Peers peers, long news, Predicate<ReplicaId> isFolded) {
        this.self = self;
        this.peers = peers;
        this.news = news;
        this.isFolded = isFolded;
        firstNews = news;
    }

    private record Unreachable(Vector vector, long hash) {}

    public ReplicaId self() {
        return self;
    }

    public Peers peers() {
        return peers;
    }

    /// This session's news number.
    public long news() {
        return news;
    }

    /// The news number for what this session had when it started, which includes what its node counted in former
    /// sessions.
    public long firstNews() {
        return firstNews;
    }

    public void addNews() {
        news++;
    }

    /// A session became reachable or unreachable.
    public void reachabilityChanged() {
        unreachable = null;
        // A session that is unreachable now cannot be asked any more, so what peers have of it matters again.
        peers.all().forEach(peer -> peer.mayKnowMore(true));
    }

    /// What this node has of a session, which it may not have known before.
    public Progress progress(ReplicaId session) {
        Progress progress = all.get(session);
        if (progress == null) {
            forgetOne();
            progress = new Progress(session);
            all.put(session, progress);
        }
        return progress;
    }

    private void forgetOne() {
        if (!isFull()) {
            return;
        }
        Iterator<ReplicaId> oldest = all.keySet().iterator();
        while (oldest.hasNext()) {
            if (!peers.isReachable(oldest.next())) {
                oldest.remove();
                unreachable = null;
                return;
            }
        }
    }

    private boolean isFull() {
        return all.size() >= MOST;
    }

    public Collection<Progress> all() {
        return all.values();
    }

    /// What is in memory of `session`. Everything, if it is to be ignored because too many are known.
    public Known known(ReplicaId session) {
        if (session.equals(self)) {
            return EVERYTHING;
        }
        Progress progress = all.get(session);
        if (progress != null) {
            return progress.known();
        }
        return isFull() || isFolded.test(session) ? EVERYTHING : Known.NOTHING;
    }

    /// Whether all of `vector` is in memory.
    boolean isMerged(Vector vector) {
        return vector.entries().entrySet().stream()
                .allMatch(entry -> known(entry.getKey()).covers(entry.getValue()));
    }

    /// Whether all of `vector` is in the journal.
    public boolean isDurable(Vector vector) {
        return isMerged(vector)
                && vector.entries().entrySet().stream().allMatch(entry -> {
                    Progress progress = all.get(entry.getKey());
                    return progress == null || progress.durable().covers(entry.getValue());
                });
    }

    /// What is in memory of all sessions, with this one at frame `head`.
    public Vector known(long head) {
        Vector vector = new Vector();
        all.values().forEach(progress -> vector.raise(progress.session(), progress.known()));
        vector.raise(self, new Known(head, news));
        return vector;
    }

    /// Whether the peer has said that its journal has all of `vector`, and this node has no unnumbered changes of
    /// unreachable sessions, of which that could not be said.
    public boolean peerHasAll(Peer peer, Vector vector) {
        Beat beat = peer.beat();
        if (beat == null || peer.acknowledged().news() < news || hasUnnumberedOfUnreachable()) {
            return false;
        }
        boolean sameOfUnreachable = beat.unreachableHash() == hashOfUnreachable();
        return vector.entries().entrySet().stream()
                .filter(entry -> !entry.getKey().equals(self) && !entry.getKey().equals(peer.session()))
                .allMatch(entry -> {
                    ReplicaId session = entry.getKey();
                    Known sent =
                            beat.vector().of(session).larger(peer.unreachable().of(session));
                    Known same = sameOfUnreachable && !peers.isReachable(session)
                            ? progress(session).durable()
                            : Known.NOTHING;
                    return sent.larger(same).covers(entry.getValue());
                });
    }

    /// Whether changes of an unreachable session are here that will be announced as news.
    public boolean hasUnnumberedOfUnreachable() {
        return all.values().stream()
                .anyMatch(progress -> !peers.isReachable(progress.session()) && progress.hasUnnumbered());
    }

    /// What is durable of reachable sessions, with an entry for each: it also says which those are.
    Vector durableOfReachable() {
        Vector vector = new Vector();
        peers.all()
                .forEach(peer ->
                        vector.note(peer.session(), progress(peer.session()).durable()));
        return vector;
    }

    /// More of a session is durable than before.
    public void onDurable(Progress progress) {
        if (!peers.isReachable(progress.session())) {
            unreachable = null;
        }
    }

    /// What is durable of unreachable sessions; not to be changed.
    Vector durableOfUnreachable() {
        return unreachable().vector;
    }

    long hashOfUnreachable() {
        return unreachable().hash;
    }

    private Unreachable unreachable() {
        Unreachable known = unreachable;
        if (known == null) {
            Vector vector = new Vector();
            all.values().stream()
                    .filter(progress -> !peers.isReachable(progress.session()))
                    .forEach(progress -> vector.raise(progress.session(), progress.durable()));
            known = new Unreachable(vector, vector.hash());
            unreachable = known;
        }
        return known;
    }

    /// Forgets the sessions that have been folded.
    public void forgetFolded() {
        all.keySet().removeIf(isFolded);
        unreachable = null;
    }

    /// All of `vector` is merged, by a pull. Returns whether that raised anything.
    public boolean advanceTo(Vector vector) {
        boolean more = !isMerged(vector);
        vector.entries().forEach((session, known) -> {
            if (!session.equals(self) && (all.containsKey(session) || (!isFull() && !isFolded.test(session)))) {
                progress(session).advanceTo(known);
            }
        });
        return more;
    }
}
