package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// All sessions that this process has heard of, this one apart: who is present, and how far this node is with each.
///
/// Beyond [#MOST] the session that has been known for longest and is absent is forgotten; what it did is merged or
/// comes with pulls, and nothing is lost but the knowledge of how much of it is here. From then on no attention is paid
/// to what others tell of sessions that are neither known nor present, since it could not be kept: the
/// rotation, if there is one, brings what they did.
final class Sessions {
    static final int MOST = 1 << 16;

    private final ReplicaId self;
    private final Map<ReplicaId, Progress> all = new LinkedHashMap<>();
    private final Map<ReplicaId, Peer> present = new LinkedHashMap<>();

    private final Earshot earshot = new Earshot();
    private Set<ReplicaId> members = Set.of();

    /// What the journal has of those who are absent; null when it has to be made anew. There may be as many as the
    /// cluster has had restarts, and each beat tells of them.
    private @Nullable Absent absent;

    private long lookedAt;
    private long listensSince;

    private final long firstNews;
    private long news;

    /// `news` is 1 for a session that starts with counters, else 0.
    Sessions(ReplicaId self, long news) {
        this.self = self;
        this.news = news;
        firstNews = news;
    }

    private record Absent(Vector vector, long hash) {}

    ReplicaId self() {
        return self;
    }

    /// The news that this session itself has for the others.
    long news() {
        return news;
    }

    /// The news of what this session began with: what its node counted in former lives is among it.
    long firstNews() {
        return firstNews;
    }

    void haveNews() {
        news++;
    }

    /// Takes over a view. Returns the sessions that departed.
    List<Progress> view(Collection<ReplicaId> view, long now) {
        List<Progress> departed = present.keySet().stream()
                .filter(session -> !view.contains(session))
                .map(this::progress)
                .toList();
        present.keySet().retainAll(view);
        absent = null;
        for (ReplicaId session : view) {
            if (!session.equals(self)) {
                present.computeIfAbsent(session, _ -> new Peer(session, now));
                progress(session).isInView();
                earshot.isPresent(session);
            }
        }
        // What it told of sessions that are absent now is of more use than before.
        present.values().forEach(peer -> peer.mayKnowMore(true));
        members = new TreeSet<>(view);
        members.add(self);
        return departed;
    }

    /// This session and those present, in an order that all agree on.
    Set<ReplicaId> members() {
        return members;
    }

    /// The others that are in reach.
    Collection<Peer> present() {
        return present.values();
    }

    @Nullable
    Peer present(ReplicaId session) {
        return present.get(session);
    }

    boolean isPresent(ReplicaId session) {
        return present.containsKey(session);
    }

    /// Those that are in reach though they are absent.
    Earshot earshot() {
        return earshot;
    }

    void itIs(long now) {
        if (now - lookedAt > Beats.intervalNanos(inEarshot())) {
            // This process stood still, and heard nobody meanwhile.
            listensSince = now;
        }
        lookedAt = now;
        earshot.itIs(now, members.size());
    }

    /// How many there are that hear each other, this session among them.
    int inEarshot() {
        return members.size() + earshot.size();
    }

    /// Whether nothing comes from one that is present: when it has died, or cannot be heard, the view tells late.
    boolean isSilent(Peer peer) {
        return isSilentSince(peer.lastContact());
    }

    /// Whether nothing has come from one while another was heard: when a cut is over, one is heard first, and the
    /// others soon.
    boolean isSilentBeside(Peer peer, Peer other) {
        return isSilentSince(Math.max(peer.lastContact(), other.backSince()));
    }

    private boolean isSilentSince(long contact) {
        return lookedAt - Math.max(contact, listensSince) > Earshot.silenceNanos(inEarshot());
    }

    /// A frame came from a session that is absent. One that was never present is about to be, and all that it ever did
    /// would be missing: that can wait.
    void hears(Progress absent, long now) {
        if (absent.wasInView()) {
            earshot.hears(absent.session(), now);
        }
    }

    /// The newest version of the protocol that all who are present speak, as far as they have told; at most `newest`.
    int versionOfAll(int newest) {
        int version = newest;
        for (Peer peer : present.values()) {
            Beat beat = peer.beat();
            version = Math.min(version, beat == null ? Frame.OLDEST_VERSION : beat.newestVersion());
        }
        return Math.max(Frame.OLDEST_VERSION, version);
    }

