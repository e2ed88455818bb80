package io.tallis.cluster.pull;

import io.tallis.cluster.delta.Intake;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.peer.Beat;
import io.tallis.cluster.peer.Known;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Peers;
import io.tallis.cluster.peer.Sessions;
import io.tallis.cluster.peer.Vector;
import io.tallis.cluster.records.Event;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.KeyspaceFullException;
import io.tallis.keyspace.UnknownFoldException;
import io.tallis.runtime.Randomness;
import io.tallis.wire.ByteReader;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The scheduler of this node's pulls: decides when to compare all counters with other nodes, with which of them, and
/// what this node may claim to have when that is done.
///
/// A *pull* ([Pull]) compares a range of partitions with one provider and fetches the cells that differ. A *round* is
/// the pulls that together cover all partitions. One round runs at a time:
///
///     started by Joining                      started by this node as a member (startIfWanted)
///     provider A   partitions   0 ..  340     provider D   partitions 0 .. 1023
///     provider B   partitions 341 ..  681
///     provider C   partitions 682 .. 1023
///
/// **When a member pulls.** Usually a node asks the session that made a change for what is missing (`Gaps`). A pull
/// costs much more, and is for what no session can be asked for. The vectors of peers show that ([Sessions]): a peer
/// has more frames of a session that is gone, or it has *news*, which are changes that no frame number tells of.
/// After this node has dropped cells without knowing what the others did to them, it pulls from each.
///
/// **What a round proves.** After its pull, this node has what a provider had when that pull began, in the provider's
/// range. If A had frames 1 to 9 of a session and B had 1 to 7, this node has 9 in the first range and 7 in the second:
/// so it has frames 1 to 7 as a whole. Therefore a round raises this node's vector to the minimum of its providers'
/// vectors, and only when all its pulls are done. A part of a round raises nothing: the cells are merged and useful,
/// but a claim to have them could be wrong for the other ranges.
///
/// **A provider that fails** or becomes unreachable is replaced by another peer, for the same range from its beginning.
/// Partitions that were fetched do not differ any more, so that costs only their comparison. If no peer can replace it,
/// the round is given up. What is missing still shows in the vectors, and another round follows.
///
/// **Why it does not pull for ever.** Some differences cannot be closed: a peer may claim more than it gives, a
/// partition here may be full, frames of a session may reach all nodes but this one. Each would start a round after the
/// other. So rounds keep a pause, except for news, which arise seldom, and a peer whose round brought nothing is not
/// pulled from for a time that doubles.
public final class Pulls {
    private static final long LEAST_BACK_OFF_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MOST_BACK_OFF_NANOS = TimeUnit.SECONDS.toNanos(60);

    /// A peer is not pulled from in this time after it became reachable: what is missing may be on its way.
    private static final long NEW_PEER_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /// The shortest pause between two rounds, unless a peer has news. A node that does not receive the frames of a
    /// session which its peers receive is behind them all the time, and would pull without end.
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /// A round that takes so long and brought something is reported, and again when it has taken twice as long.
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Sessions sessions;
    private final Peers peers;
    private final Keyspace keyspace;
    private final Intake intake;
    private final Sender sender;
    private final Randomness randomness;
    private final Event.Sink events;
    private final Predicate<ReplicaId> answersRequests;
    private final List<Pull> running = new ArrayList<>();
    private final List<Pull> ended = new ArrayList<>();
    private List<Pull> lastRound = List.of();
    private Predicate<Peer> mayReplace = _ -> true;
    private int numbers;
    private long began;
    private long took;
    private long reportedAt;
    private long gained;
    private long bytes;

    /// How many partitions the ended pulls of the present round have done.
    private int doneByEnded;

    private long roundsComplete;
    private long usefulRounds;

    /// The most partitions that any round has done since the last round that raised the vector.
    private int mostDone;

    /// How many cells gained something while their round was as far as any since then, or further.
    private long gainedAhead;

    /// Whether a cell of this round was refused.
    private boolean refusedCells;

    /// The number of the round that was started last.
    private long round;

    /// The number of the round that ended last.
    private long lastEnded;

    /// Until when a round is only started for news.
    private long pausesUntil;

    /// Why a cell of the present frame was refused.
    private @Nullable RuntimeException refusal;

    private long fruitless;

