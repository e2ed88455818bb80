package io.tallis.cluster.peer;

import io.tallis.crdt.ReplicaId;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What this node has of every other session that it ever heard of, and what it tells others about that.
///
/// At most [#MOST] sessions are kept. Beyond that the session that has been known for longest and is not reachable is
/// forgotten; its counts are merged or come with pulls, only the knowledge how much of them is here is lost. Then no
/// attention is paid to what others tell of sessions that are neither known nor reachable, since it could not be kept:
/// the rotation brings what they did.
public final class Sessions {
    static final int MOST = 1 << 16;

    private static final Known EVERYTHING = new Known(Long.MAX_VALUE, Long.MAX_VALUE);

    private final ReplicaId self;
    private final Peers peers;
    private final Map<ReplicaId, Progress> all = new LinkedHashMap<>();

    /// What the journal has of unreachable sessions; null when it has to be made again. There may be as many as the
    /// cluster had restarts, and each beat carries a hash of it.
    private @Nullable Unreachable unreachable;

    private final long firstNews;
    private long news;

    /// `news` is 1 for a session that starts with counters, else 0.
    public Sessions(ReplicaId self, Peers peers, long news) {
        this.self = self;
        this.peers = peers;
        this.news = news;
        firstNews = news;
    }

    private record Unreachable(Vector vector, long hash) {}

    public ReplicaId self() {
        return self;
    }

    public Peers peers() {
        return peers;
    }

    /// Grows when this node has counters that no frame number tells others of.
    public long news() {
        return news;
    }

    /// The news of what this session began with: what its node counted in former sessions is among it.
    public long firstNews() {
        return firstNews;
    }

    public void addNews() {
        news++;
    }

    /// A session became reachable, or is not any more.
    public void reachabilityChanged() {
        unreachable = null;
        // What peers told of sessions that are unreachable now is of more use than before.
        peers.all().forEach(peer -> peer.mayKnowMore(true));
    }

    /// What this node has of a session, which it may not have heard of before.
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

    /// What is in memory of `session`.
    public Known known(ReplicaId session) {
        if (session.equals(self)) {
            return EVERYTHING;
        }
        Progress progress = all.get(session);
        if (progress != null) {
            return progress.known();
        }
        return isFull() ? EVERYTHING : Known.NOTHING;
    }

    /// Whether all of that is in memory.
    boolean covers(Vector vector) {
        return vector.entries().entrySet().stream()
                .allMatch(entry -> known(entry.getKey()).covers(entry.getValue()));
    }

    /// Whether all of that is in the journal.
    public boolean keeps(Vector vector) {
        return covers(vector)
                && vector.entries().entrySet().stream().allMatch(entry -> {
                    Progress progress = all.get(entry.getKey());
                    return progress == null || progress.has().covers(entry.getValue());
                });
    }

    /// All that is in memory, with this session as it stands at `head`.
    public Vector known(long head) {
        Vector vector = new Vector();
        all.values().forEach(progress -> vector.raise(progress.session(), progress.known()));
        vector.raise(self, new Known(head, news));
        return vector;
    }

    /// Whether a peer has told that its journal has all of `vector`, and all else that this node knows through sessions
    /// that are unreachable.
    public boolean isWith(Peer peer, Vector vector) {
        Beat beat = peer.beat();
        if (beat == null || peer.has().news() < news || knowsMoreThanItTells()) {
            return false;
        }
        boolean sameOfUnreachable = beat.unreachableHash() == hashOfUnreachable();
        return vector.entries().entrySet().stream()
                .filter(entry -> !entry.getKey().equals(self) && !entry.getKey().equals(peer.session()))
                .allMatch(entry -> {
                    ReplicaId session = entry.getKey();
                    Known told =
                            beat.vector().of(session).larger(peer.unreachable().of(session));
                    Known same = sameOfUnreachable && !peers.isReachable(session)
                            ? progress(session).has()
                            : Known.NOTHING;
                    return told.larger(same).covers(entry.getValue());
                });
    }

    /// Whether there is something of an unreachable session here that will become news.
    private boolean knowsMoreThanItTells() {
        return all.values().stream()
                .anyMatch(progress -> !peers.isReachable(progress.session()) && progress.knowsMoreThanItTells());
    }

    /// What the journal has of reachable sessions.
    Vector hasOfReachable() {
        Vector vector = new Vector();
        peers.all()
                .forEach(peer ->
                        vector.raise(peer.session(), progress(peer.session()).has()));
        return vector;
    }

    /// The journal has more of a session than before.
    public void journalled(Progress progress) {
        if (!peers.isReachable(progress.session())) {
            unreachable = null;
        }
    }

    /// What the journal has of unreachable sessions; not to be changed.
    Vector hasOfUnreachable() {
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
                    .forEach(progress -> vector.raise(progress.session(), progress.has()));
            known = new Unreachable(vector, vector.hash());
            unreachable = known;
        }
        return known;
    }

    /// All that a provider had when a pull began is merged now. Returns whether that is more than was known to be.
    public boolean reached(Vector vector) {
        boolean more = !covers(vector);
        vector.entries().forEach((session, known) -> {
            if (!session.equals(self) && (all.containsKey(session) || !isFull())) {
                progress(session).reached(known);
            }
        });
        return more;
    }
}
