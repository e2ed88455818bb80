package io.tallis.cluster.peer;

import io.tallis.crdt.ReplicaId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A reachable session of another node: when its last frame arrived, its newest beat, what it acknowledged, and when it
/// may be pulled from.
public final class Peer {
    /// Of how many beats the largest difference of clocks is taken.
    private static final int CLOCK_BEATS = 16;

    private final ReplicaId session;
    private final long since;
    private long lastHeard;
    private long head;
    private @Nullable Beat beat;

    /// How much of this session's changes the peer said to have in its journal.
    private Known acknowledged = Known.NOTHING;

    /// What the peer has in its journal of sessions that it cannot reach, and the hash of that in its beats.
    private Vector unreachable = new Vector();

    private long unreachableHash;
    private long nextVectorAsk;

    /// Whether the peer's vectors have to be compared with this node's. Cleared when they showed nothing that is
    /// missing here, set by the peer's next beat or vector.
    private boolean mayKnowMore;

    private boolean mustBeCompared;
    private long clockStart;
    private long clockStartBefore;
    private int clockBeats;
    private long noPullBefore;
    private int failures;
    private @Nullable Agreement agreement;

    Peer(ReplicaId session, long now) {
        this.session = session;
        since = now;
        lastHeard = now;
        noPullBefore = now;
        nextVectorAsk = now;
    }

    /// The time and the outcome of the last comparison of all partitions with the peer.
    public record Agreement(long nanos, int partitionsThatDiffered) {}

    public ReplicaId session() {
        return session;
    }

    /// Since when it has been reachable.
    public long since() {
        return since;
    }

    /// A frame of the peer arrived; `head` is the number of the last delta that the peer had sent by then.
    void onFrame(long head, long now) {
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

    /// Takes a beat that arrived at this monotonic time. Returns false when a newer one arrived before it.
    public boolean take(Beat newer, long monotonicMillis) {
        if (beat != null && newer.number() <= beat.number()) {
            return false;
        }
        beat = newer;
        noteClock(newer.epochMillis() - monotonicMillis);
        mayKnowMore = true;
        return true;
    }

    /// A beat that took long makes the peer's clock seem behind, so the largest difference of some beats is the best.
    private void noteClock(long startMillis) {
        if (clockBeats++ % CLOCK_BEATS == 0) {
            clockStartBefore = clockStart;
            clockStart = startMillis;
        } else {
            clockStart = Math.max(clockStart, startMillis);
        }
    }

    /// What the peer's clock told when the monotonic time of this process was 0.
    public long clockStart() {
        return clockBeats <= CLOCK_BEATS ? clockStart : Math.max(clockStart, clockStartBefore);
    }

    /// What the time of day was then as the peer believes.
    public long timeStart() {
        return beat == null ? clockStart() : clockStart() + beat.correctionMillis();
    }

    /// When the peer sent its newest beat, by the time of day that it believes; [Long#MIN_VALUE] before the first.
    public long toldAt() {
        return beat == null ? Long.MIN_VALUE : beat.epochMillis() + beat.correctionMillis();
    }

    public String name() {
        return beat == null ? session.toString() : beat.self().name();
    }

    @Nullable
    public UUID uuid() {
        return beat == null ? null : beat.self().uuid();
    }

    /// A hash of what it knows of nodes, 0 before its first beat.
    public long nodesHash() {
        return beat == null ? 0 : beat.nodesHash();
    }

    public FoldNews folds() {
        return beat == null ? FoldNews.NONE : beat.folds();
    }

    public PurgeNews purges() {
        return beat == null ? PurgeNews.NONE : beat.purges();
    }

    /// Whether the peer could reach a session when it sent its newest beat.
    public boolean reaches(ReplicaId other) {
        return beat != null && beat.vector().entries().containsKey(other);
    }

    public boolean serves() {
        return beat != null && beat.state() == JoinState.READY;
    }

    public Standing standing() {
        return beat == null ? Standing.NONE : beat.standing();
    }

    /// How much of this session's changes the peer has in its journal.
    public Known acknowledged() {
        return acknowledged;
    }

    /// The peer has `known` of this session's changes in its journal. Late frames with less change nothing.
    public void acknowledge(Known known) {
        acknowledged = acknowledged.larger(known);
    }

    /// The peer sent what it has of sessions that it cannot reach.
    void takeUnreachable(Vector vector, long hash) {
        unreachable = vector;
        unreachableHash = hash;
        mayKnowMore = true;
    }

    public Vector unreachable() {
        return unreachable;
    }

    /// Whether the peer has to be asked what it has of sessions that it cannot reach: the hash in its beat is neither
    /// that of its last answer nor this node's own.
    boolean isUnreachableOutdated(long ownHash) {
        return beat != null && beat.unreachableHash() != unreachableHash && beat.unreachableHash() != ownHash;
    }

    /// Whether the peer may be asked for that now, at most once in `pauseNanos`. If so it counts as asked.
    boolean takeVectorAsk(long now, long pauseNanos) {
        if (now < nextVectorAsk) {
            return false;
        }
        nextVectorAsk = now + pauseNanos;
        return true;
    }

    /// Whether a round of pulls is to be made with it, whatever it seems to have.
    public boolean mustBeCompared() {
        return mustBeCompared;
    }

    public void mustBeCompared(boolean must) {
        mustBeCompared = must;
    }

    public boolean mayKnowMore() {
        return mayKnowMore;
    }

    public void mayKnowMore(boolean may) {
        mayKnowMore = may;
    }

    /// The time before which it is not pulled from, since a pull from it failed, brought nothing, or has just ended.
    public long noPullBefore() {
        return noPullBefore;
    }

    public void noPullBefore(long then) {
        noPullBefore = then;
    }

    /// How many pulls from it in a row failed or brought nothing.
    public int failures() {
        return failures;
    }

    public void countFailure() {
        failures++;
    }

    public void clearFailures() {
        failures = 0;
    }

    /// All partitions were compared with the peer.
    public void agrees(Agreement agreed) {
        agreement = agreed;
    }

    @Nullable
    public Agreement agreement() {
        return agreement;
    }
}