    /// `answersRequests` is whether a reachable session answers requests for its changes.
    public Pulls(
            Sessions sessions,
            Keyspace keyspace,
            Intake intake,
            Sender sender,
            Randomness randomness,
            Event.Sink events,
            Predicate<ReplicaId> answersRequests) {
        this.answersRequests = answersRequests;
        this.sessions = sessions;
        peers = sessions.peers();
        this.keyspace = keyspace;
        this.intake = intake;
        this.sender = sender;
        this.randomness = randomness;
        this.events = events;
    }

    public boolean idle() {
        return running.isEmpty();
    }

    /// How many rounds went through all partitions and merged all that they met.
    public long roundsComplete() {
        return roundsComplete;
    }

    /// How many pulls found differences and gained nothing.
    public long fruitless() {
        return fruitless;
    }

    /// How many cells gained something in the present round, or else the last.
    public long gained() {
        return gained;
    }

    /// How many bytes of cells the present round brought, or else the last.
    public long bytes() {
        return bytes;
    }

    /// How long the present round has taken, or else the last took.
    public long nanos() {
        return took;
    }

    /// A number that grows when a pull gets further than any before it or brings something new, and does not when it
    /// only repeats what failed before.
    ///
    /// A node that joins serves without being in step when this has not grown for `cluster-join-timeout`. Bytes or
    /// frames would not do as a measure: a provider that fails at the same partition each time moves bytes for ever.
    public long progress() {
        mostDone = Math.max(mostDone, partitionsDone());
        return usefulRounds * Keyspace.PARTITIONS + mostDone + gainedAhead;
    }

    /// How much of the present round is done, in percent; 100 when none is under way.
    public int percent() {
        return running.isEmpty() ? 100 : Math.min(99, partitionsDone() * 100 / Keyspace.PARTITIONS);
    }

    private int partitionsDone() {
        return running.isEmpty()
                ? 0
                : doneByEnded + running.stream().mapToInt(Pull::partitionsDone).sum();
    }

    /// The names of the nodes that this node pulls from at present.
    public List<String> providers() {
        return running.stream().map(Pull::providerName).distinct().toList();
    }

    /// Starts a round; none is under way. A provider that fails is replaced by a peer that `mayReplace` accepts.
    /// Returns the number of the round.
    public long start(List<Peer> providers, Predicate<Peer> mayReplace, long now) {
        round++;
        this.mayReplace = mayReplace;
        began = now;
        took = 0;
        reportedAt = LONG_NANOS;
        gained = 0;
        bytes = 0;
        doneByEnded = 0;
        refusedCells = false;
        ended.clear();
        // Each provider serves a range of its own, so that they share the work.
        int shares = providers.size();
        for (int i = 0; i < shares; i++) {
            int first = Keyspace.PARTITIONS * i / shares;
            int end = Keyspace.PARTITIONS * (i + 1) / shares;
            running.add(pull(providers.get(i), first, end));
        }
        return round;
    }

    private Pull pull(Peer provider, int first, int end) {
        return new Pull(++numbers, provider, first, end, keyspace, sender);
    }

    /// Has one round with each peer follow, whatever it seems to have: this node has dropped cells that others may have
    /// kept, and only their later changes came here. If a round fails, the rotation brings the rest.
    public void compareOnce() {
        for (Peer peer : peers.all()) {
            peer.mustBeCompared(true);
            peer.mayKnowMore(true);
        }
    }

    /// Starts a round if a reachable peer has something that frames and answers will not bring. Prefers a peer that has
    /// news of its own, since others may not have those yet. `mayGive` is whether cells of a peer would be merged: a
    /// round whose answers are refused lasts for ever, as one provider after the other is replaced. Returns when to be
    /// called again.
    public long startIfWanted(long now, Predicate<Peer> mayGive) {
        if (!running.isEmpty()) {
            return Long.MAX_VALUE;
        }
        boolean pauses = now < pausesUntil;
        long due = Long.MAX_VALUE;
        List<Peer> candidates = new ArrayList<>();
        for (Peer peer : peers.all()) {
            if (peer.mayKnowMore() && mayGive.test(peer)) {
                // Most peers have nothing new at most times, and comparing vectors costs time for each session. So a
                // flag says that the peer's beat has changed since it was compared. During a pause the flag stays set,
                // and the peer is compared after it.
                long from = Math.max(peer.noPullBefore(), peer.since() + NEW_PEER_NANOS);
                if (now < from) {
                    due = Math.min(due, from);
                } else if (pauses ? hasNews(peer) : peer.mustBeCompared() || isAhead(peer)) {
                    candidates.add(peer);
                } else if (pauses) {
                    due = Math.min(due, pausesUntil);
                } else {
                    peer.mayKnowMore(false);
                }
            }
        }
        if (candidates.isEmpty()) {
            return due;
        }
        // Any of them would do. A random one spreads the load when all members lack the same, as after a crash.
        List<Peer> withNews = candidates.stream().filter(this::hasNews).toList();
        Peer provider = any(withNews.isEmpty() ? candidates : withNews);
        provider.mustBeCompared(false);
        start(List.of(provider), mayGive, now);
        return now;
    }

