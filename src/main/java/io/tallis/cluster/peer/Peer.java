package io.tallis.cluster.peer;

import io.tallis.crdt.ReplicaId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A reachable session of another node: when it was heard, what its beats told, and when it may be pulled from.
public final class Peer {
    private final ReplicaId session;
    private final long since;
    private long lastHeard;
    private long head;
    private @Nullable Beat beat;

    /// The largest part of this session's changes that the peer has told to have in its journal.
    private Known has = Known.NOTHING;

    /// What the peer has of sessions that it cannot reach, as of the beat with this hash.
    private Vector unreachable = new Vector();

    private long unreachableHash;
    private long nextVectorAsk;

    /// Whether the peer may know more than this node does. Cleared when a look at what it told found nothing, set again
    /// by the next thing that it tells.
    private boolean mayKnowMore;

    private long restsUntil;
    private int failures;
    private @Nullable Agreement agreement;

    Peer(ReplicaId session, long now) {
        this.session = session;
        since = now;
        lastHeard = now;
        restsUntil = now;
        nextVectorAsk = now;
    }

    /// What the last comparison with the peer showed, and when.
    public record Agreement(long nanos, int partitionsThatDiffered) {}

    public ReplicaId session() {
        return session;
    }

    /// Since when it has been reachable.
    public long since() {
        return since;
    }

    /// A frame of the peer arrived; `head` is the number of the last delta that the peer had sent by then.
    void heard(long head, long now) {
        this.head = Math.max(this.head, head);
        lastHeard = now;
    }

    public long lastHeard() {
        return lastHeard;
    }

    /// The newest beat of the peer; null until one arrives.
    @Nullable
    public Beat beat() {
        return beat;
    }

    /// Takes a beat. Returns false for one that a newer one has overtaken.
    public boolean take(Beat newer) {
        if (beat != null && newer.number() <= beat.number()) {
            return false;
        }
        beat = newer;
        mayKnowMore = true;
        return true;
    }

    public String name() {
        return beat == null ? session.toString() : beat.self().name();
    }

    @Nullable
    public UUID uuid() {
        return beat == null ? null : beat.self().uuid();
    }

    public boolean serves() {
        return beat != null && beat.state() == JoinState.READY;
    }

    public Standing standing() {
        return beat == null ? Standing.NONE : beat.standing();
    }

    /// What of this session's changes the peer has in its journal.
    public Known has() {
        return has;
    }

    /// The peer told so. An older frame that comes late takes nothing back.
    public void has(Known told) {
        has = has.larger(told);
    }

    /// The peer told what it has of sessions that it cannot reach.
    void takeUnreachable(Vector vector, long hash) {
        unreachable = vector;
        unreachableHash = hash;
        mayKnowMore = true;
    }

    public Vector unreachable() {
        return unreachable;
    }

    /// Whether the peer has to be asked what it has of unreachable sessions: its beat shows another hash than the last
    /// answer, and than this node's own.
    boolean isUnreachableOutdated(long ownHash) {
        return beat != null && beat.unreachableHash() != unreachableHash && beat.unreachableHash() != ownHash;
    }

    /// Whether the peer may be asked for that now. If so it counts as asked.
    boolean takeVectorAsk(long now, long pauseNanos) {
        if (now < nextVectorAsk) {
            return false;
        }
        nextVectorAsk = now + pauseNanos;
        return true;
    }

    public boolean mayKnowMore() {
        return mayKnowMore;
    }

    public void mayKnowMore(boolean may) {
        mayKnowMore = may;
    }

    /// Until then it is not pulled from, since the last pull brought nothing or failed.
    public long restsUntil() {
        return restsUntil;
    }

    public void restUntil(long then) {
        restsUntil = then;
    }

    public int failures() {
        return failures;
    }

    public void countFailure() {
        failures++;
    }

    public void clearFailures() {
        failures = 0;
    }

    public void agrees(Agreement agreed) {
        agreement = agreed;
    }

    @Nullable
    public Agreement agreement() {
        return agreement;
    }
}
