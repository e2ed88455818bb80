package io.tallis.cluster;

import io.tallis.cluster.records.Self;
import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Randomness;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// Tells the others regularly how this node stands, and asks those who know other things of absent sessions.
///
/// ```
/// VECTOR_ASK   (nothing)
/// VECTOR       hash (8) | vector of absent sessions
/// ```
final class Beats {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /// With many members each beats more seldom, so that a node hears at most a hundred beats a second that nobody
    /// waits for.
    private static final long INTERVAL_PER_MEMBER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// Beats that are wanted earlier wait so long, that several reasons make one beat.
    private static final long LEAST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// As long as clients wait all the time, or others join one after the other, each member beats so seldom that a
    /// node hears at most four thousand beats a second.
    private static final long URGENT_PER_MEMBER_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    private static final long ASK_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long JOINER_ASK_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Sessions sessions;
    private final Sender sender;
    private final Randomness randomness;
    private final ReplicationSettings settings;
    private final Self self;
    private final LongSupplier cells;
    private final LongSupplier nodesHash;
    private long next = Long.MIN_VALUE;
    private long last = Long.MIN_VALUE / 2;
    private long number;
    private boolean urgent;
    private JoinState state = JoinState.SEEKING;
    private Share share = Share.NONE;

    Beats(
            Sessions sessions,
            Sender sender,
            Randomness randomness,
            ReplicationSettings settings,
            Self self,
            LongSupplier cells,
            LongSupplier nodesHash) {
        this.sessions = sessions;
        this.sender = sender;
        this.randomness = randomness;
        this.settings = settings;
        this.self = self;
        this.cells = cells;
        this.nodesHash = nodesHash;
    }

    /// How long it is from one beat to the next where so many hear each other.
    static long intervalNanos(int sessions) {
        return Math.max(INTERVAL_NANOS, INTERVAL_PER_MEMBER_NANOS * sessions);
    }

    /// What is told of this node from now on.
    void standing(JoinState state, Share share) {
        if (this.state != state || this.share != share) {
            soon();
        }
        this.state = state;
        this.share = share;
    }

    /// Something changed that others should hear of before the next beat is due.
    void soon() {
        next = Math.min(next, last + LEAST_INTERVAL_NANOS);
    }

    /// Somebody who has just come, and cannot go on before it has heard everybody, may have missed the last beat.
    void soonForJoiner() {
        next = Math.min(next, last + Math.max(LEAST_INTERVAL_NANOS, urgentInterval()));
    }

    /// The next beat asks everybody to tell when they have all, and is sent at once, but for a little pause.
    void urgent() {
        urgent = true;
        next = Math.min(next, last + urgentInterval());
    }

    private long urgentInterval() {
        return URGENT_PER_MEMBER_NANOS * sessions.inEarshot();
    }

    /// Beats and asks, if it is time. Returns when to be called again.
    long tick(long now) {
        if (sessions.present().isEmpty() && sessions.earshot().size() == 0) {
            return Long.MAX_VALUE;
        }
        if (now >= next) {
            beat();
            long interval = intervalNanos(sessions.inEarshot());
            last = now;
            next = now + interval - Math.floorMod(randomness.nextLong(), interval / 8);
            askOfAbsent(now);
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
                        share,
                        self,
                        cells.getAsLong(),
                        sessions.news(),
                        sessions.hashOfAbsent(),
                        nodesHash.getAsLong(),
                        sessions.hasOfPresent())
                .write(out);
        sender.multicastToAnybody(sessions.earshot().all());
        urgent = false;
    }

    private void askOfAbsent(long now) {
        long own = sessions.hashOfAbsent();
        // Who joins has to know before it may serve, and question or answer may be lost.
        long pause = state == JoinState.SEEKING ? JOINER_ASK_PAUSE_NANOS : ASK_PAUSE_NANOS;
        for (Peer peer : sessions.present()) {
            if (peer.hasMoreToTell(own) && peer.mayAsk(now, pause)) {
                sender.begin(Kind.VECTOR_ASK);
                sender.toss(peer.session());
            }
        }
    }

    /// Tells a session that wants to know it, because clients wait there, that its frames are in the journal here.
    void tellIfWanted(Progress progress) {
        if (progress.isToBeTold() && sessions.isPresent(progress.session())) {
            ByteWriter out = sender.begin(Kind.HAS);
            out.varint(progress.has().frames());
            // The next beat says it again.
            sender.toss(progress.session());
        }
    }

    void onVectorAsk(ReplicaId from) {
        ByteWriter out = sender.begin(Kind.VECTOR);
        out.i64(sessions.hashOfAbsent());
        sessions.hasOfAbsent().write(out);
        sender.answer(from);
    }

    void onVector(ReplicaId from, ByteReader in) throws MalformedException {
        long hash = in.i64();
        Vector vector = Vector.read(in);
        Peer peer = sessions.present(from);
        if (peer != null) {
            peer.toldOfAbsent(vector, hash);
        }
    }
}