    private Peer any(List<Peer> peers) {
        return peers.get((int) Math.floorMod(randomness.nextLong(), (long) peers.size()));
    }

    private boolean hasNews(Peer peer) {
        Beat beat = peer.beat();
        return beat != null && beat.news() > sessions.known(peer.session()).news();
    }

    /// Whether the peer has changes that this node lacks, of a session that cannot be asked for them.
    private boolean isAhead(Peer peer) {
        Beat beat = peer.beat();
        return beat != null && (hasNews(peer) || isAhead(beat.vector()) || isAhead(peer.unreachable()));
    }

    private boolean isAhead(Vector vector) {
        return vector.entries().entrySet().stream().anyMatch(entry -> {
            Known mine = sessions.known(entry.getKey());
            return entry.getValue().news() > mine.news()
                    || (entry.getValue().frames() > mine.frames() && !canBeAsked(entry.getKey()));
        });
    }

    /// Whether the session itself can be asked for its changes, so that no pull is needed.
    private boolean canBeAsked(ReplicaId session) {
        return peers.isReachable(session) && answersRequests.test(session);
    }

    /// Continues the present round. `backlog` is whether frames wait in the inbox. Returns when to be called again.
    public long step(long now, boolean backlog) {
        long due = Long.MAX_VALUE;
        if (!running.isEmpty()) {
            took = now - began;
            reportIfLong();
        }
        for (Pull pull : List.copyOf(running)) {
            if (!running.contains(pull)) {
                // The round was aborted meanwhile.
                break;
            }
            due = Math.min(due, pull.step(now, backlog));
            if (pull.failed()) {
                Peer peer = peers.get(pull.provider());
                if (peer != null) {
                    backOff(peer, now);
                }
                replace(pull, now);
                due = now;
            } else if (pull.done()) {
                finish(pull, now);
                due = now;
            }
        }
        return due;
    }

    private void reportIfLong() {
        if (took >= reportedAt && gained > 0) {
            reportedAt = 2 * took;
            events.record(
                    "has been pulling from %s for %d s: %d%% done, %d cells were new; until it is done, values may be too low"
                            .formatted(
                                    String.join(", ", providers()),
                                    TimeUnit.NANOSECONDS.toSeconds(took),
                                    percent(),
                                    gained));
        }
    }

    /// Does not pull from the peer for a while. The pause has a random part, or nodes that failed at the same peer at
    /// the same time would come back to it at the same time.
    private void backOff(Peer peer, long now) {
        long pause = Math.min(MOST_BACK_OFF_NANOS, LEAST_BACK_OFF_NANOS << Math.min(peer.failures(), 6));
        peer.countFailure();
        peer.noPullBefore(now + pause + Math.floorMod(randomness.nextLong(), pause / 2));
    }

    /// Replaces a provider, or aborts the round when no peer can take its place.
    private void replace(Pull pull, long now) {
        running.remove(pull);
        pull.abort();
        // Peers that are not backed off come first, and among those the peers that serve.
        Peer other = peers.withBeat()
                .filter(peer -> !peer.session().equals(pull.provider()) && mayReplace.test(peer))
                .max(Comparator.comparing((Peer peer) -> now >= peer.noPullBefore())
                        .thenComparing(Peer::serves))
                .orElse(null);
        if (other == null) {
            abort();
            events.record("stopped pulling from " + pull.providerName()
                    + ": it does not answer, and no other provider is reachable");
        } else {
            running.add(pull(other, pull.first(), pull.end()));
            events.record("pulls from " + other.name() + " instead of " + pull.providerName());
        }
    }

