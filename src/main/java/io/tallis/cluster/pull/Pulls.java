package io.tallis.cluster.pull;

import io.tallis.cluster.delta.Intake;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.peer.Beat;
import io.tallis.cluster.peer.Known;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Peers;
import io.tallis.cluster.peer.Sessions;
import io.tallis.cluster.peer.Vector;
import io.tallis.cluster.records.EventSink;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.KeyspaceFullException;
import io.tallis.runtime.Randomness;
import io.tallis.wire.ByteReader;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Pulls, one round at a time: from one session, or from several, each for its share of the partitions.
///
/// When all of a round is fetched, this node has what all its providers had at their beginnings, so it takes over
/// what their vectors have in common. Whoever departs or fails is replaced, from the beginning of its share on:
/// what was fetched before no longer differs.
public final class Pulls {
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /// After a round there is none so soon, but for news: as long as one does not hear another that others hear, it is
    /// behind it all the time.
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /// A round of this length is told of, if it brought anything, and again when it has taken twice as long.
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Sessions sessions;
    private final Peers peers;
    private final Keyspace keyspace;
    private final Intake intake;
    private final Sender sender;
    private final Randomness randomness;
    private final EventSink events;
    private final Predicate<ReplicaId> answers;
    private final List<Pull> running = new ArrayList<>();
    private final List<Pull> ended = new ArrayList<>();
    private List<Pull> lastRound = List.of();
    private Predicate<Peer> mayReplace = _ -> true;
    private int numbers;
    private long began;
    private long took;
    private long toldAt;
    private long gained;
    private long bytes;
    private int partitionsDone;
    private long rounds;
    private long usefulRounds;

    /// How many partitions were settled at most in any round since the last that was of use.
    private int farthest;

    private long gainedEver;

    /// Of those, where no round had been before since the last that was of use.
    private long gainedAhead;

    /// Whether something of this round found no room, and what the last frame met.
    private boolean lacks;

    private long endedRounds;

    /// Until when nobody is pulled from, but for news.
    private long pausesUntil;

    private @Nullable KeyspaceFullException full;
    private long fruitless;

