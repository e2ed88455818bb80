package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// What members have told that they have, and a session that joins wants before it serves.
final class Targets {
    /// No answer has as many pieces.
    private static final long MOST_PIECES = 1L << 32;

    private final Sessions sessions;
    private final Gaps gaps;
    private final Map<ReplicaId, Told> told = new HashMap<>();

    /// What one told that it has. Others who were in its reach may have had more than the one that did not serve then,
    /// or was not whole, be it earlier; nor is all known of one that was not heard to the end. Of one that was whole
    /// the
    /// vector is enough: what it got later of those who are gone is not asked of anybody.
    private record Told(Vector stand, boolean served, boolean wasWhole) {
        Told join(Told later) {
            return new Told(stand.join(later.stand), served || later.served, wasWhole || later.wasWhole);
        }
    }

    Targets(Sessions sessions, Gaps gaps) {
        this.sessions = sessions;
        this.gaps = gaps;
    }

    /// What each of them has told by now is meant from now on, be it less than before: those that it told of may have
    /// departed, and what it has of them is to be heard yet.
    void setTo(Collection<Peer> heard) {
        heard.forEach(peer -> told.put(
                peer.session(),
                new Told(
                        peer.stand(),
                        peer.ready() && sessions.hasHeardAllOf(peer),
                        peer.share().wasWhole() && sessions.hasHeardVectorOf(peer))));
    }

    /// Those whom it pulled from had more by then than they had told, and all that is known.
    void raise(Collection<Pull> pulls) {
        pulls.forEach(pull -> told.computeIfPresent(
                pull.provider(),
                (_, before) -> before.join(new Told(pull.vector(), pull.ofServing(), pull.wasOfWhole()))));
    }

    void departed(ReplicaId session) {
        told.remove(session);
    }

    void clear() {
        told.clear();
    }

    /// Whether all of that is here.
    boolean covered() {
        return told.values().stream().map(Told::stand).allMatch(sessions::covers);
    }

    /// Whether all of that is in the journal too.
    boolean kept() {
        return told.values().stream().map(Told::stand).allMatch(sessions::keeps);
    }

    /// Who told what is not in the journal yet.
    List<String> lacking() {
        return sessions.present().stream()
                .filter(peer -> told.containsKey(peer.session()) && !keepsAllOf(peer))
                .map(Peer::name)
                .toList();
    }

    /// Whether it told something, and all of that is in the journal.
    private boolean keepsAllOf(Peer peer) {
        return hasTold(peer, it -> sessions.keeps(it.stand));
    }

    /// Whether one of them serves, and did when it told that.
    boolean areOfOneThatServes() {
        return sessions.present().stream().anyMatch(peer -> peer.ready() && hasTold(peer, Told::served));
    }

    private boolean hasTold(Peer peer, Predicate<Told> what) {
        Told it = told.get(peer.session());
        return it != null && what.test(it);
    }

    /// Whether there are any that are whole, and all that each of them told is in the journal, and each that was whole;
    /// none that is in view may be another.
    boolean keepAllOfWholes() {
        return sessions.present().stream().anyMatch(peer -> peer.share() == Share.WHOLE)
                && sessions.present().stream()
                        .filter(peer -> peer.beat() == null || peer.share().wasWhole())
                        .allMatch(peer -> hasTold(peer, Told::wasWhole) && keepsAllOf(peer));
    }

    /// Whether all that each one told who is in view and was heard is in the journal.
    boolean keepAllOfThosePresent() {
        return sessions.present().stream().filter(peer -> peer.beat() != null).allMatch(this::keepsAllOf);
    }

    /// Grows with each piece of an answer that brings something of them, and more with the last one.
    long answered() {
        return told.values().stream()
                .flatMap(it -> it.stand.entries().entrySet().stream())
                .filter(entry -> !sessions.known(entry.getKey()).covers(entry.getValue()))
                .mapToLong(entry -> gaps.pieces(entry.getKey()) - MOST_PIECES)
                .sum();
    }
}
