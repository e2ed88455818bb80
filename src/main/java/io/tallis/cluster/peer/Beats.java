package io.tallis.cluster.peer;

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
import java.util.function.Supplier;

/// Sends this node's beats and acknowledgements, and exchanges what nodes have of unreachable sessions.
///
/// ```
/// BEAT         see Beat
/// VECTOR_ASK   (nothing)
/// VECTOR       hash (8) | vector of unreachable sessions
/// ACK          durable up to frame (varint)
/// ```
///
/// Beats are multicast regularly, and at once when something changed that peers wait for. A peer whose beat has another
/// hash of unreachable sessions is asked for the vector behind it.
public final class Beats {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /// With many peers the interval is longer, so that a node receives at most a hundred regular beats a second.
    private static final long INTERVAL_PER_PEER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// The shortest interval of beats that are sent for a reason, so that several reasons share one beat.
    private static final long LEAST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// Bounds the beats that a node receives to four thousand a second while clients use WAIT all the time, or many
    /// nodes join.
    private static final long PROMPT_PER_PEER_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    private static final long ASK_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long JOINER_ASK_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Sessions sessions;
    private final Peers peers;
    private final Sender sender;
    private final Randomness randomness;
    private final int newestVersion;
    private final Self self;
    private final LongSupplier nodesHash;
    private final LongSupplier epochMillis;
    private final LongSupplier correctionMillis;
    private long next = Long.MIN_VALUE;
    private long last = Long.MIN_VALUE / 2;
    private long number;
    private boolean wantsAcks;
    private JoinState state = JoinState.SEEKING;
    private Standing standing = Standing.NONE;
    private Supplier<Vitals> vitals = () -> Vitals.NONE;
    private FoldNews folds = FoldNews.NONE;
    private PurgeNews purges = PurgeNews.NONE;

    public Beats(
            Sessions sessions,
            Sender sender,
            Randomness randomness,
            int newestVersion,
            Self self,
            LongSupplier nodesHash,
            LongSupplier epochMillis,
            LongSupplier correctionMillis) {
        this.sessions = sessions;
        peers = sessions.peers();
        this.sender = sender;
        this.randomness = randomness;
        this.newestVersion = newestVersion;
        this.self = self;
        this.nodesHash = nodesHash;
        this.epochMillis = epochMillis;
        this.correctionMillis = correctionMillis;
    }

    /// The interval of regular beats in a cluster of `sessions`.
    static long intervalNanos(int sessions) {
        return Math.max(INTERVAL_NANOS, INTERVAL_PER_PEER_NANOS * sessions);
    }

    /// From where beats take what people are shown of this node.
    public void tell(Supplier<Vitals> source) {
        vitals = source;
    }

    /// Sets what beats say of this node. A change is sent soon.
    public void setStatus(JoinState state, Standing standing) {
        if (this.state != state || !this.standing.equals(standing)) {
            sendSoon();
        }
        this.state = state;
        this.standing = standing;
    }

    /// Sets what beats say of folds and purges. A change is sent soon.
    public void setNews(FoldNews foldNews, PurgeNews purgeNews) {
        if (!folds.equals(foldNews) || !purges.equals(purgeNews)) {
            sendSoon();
        }
        folds = foldNews;
        purges = purgeNews;
    }

    /// Something changed that peers should learn before the next regular beat.
    public void sendSoon() {
        next = Math.min(next, last + LEAST_INTERVAL_NANOS);
    }

    /// A node has just appeared. It may have missed the last beat, and cannot join before it has one of this node.
    public void sendSoonForJoiner() {
        next = Math.min(next, last + Math.max(LEAST_INTERVAL_NANOS, promptInterval()));
    }

    /// The next beat asks all peers for acknowledgements, and is sent as soon as the bound allows.
    public void requestAcks() {
        wantsAcks = true;
        next = Math.min(next, last + promptInterval());
    }

    private long promptInterval() {
        return PROMPT_PER_PEER_NANOS * peers.count();
    }

    /// Sends a beat and requests for vectors, if due. Returns when to be called again.
    public long step(long now) {
        if (peers.all().isEmpty() && !peers.viewHasOthers()) {
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
                        newestVersion,
                        wantsAcks,
                        ++number,
                        epochMillis.getAsLong(),
                        correctionMillis.getAsLong(),
                        state,
                        standing,
                        self,
                        sessions.news(),
                        sessions.hashOfUnreachable(),
                        nodesHash.getAsLong(),
                        folds,
                        purges,
                        vitals.get(),
                        sessions.durableOfReachable())
                .write(out);
        sender.multicastBeat(peers.outsideOfView());
        wantsAcks = false;
    }

    private void askOfUnreachable(long now) {
        long own = sessions.hashOfUnreachable();
        // A node that joins may not serve before it knows, and request or answer may be lost.
        long pause = state == JoinState.READY ? ASK_PAUSE_NANOS : JOINER_ASK_PAUSE_NANOS;
        for (Peer peer : peers.all()) {
            if (peer.isUnreachableOutdated(own) && peer.takeVectorAsk(now, pause)) {
                sender.begin(Kind.VECTOR_ASK);
                sender.sendUnreliably(peer.session());
            }
        }
    }

    /// Acknowledges a peer's frames if it waits for that and more of them are durable than before.
    public void sendAckIfDue(Progress progress) {
        if (progress.takeAckDue() && peers.isReachable(progress.session())) {
            ByteWriter out = sender.begin(Kind.ACK);
            out.varint(progress.durable().frames());
            // If it is lost, the next beat acknowledges the same.
            sender.sendUnreliably(progress.session());
        }
    }

    public void onVectorAsk(ReplicaId from) {
        ByteWriter out = sender.begin(Kind.VECTOR);
        out.i64(sessions.hashOfUnreachable());
        sessions.durableOfUnreachable().write(out);
        sender.send(from);
    }

    public void onVector(Peer peer, ByteReader in) throws MalformedException {
        long hash = in.i64();
        peer.takeUnreachable(Vector.read(in), hash);
    }
}