    /// `answers` tells whether a reachable session answers questions about its changes.
    public Pulls(
            Sessions sessions,
            Keyspace keyspace,
            Intake intake,
            Sender sender,
            Randomness randomness,
            EventSink events,
            Predicate<ReplicaId> answers) {
        this.answers = answers;
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

    /// How many rounds went through all partitions, be it without room for all that they met.
    public long ended() {
        return endedRounds;
    }

    /// How many rounds came to their end, and brought all.
    public long rounds() {
        return rounds;
    }

    /// How many of those found differences and brought nothing new.
    public long fruitless() {
        return fruitless;
    }

    /// How many cells gained something in all rounds.
    long gainedEver() {
        return gainedEver;
    }

    /// How many cells gained something in this round, or the last.
    public long gained() {
        return gained;
    }

    /// How many bytes of cells came in this round, or the last.
    public long bytes() {
        return bytes;
    }

    /// How long this round has taken until its last step, or the last round took.
    public long nanos() {
        return took;
    }

    /// Grows whenever a pull has come further than any before, or has brought something: not with one that does again
    /// what failed before.
    public long progress() {
        farthest = Math.max(farthest, settled());
        return usefulRounds * Keyspace.PARTITIONS + farthest + gainedAhead;
    }

    /// How much of the present round is done.
    public int percent() {
        return running.isEmpty() ? 100 : Math.min(99, settled() * 100 / Keyspace.PARTITIONS);
    }

    private int settled() {
        return running.isEmpty()
                ? 0
                : partitionsDone + running.stream().mapToInt(Pull::settled).sum();
    }

    /// From whom this node pulls at present.
    public List<String> providers() {
        return running.stream().map(Pull::providerName).distinct().toList();
    }

    /// Begins a round, when none is under way. A provider that fails is replaced by a peer that `mayReplace` accepts.
    public void start(List<Peer> providers, Predicate<Peer> mayReplace, long now) {
        this.mayReplace = mayReplace;
        began = now;
        took = 0;
        toldAt = LONG_NANOS;
        gained = 0;
        bytes = 0;
        partitionsDone = 0;
        lacks = false;
        ended.clear();
        int shares = providers.size();
        for (int i = 0; i < shares; i++) {
            int first = Keyspace.PARTITIONS * i / shares;
            int end = Keyspace.PARTITIONS * (i + 1) / shares;
            running.add(pull(providers.get(i), first, end));
        }
    }

    private Pull pull(Peer provider, int first, int end) {
        return new Pull(++numbers, provider, first, end, keyspace, sender);
    }

    /// Begins a round if somebody present knows more than numbers can bring: with one that has news itself, if there is
    /// any, since others may not have that yet. Returns when to be called again.
    public long startIfWanted(long now) {
        if (!running.isEmpty()) {
            return Long.MAX_VALUE;
        }
        boolean pauses = now < pausesUntil;
        long due = Long.MAX_VALUE;
        List<Peer> candidates = new ArrayList<>();
        for (Peer peer : peers.all()) {
            if (peer.mayKnowMore()) {
                long from = Math.max(peer.restsUntil(), peer.since() + SETTLE_NANOS);
                if (now < from) {
                    due = Math.min(due, from);
                } else if (pauses ? hasNews(peer) : isAhead(peer)) {
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
        List<Peer> withNews = candidates.stream().filter(this::hasNews).toList();
        start(List.of(any(withNews.isEmpty() ? candidates : withNews)), _ -> true, now);
        return now;
    }

    private Peer any(List<Peer> peers) {
        return peers.get((int) Math.floorMod(randomness.nextLong(), (long) peers.size()));
    }

    private boolean hasNews(Peer peer) {
        Beat beat = peer.beat();
        return beat != null && beat.news() > sessions.known(peer.session()).news();
    }

    /// Whether the peer knows something that this node cannot ask the session for that made it.
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

    /// Whether the session itself tells what it did, so that nobody else has to be pulled from.
    private boolean canBeAsked(ReplicaId session) {
        return peers.isReachable(session) && answers.test(session);
    }

    /// Goes on with what runs; with a `backlog` frames wait that nobody has looked at. Returns when to be called again.
    public long step(long now, boolean backlog) {
        long due = Long.MAX_VALUE;
        if (!running.isEmpty()) {
            took = now - began;
            tellIfLong();
        }
        for (Pull pull : List.copyOf(running)) {
            if (!running.contains(pull)) {
                // The round was given up meanwhile.
                break;
            }
            due = Math.min(due, pull.step(now, backlog));
            if (pull.failed()) {
                Peer peer = peers.get(pull.provider());
                if (peer != null) {
                    rest(peer, now);
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

    private void tellIfLong() {
        if (took >= toldAt && gained > 0) {
            toldAt = 2 * took;
            events.happened(
                    "has pulled from %s for %d s: %d%% is compared, %d cells were new; until the end values may be too low"
                            .formatted(
                                    String.join(", ", providers()),
                                    TimeUnit.NANOSECONDS.toSeconds(took),
                                    percent(),
                                    gained));
        }
    }

    private void rest(Peer peer, long now) {
        long rest = Math.min(LONGEST_REST_NANOS, REST_NANOS << Math.min(peer.failures(), 6));
        peer.countFailure();
        peer.restUntil(now + rest + Math.floorMod(randomness.nextLong(), rest / 2));
    }

    /// Has another session provide the rest, or gives the round up: then what is missing is wanted again.
    private void replace(Pull pull, long now) {
        running.remove(pull);
        pull.giveUp();
        Peer other = peers.withBeat()
                .filter(peer -> !peer.session().equals(pull.provider()) && mayReplace.test(peer))
                .max(Comparator.comparing((Peer peer) -> now >= peer.restsUntil())
                        .thenComparing(Peer::serves))
                .orElse(null);
        if (other == null) {
            giveUp();
            events.happened("gave up pulling from " + pull.providerName() + ", nobody else is there");
        } else {
            running.add(pull(other, pull.first(), pull.end()));
            events.happened("pulls from " + other.name() + " instead of " + pull.providerName());
        }
    }

    /// Ends the round; what is missing is wanted again.
    public void giveUp() {
        running.forEach(Pull::giveUp);
        running.clear();
    }

    private void finish(Pull pull, long now) {
        running.remove(pull);
        partitionsDone += pull.settled();
        ended.add(pull);
        if (pull.differed() > 0 && gained == 0) {
            fruitless++;
        }
        if (running.isEmpty()) {
            pausesUntil = now + PAUSE_NANOS;
            endedRounds++;
            lastRound = List.copyOf(ended);
            if (lacks) {
                events.happened("pulled what it has room for, and lacks the rest");
            } else {
                takeOver();
            }
            if (gained > 0) {
                events.happened("pulled for %d ms, %d bytes: %d cells were new, the last of them from %s"
                        .formatted(TimeUnit.NANOSECONDS.toMillis(took), bytes, gained, pull.providerName()));
            }
        }
        Peer peer = peers.get(pull.provider());
        if (peer != null) {
            if (pull.comparesAll()) {
                peer.agrees(new Peer.Agreement(now, pull.differed()));
            }
            restAfter(peer, now);
        }
    }

    private void restAfter(Peer peer, long now) {
        if (running.isEmpty() && gained == 0 && isAhead(peer)) {
            // It told of more than it gives, and may do so for ever.
            rest(peer, now);
        } else {
            peer.clearFailures();
            peer.restUntil(now + PAUSE_NANOS);
        }
    }

    /// Those that go on.
    List<Pull> running() {
        return running;
    }

    /// Of which pulls the last round consisted that has ended.
    public List<Pull> lastRound() {
        return lastRound;
    }

    private void takeOver() {
        rounds++;
        Vector inCommon = ended.getFirst().vector();
        for (Pull pull : ended) {
            inCommon = inCommon.meet(pull.vector());
        }
        if (sessions.reached(inCommon)) {
            usefulRounds++;
            farthest = 0;
        }
        sessions.all().forEach(intake::advanced);
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
        full = null;
        pull.onCells(in, now, rest -> {
            try {
                int merged = intake.mergeRest(from, rest);
                gained += merged;
                gainedEver += merged;
                gainedAhead += settled() >= farthest ? merged : 0;
                bytes += size;
                if (merged > 0) {
                    sessions.progress(from).hasUnnumbered();
                }
            } catch (KeyspaceFullException noRoom) {
                // All else goes on, but nobody may be told that all is here.
                lacks = true;
                full = noRoom;
            }
        });
        if (full != null) {
            throw full;
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
