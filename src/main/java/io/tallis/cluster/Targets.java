package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What members have told that they have, and a session that joins wants before it serves.
final class Targets {
    /// No answer has as many pieces.
    private static final long MOST_PIECES = 1L << 32;

    private final Sessions sessions;
    private final Gaps gaps;
    private final Map<ReplicaId, Vector> stands = new HashMap<>();

    /// Of those, who served when it told all that: what others had then may have been a part.
    private final Set<ReplicaId> serving = new HashSet<>();

    /// And who was whole, be it earlier.
    private final Set<ReplicaId> whole = new HashSet<>();

    Targets(Sessions sessions, Gaps gaps) {
        this.sessions = sessions;
        this.gaps = gaps;
    }

    /// What each of them has told by now is meant from now on, be it less than before: those that it told of may have
    /// departed, and what it has of them is to be heard yet.
    void setTo(Collection<Peer> heard) {
        heard.forEach(peer -> {
            departed(peer.session());
            stands.put(peer.session(), peer.stand());
        });
        heard.stream()
                .filter(sessions::hasHeardAllOf)
                .forEach(peer -> told(peer.session(), peer.ready(), peer.share().wasWhole()));
    }

    private void told(ReplicaId session, boolean serves, boolean wasWhole) {
        if (serves) {
            serving.add(session);
        }
        if (wasWhole) {
            whole.add(session);
        }
    }

    /// Those whom it pulled from had more by then than they had told, and all that is known.
    void raise(Collection<Pull> pulls) {
        pulls.stream().filter(pull -> stands.containsKey(pull.provider())).forEach(pull -> {
            stands.merge(pull.provider(), pull.vector(), Vector::join);
            told(pull.provider(), pull.ofServing(), pull.wasOfWhole());
        });
    }

    void departed(ReplicaId session) {
        stands.remove(session);
        serving.remove(session);
        whole.remove(session);
    }

    void clear() {
        stands.clear();
        serving.clear();
        whole.clear();
    }

    /// Whether all of that is here.
    boolean covered() {
        return stands.values().stream().allMatch(sessions::covers);
    }

    /// Whether all of that is in the journal too.
    boolean kept() {
        return stands.values().stream().allMatch(sessions::keeps);
    }

    /// Who told what is not in the journal yet.
    List<String> lacking() {
        return sessions.present().stream()
                .filter(peer -> {
                    Vector stand = stands.get(peer.session());
                    return stand != null && !sessions.keeps(stand);
                })
                .map(Peer::name)
                .toList();
    }

    /// Whether one of them serves, and did when it told that.
    boolean areOfOneThatServes() {
        return sessions.present().stream().anyMatch(peer -> peer.ready() && serving.contains(peer.session()));
    }

    /// Whether there are any that are whole, and all that each of them told is in the journal, and each that was whole;
    /// none that is in view may be another.
    boolean keepAllOfWholes() {
        List<ReplicaId> wholes = sessions.present().stream()
                .filter(peer -> peer.beat() == null || peer.share().wasWhole())
                .map(Peer::session)
                .toList();
        return sessions.present().stream().anyMatch(peer -> peer.share() == Share.WHOLE)
                && whole.containsAll(wholes)
                && wholes.stream().map(stands::get).allMatch(sessions::keeps);
    }

    /// Whether all that each one told who is in view and was heard is in the journal.
    boolean keepAllOfThosePresent() {
        return sessions.present().stream()
                .filter(peer -> peer.beat() != null)
                .map(peer -> stands.get(peer.session()))
                .allMatch(stand -> stand != null && sessions.keeps(stand));
    }

    /// Grows with each piece of an answer that brings something of them, and more with the last one.
    long answered() {
        return stands.values().stream()
                .flatMap(stand -> stand.entries().entrySet().stream())
                .filter(entry -> !sessions.known(entry.getKey()).covers(entry.getValue()))
                .mapToLong(entry -> gaps.pieces(entry.getKey()) - MOST_PIECES)
                .sum();
    }
}