    /// How far this node is with a session that it may not have heard of before.
    Progress progress(ReplicaId session) {
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
            if (!isPresent(oldest.next())) {
                oldest.remove();
                absent = null;
                return;
            }
        }
    }

    Collection<Progress> all() {
        return all.values();
    }

    /// What is in memory of `session`.
    Known known(ReplicaId session) {
        if (session.equals(self)) {
            return new Known(Long.MAX_VALUE, Long.MAX_VALUE);
        }
        Progress progress = all.get(session);
        if (progress != null) {
            return progress.known();
        }
        return isFull() ? new Known(Long.MAX_VALUE, Long.MAX_VALUE) : Known.NOTHING;
    }

    private boolean isFull() {
        return all.size() >= MOST;
    }

    boolean covers(Vector vector) {
        return vector.entries().entrySet().stream()
                .allMatch(entry -> known(entry.getKey()).covers(entry.getValue()));
    }

    /// Whether all of that is in the journal too.
    boolean keeps(Vector vector) {
        return covers(vector)
                && vector.entries().entrySet().stream().allMatch(entry -> {
                    Progress progress = all.get(entry.getKey());
                    return progress == null || progress.has().covers(entry.getValue());
                });
    }

    /// Whether it has told all that it shows: of a part that serves no vector tells. A pull brings what it has then.
    boolean hasHeardAllOf(Peer peer) {
        boolean servesAPart = peer.ready() && peer.share().lacksSomething();
        return !servesAPart && hasHeardVectorOf(peer);
    }

    /// Whether it has told its vector: not of absent sessions by a hash only. It may be so for long: while it hears one
    /// that is absent count, the hash is new with each of its beats.
    boolean hasHeardVectorOf(Peer peer) {
        return peer.beat() != null && !peer.hasMoreToTell(hashOfAbsent());
    }

    /// All that is in memory, with this session as it stands at `head`.
    Vector known(long head) {
        Vector vector = new Vector();
        all.values().forEach(progress -> vector.raise(progress.session(), progress.known()));
        vector.raise(self, new Known(head, news));
        return vector;
    }

    /// Whether a peer has told that it has all of that in its journal, and whatever else is known through sessions that
    /// are absent.
    boolean isWith(Peer peer, Vector vector) {
        Beat beat = peer.beat();
        if (beat == null || peer.has().news() < news || knowsUntoldOfAbsent()) {
            return false;
        }
        boolean sameOfAbsent = beat.absentHash() == hashOfAbsent();
        return vector.entries().entrySet().stream()
                .filter(entry -> !entry.getKey().equals(self) && !entry.getKey().equals(peer.session()))
                .allMatch(entry -> {
                    ReplicaId session = entry.getKey();
                    Known told = beat.vector().of(session).larger(peer.absent().of(session));
                    Known same = sameOfAbsent && !isPresent(session)
                            ? progress(session).has()
                            : Known.NOTHING;
                    return told.larger(same).covers(entry.getValue());
                });
    }

    /// As long as this is so, it will be news.
    private boolean knowsUntoldOfAbsent() {
        return all.values().stream()
                .anyMatch(progress -> !isPresent(progress.session()) && progress.knowsMoreThanItTells());
    }

    /// What is in the journal of sessions that are present.
    Vector hasOfPresent() {
        Vector vector = new Vector();
        present.keySet()
                .forEach(session -> vector.raise(session, progress(session).has()));
        return vector;
    }

    /// More of a session is in the journal than before.
    void journalled(Progress progress) {
        if (!isPresent(progress.session())) {
            absent = null;
        }
    }

    /// What is in the journal of sessions that are absent; not to be changed.
    Vector hasOfAbsent() {
        return absent().vector;
    }

    long hashOfAbsent() {
        return absent().hash;
    }

    private Absent absent() {
        Absent known = absent;
        if (known == null) {
            Vector vector = new Vector();
            all.values().stream()
                    .filter(progress -> !isPresent(progress.session()))
                    .forEach(progress -> vector.raise(progress.session(), progress.has()));
            known = new Absent(vector, vector.hash());
            absent = known;
        }
        return known;
    }

    /// Everything that somebody had at some time is merged now. Returns whether that is more than was known to be.
    boolean reached(Vector vector) {
        boolean more = !covers(vector);
        vector.entries().forEach((session, known) -> {
            if (!session.equals(self) && (all.containsKey(session) || !isFull())) {
                progress(session).reached(known);
            }
        });
        return more;
    }
}
