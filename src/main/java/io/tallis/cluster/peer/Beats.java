package io.tallis.cluster.peer;

import io.tallis.cluster.ReplicationSettings;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.records.Self;
import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Randomness;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// Tells all peers regularly how this node stands, and asks those that know other things of unreachable sessions.
///
/// ```
/// VECTOR_ASK   (nothing)
/// VECTOR       hash (8) | vector of unreachable sessions
/// ```
public final class Beats {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /// With many peers each beats more seldom, so that a node hears at most a hundred regular beats a second.
    private static final long INTERVAL_PER_PEER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// The pause before a beat that has a reason, so that several reasons make one beat.
    private static final long LEAST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// While clients use WAIT all the time, or nodes join one after the other, a node hears at most four thousand beats
    /// a second.
    private static final long URGENT_PER_PEER_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    private static final long ASK_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long JOINER_ASK_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Sessions sessions;
    private final Peers peers;
    private final Sender sender;
    private final Randomness randomness;
    private final ReplicationSettings settings;
    private final Self self;
    private final LongSupplier nodesHash;
    private long next = Long.MIN_VALUE;
    private long last = Long.MIN_VALUE / 2;
    private long number;
    private boolean urgent;
    private JoinState state = JoinState.SEEKING;
    private Standing standing = Standing.NONE;

    public Beats(
            Sessions sessions,
            Sender sender,
            Randomness randomness,
            ReplicationSettings settings,
            Self self,
            LongSupplier nodesHash) {
        this.sessions = sessions;
        peers = sessions.peers();
        this.sender = sender;
        this.randomness = randomness;
        this.settings = settings;
        this.self = self;
        this.nodesHash = nodesHash;
    }

    /// The time between two beats where so many sessions hear each other.
    static long intervalNanos(int sessions) {
        return Math.max(INTERVAL_NANOS, INTERVAL_PER_PEER_NANOS * sessions);
    }

    /// What beats tell of this node from now on. A change is told soon.
    public void show(JoinState state, Standing standing) {
        if (this.state != state || !this.standing.equals(standing)) {
            soon();
        }
        this.state = state;
        this.standing = standing;
    }

    /// Something changed that peers should hear of before the next beat is due.
    public void soon() {
        next = Math.min(next, last + LEAST_INTERVAL_NANOS);
    }

    /// A node that has just appeared may have missed the last beat, and cannot join before it has heard this node.
    public void soonForJoiner() {
        next = Math.min(next, last + Math.max(LEAST_INTERVAL_NANOS, urgentInterval()));
    }

    /// The next beat asks all peers to tell when they have all, and is sent at once, but for a little pause.
    public void urgent() {
        urgent = true;
        next = Math.min(next, last + urgentInterval());
    }

    private long urgentInterval() {
        return URGENT_PER_PEER_NANOS * peers.count();
    }

    /// Beats and asks, if it is time. Returns when to be called again.
    public long tick(long now) {
        if (peers.all().isEmpty() && !peers.seesOthers()) {
            return Long.MAX_VALUE;
        }
        if (now >= next) {
            beat();
            long interval = intervalNanos(peers.count());
            last = now;
            next = now + interval - Math.floorMod(randomness.nextLong(), interval / 8);
            askOfUnreachable(now);
        }
        return next;
    }

    private void beat() {
        ByteWriter out = sender.begin(Kind.BEAT);
        new Beat(
                        settings.newestVersion(),
                        urgent,
                        ++number,
                        state,
                        standing,
                        self,
                        sessions.news(),
                        sessions.hashOfUnreachable(),
                        nodesHash.getAsLong(),
                        sessions.hasOfReachable())
                .write(out);
        sender.multicastBeat(peers.outsideOfView());
        urgent = false;
    }

    private void askOfUnreachable(long now) {
        long own = sessions.hashOfUnreachable();
        // A node that joins has to know before it may serve, and question or answer may be lost.
        long pause = state == JoinState.READY ? ASK_PAUSE_NANOS : JOINER_ASK_PAUSE_NANOS;
        for (Peer peer : peers.all()) {
            if (peer.isUnreachableOutdated(own) && peer.takeVectorAsk(now, pause)) {
                sender.begin(Kind.VECTOR_ASK);
                sender.toss(peer.session());
            }
        }
    }

    /// Tells a peer whose clients wait for it that the peer's changes are in the journal here.
    public void tellIfWanted(Progress progress) {
        if (progress.isToBeTold() && peers.isReachable(progress.session())) {
            ByteWriter out = sender.begin(Kind.HAS);
            out.varint(progress.has().frames());
            // The next beat says it again.
            sender.toss(progress.session());
        }
    }

    public void onVectorAsk(ReplicaId from) {
        ByteWriter out = sender.begin(Kind.VECTOR);
        out.i64(sessions.hashOfUnreachable());
        sessions.hasOfUnreachable().write(out);
        sender.send(from);
    }

    public void onVector(Peer peer, ByteReader in) throws MalformedException {
        long hash = in.i64();
        peer.takeUnreachable(Vector.read(in), hash);
    }
}
