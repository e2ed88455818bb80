package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Another session that is present, as its beats tell of it.
final class Peer {
    private final ReplicaId session;
    private final long since;
    private @Nullable Beat beat;
    private long lastContact;
    private long backSince;
    private long head;
    private Known has = Known.NOTHING;
    private Vector absent = new Vector();
    private long absentHash;
    private long asked;
    private boolean mayKnowMore;

    /// Until when this node does not pull from the peer again, and how often that was in vain.
    private long restsUntil;

    private int failures;
    private @Nullable Agreement agreement;

    Peer(ReplicaId session, long now) {
        this.session = session;
        since = now;
        lastContact = now;
        backSince = now;
        restsUntil = now;
        asked = now;
    }

    /// What the last comparison with the peer showed, and when.
    record Agreement(long nanos, int partitionsThatDiffered) {}

    ReplicaId session() {
        return session;
    }

    /// Since when it has been in reach.
    long since() {
        return since;
    }

    @Nullable
    Beat beat() {
        return beat;
    }

    /// A frame of it came, the first after a long silence if it is `back`.
    void heard(long head, boolean back, long now) {
        this.head = Math.max(this.head, head);
        backSince = back ? now : backSince;
        lastContact = now;
    }

    /// The last of its frames that is known to have been sent.
    long head() {
        return head;
    }

    long lastContact() {
        return lastContact;
    }

    /// Since when it has been heard without a long silence.
    long backSince() {
        return backSince;
    }

    /// A beat of it came. Returns whether that is the last it sent, as far as is known: it may have been overtaken.
    boolean told(Beat told) {
        if (beat != null && told.number() <= beat.number()) {
            return false;
        }
        beat = told;
        mayKnowMore = true;
        return true;
    }

    String name() {
        return beat == null ? session.toString() : beat.self().name();
    }

    @Nullable
    UUID uuid() {
        return beat == null ? null : beat.self().uuid();
    }

    boolean ready() {
        return beat != null && beat.state() == JoinState.READY;
    }

    Share share() {
        return beat == null ? Share.NONE : beat.share();
    }

    /// How many cells it has.
    long cells() {
        return beat == null ? 0 : beat.cells();
    }

    /// All that it has told that it has.
    Vector stand() {
        Vector stand = new Vector();
        if (beat != null) {
            beat.vector().entries().forEach(stand::raise);
            stand.raise(session, new Known(head, beat.news()));
        }
        absent.entries().forEach(stand::raise);
        return stand;
    }

    /// What of this session it has in its journal.
    Known has() {
        return has;
    }

    /// It has told that; an older frame may come later and take nothing back.
    void has(Known told) {
        has = has.larger(told);
    }

    /// What it told of absent sessions, when its beat said that hash.
    void toldOfAbsent(Vector vector, long hash) {
        absent = vector;
        absentHash = hash;
        mayKnowMore = true;
    }

    /// Whether it may know more than this node does, by what it told last: until it was found not to.
    boolean mayKnowMore() {
        return mayKnowMore;
    }

    void mayKnowMore(boolean may) {
        mayKnowMore = may;
    }

    Vector absent() {
        return absent;
    }

    /// Whether what it told of absent sessions is out of date.
    boolean hasMoreToTell(long ownHash) {
        return beat != null && beat.absentHash() != absentHash && beat.absentHash() != ownHash;
    }

    /// Whether it may be asked now, which it then counts as.
    boolean mayAsk(long now, long pauseNanos) {
        if (now < asked) {
            return false;
        }
        asked = now + pauseNanos;
        return true;
    }

    boolean rests(long now) {
        return now < restsUntil;
    }

    long restsUntil() {
        return restsUntil;
    }

    void restUntil(long then) {
        restsUntil = then;
    }

    int failures() {
        return failures;
    }

    void failed() {
        failures++;
    }

    void succeeded() {
        failures = 0;
    }

    void agrees(Agreement agreed) {
        agreement = agreed;
    }

    @Nullable
    Agreement agreement() {
        return agreement;
    }
}