    /// Ends the round before it is done. What is missing still shows in the vectors, and is pulled again.
    public void abort() {
        running.forEach(Pull::abort);
        running.clear();
    }

    private void finish(Pull pull, long now) {
        running.remove(pull);
        doneByEnded += pull.partitionsDone();
        ended.add(pull);
        if (pull.differed() > 0 && gained == 0) {
            fruitless++;
        }
        if (running.isEmpty()) {
            pausesUntil = now + PAUSE_NANOS;
            lastRound = List.copyOf(ended);
            lastEnded = round;
            if (refusedCells) {
                events.record(
                        "pulled all counters except some that it had to refuse, for want of room or since their fold is not known here");
            } else {
                adoptVectors();
            }
            if (gained > 0) {
                events.record("pulled %d bytes in %d ms: %d cells were new; the last provider was %s"
                        .formatted(bytes, TimeUnit.NANOSECONDS.toMillis(took), gained, pull.providerName()));
            }
        }
        Peer peer = peers.get(pull.provider());
        if (peer != null) {
            if (pull.comparesAll()) {
                peer.agrees(new Peer.Agreement(now, pull.differed()));
            }
            backOffAfter(peer, now);
        }
    }

    private void backOffAfter(Peer peer, long now) {
        if (running.isEmpty() && gained == 0 && isAhead(peer)) {
            // Its vector claims more than it gives, and may do so for ever.
            backOff(peer, now);
        } else {
            peer.clearFailures();
            peer.noPullBefore(now + PAUSE_NANOS);
        }
    }

    /// The pulls of the present round that are not done.
    List<Pull> running() {
        return running;
    }

    /// The pulls of the last round that ended.
    public List<Pull> lastRound() {
        return lastRound;
    }

    public boolean isRunning(long number) {
        return !running.isEmpty() && round == number;
    }

    /// Whether that round was the last to end, with all partitions.
    public boolean isLastEnded(long number) {
        return lastEnded == number;
    }

    /// A round is complete: this node has what all of its providers had.
    private void adoptVectors() {
        roundsComplete++;
        // Each provider's vector is only known to hold for its own range of partitions. The minimum of all holds for
        // every range, so for the whole.
        Vector inCommon = ended.getFirst().vector();
        for (Pull pull : ended) {
            inCommon = inCommon.meet(pull.vector());
        }
        if (sessions.advanceTo(inCommon)) {
            usefulRounds++;
            mostDone = 0;
        }
        // This raised the vector in memory. Peers are told of it when the journal has the cells, which is after the
        // next commit (I3).
        sessions.all().forEach(intake::noteAdvance);
    }

    public void onSums(ReplicaId from, ByteReader in, long now) throws MalformedException {
        Pull pull = running(from, in.i32());
        if (pull != null) {
            pull.onSums(in, now);
        }
    }

    public void onLeaves(ReplicaId from, ByteReader in, long now) throws MalformedException {
        Pull pull = running(from, in.i32());
        if (pull != null) {
            pull.onLeaves(in, now);
        }
    }

    public void onCells(ReplicaId from, ByteReader in, long now) throws MalformedException {
        Pull pull = running(from, in.i32());
        if (pull == null) {
            return;
        }
        int size = in.remaining();
        refusal = null;
        pull.onCells(in, now, rest -> {
            try {
                int merged = intake.mergeCells(from, rest);
                gained += merged;
                gainedAhead += partitionsDone() >= mostDone ? merged : 0;
                bytes += size;
                if (merged > 0) {
                    // Until the round is complete no vector covers these cells.
                    sessions.progress(from).noteUnnumbered();
                }
            } catch (KeyspaceFullException | UnknownFoldException e) {
                // The round continues, but the vector must not be raised at its end.
                refusedCells = true;
                refusal = e;
            }
        });
        if (refusal != null) {
            throw refusal;
        }
    }

    private @Nullable Pull running(ReplicaId from, int number) {
        return running.stream()
                .filter(pull -> pull.number() == number && pull.provider().equals(from))
                .findFirst()
                .orElse(null);
    }

    public void unreachable(ReplicaId session, long now) {
        for (Pull pull : List.copyOf(running)) {
            if (pull.provider().equals(session) && running.contains(pull)) {
                replace(pull, now);
            }
        }
    }
}
