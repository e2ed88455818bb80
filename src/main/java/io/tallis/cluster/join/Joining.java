package io.tallis.cluster.join;

import io.tallis.cluster.peer.ClusterId;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Peers;
import io.tallis.cluster.peer.Sessions;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.peer.Vector;
import io.tallis.cluster.pull.Pull;
import io.tallis.cluster.pull.Pulls;
import io.tallis.cluster.records.EventSink;
import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Randomness;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Decides when this node may serve clients, and which cluster it belongs to.
///
/// The danger is a node that takes a part of the counters for all of them, and serves values that are too low. The fact
/// that prevents it is the [Standing] that each data directory keeps and each beat tells: the id of its cluster, and
/// whether it is complete. A node becomes complete in two ways only: it founds the cluster, or its journal has all that
/// complete nodes of the cluster had when it began to pull from them. It stays complete, whatever it misses later: that
/// comes by replication. The rules, numbered as in the table "Who may serve" of `replication.md`:
///
///     R1  no id, counters on disk          founds: they are all of a cluster of one
///     R2  no id, a peer has one            takes it, incomplete, and takes in no cell before the disk knows that
///     R3  no id, no peer has one           founds after a while, if as many empty nodes as expected see each other
///     R4  incomplete                       pulls from complete peers of its cluster, or waits for one, without end
///     R5  complete, does not serve yet     gets in step with complete peers; serves without if there is none for a
/// while
///     R6  complete, serves, meets a        goes on serving, pulls meanwhile, then takes the earlier id; if the peers
/// of
///         cluster founded earlier          the earlier cluster go away before, nothing has changed
///     R7  an operator says SYSTEM READY    serves at once: founds without an id, else its standing becomes complete
///
///     SEEKING ──complete peers──▶ PULLING ──done──▶ CATCHING_UP ──journal has all, disk knows──▶ READY
///        ▲                          │ failed             │ all of them gone, or no progress        │ R6
///        └──────────────────────────┴────────────────────┘ ◀───────────────────────────────────────┘
///
/// A node that came to be READY serves from then on, and is told of as READY while R6 takes it through the other states
/// again. Why R6 needs no mark on the disk: complete is about one cluster. While it pulls the node still has all of its
/// own; of the other it has a part, as it had none before, and says so to nobody.
public final class Joining {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /// How long the beats of members of the view are waited for before a pull begins without them; more for each, since
    /// beats are rarer the more nodes there are.
    private static final long BEATS_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

    private static final long BEATS_NANOS_PER_PEER = TimeUnit.MILLISECONDS.toNanos(20);

    /// The most nodes that are pulled from at a time.
    private static final int MOST_PROVIDERS = 3;

    /// How long a node that is named as donor is waited for, from when this node was connected.
    private static final long DONOR_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// What is missing after a pull comes within this time, or another pull is needed.
    private static final long CATCH_UP_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// Pauses between pulls that failed, the first and the longest.
    private static final long LEAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /// The pause before the disk is told again what it refused.
    private static final long SAVE_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    /// A reason to wait is logged when it has lasted so long.
    private static final long LONG_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final String NOT_FOUND =
            "Others may be elsewhere (cluster-seeds, cluster-dns, cluster-multicast), or"
                    + " have another cluster-name or cluster-key-file.";

    private static final String READY_SERVES = " SYSTEM READY has the node serve with what it has.";

    private final Peers peers;
    private final Sessions sessions;
    private final Pulls pulls;
    private final JoiningSettings settings;
    private final StandingStore store;
    private final Randomness randomness;
    private final LongSupplier epochMillis;
    private final IntSupplier nodesKnown;
    private final EventSink events;
    private final boolean hasCounters;

    private JoinState state = JoinState.SEEKING;
    private Standing standing;

    /// The standing that the disk does not have yet, whether it is being written, and when to try again.
    private @Nullable Standing unsaved;

    private boolean saving;
    private long saveAgainAt;

    private boolean serving;
    private boolean held;

    /// An operator said so while the disk was told something.
    private boolean readyWanted;

    /// What each provider of the pull had when the pull began, and whether it served then. Providers that are not
    /// reachable any more are removed.
    private final Map<ReplicaId, Provided> provided = new HashMap<>();

    private long roundsBefore;
    private boolean pulledFromDonor;

    /// The id that the node takes when it has all that was provided.
    private @Nullable ClusterId joins;

    /// Since when the node has made no progress, and how far it was then.
    private long stuckSince;

    private long progress;
    private long caughtUpSince;

    /// When a complete peer was reachable last.
    private long aloneSince;

    private long pausesUntil;
    private long pause;
    private String reason = "";
    private long reasonSince;
    private boolean reasonTold;
    private final Set<String> said = new HashSet<>();

    private record Provided(Vector vector, boolean served) {}

    /// What the node is, and the rest of the replicator that joining works with.
    public record Parts(
            Sessions sessions,
            Pulls pulls,
            StandingStore store,
            Randomness randomness,
            LongSupplier epochMillis,
            IntSupplier nodesKnown,
            EventSink events) {}

    /// `hasCounters` is whether the disk had any. `nodesKnown` is how many nodes the registry knows, this one included.
    public Joining(Parts parts, JoiningSettings settings, Standing standing, boolean hasCounters) {
        sessions = parts.sessions;
        peers = sessions.peers();
        pulls = parts.pulls;
        store = parts.store;
        randomness = parts.randomness;
        epochMillis = parts.epochMillis;
        nodesKnown = parts.nodesKnown;
        events = parts.events;
        this.settings = settings;
        this.standing = standing;
        this.hasCounters = hasCounters;
        held = settings.hold();
    }

    /// [JoinState#READY] from the moment that the node serves.
    public JoinState state() {
        return serving ? JoinState.READY : state;
    }

    public Standing standing() {
        return standing;
    }

    /// Whether an operator keeps the node silent.
    public boolean isHeld() {
        return held && !serving;
    }

    /// Why the node does not serve, as a sentence for people; empty when there is nothing to say but the progress.
    public String reason() {
        return serving ? "" : reason;
    }

    /// Whether the node takes in cells of others: not as long as a start could take them for a cluster of its own (R1).
    public boolean takesCells() {
        return !standing.isNone();
    }

    /// Whether missing frames are asked for: not while a pull is about to bring them.
    public boolean asksForFrames() {
        return serving || state == JoinState.CATCHING_UP || state == JoinState.READY;
    }

    /// R7: an operator wants the node to serve.
    public void ready() {
        held = false;
        if (saving) {
            readyWanted = true;
            return;
        }
        readyWanted = false;
        if (!standing.complete()) {
            ClusterId cluster = standing.cluster();
            save(Standing.complete(cluster == null ? newCluster() : cluster));
        }
        if (!serving) {
            pulls.giveUp();
            serve("serves with what it has, as an operator wants");
        }
    }

    /// Takes the next step, if one is possible. Returns when to be called again.
    public long tick(long now) {
        if (saving || mustWaitForDisk(now)) {
            return now + LOOK_NANOS;
        }
        if (readyWanted) {
            ready();
        }
        provided.keySet().removeIf(session -> !peers.isReachable(session));
        if (state == JoinState.READY) {
            seekEarlierCluster(now);
            return state == JoinState.READY ? now + CATCH_UP_NANOS / 10 : now + LOOK_NANOS;
        }
        lookAtProgress(now);
        switch (state) {
            case SEEKING -> seek(now);
            case PULLING -> afterPull(now);
            case CATCHING_UP -> catchUp(now);
            case LOADING, READY -> {}
        }
        if (!serving
                && standing.complete()
                && !held
                && now - stuckSince >= settings.joinTimeout().toNanos()) {
            serve("serves without being in step with others: %d s went by without progress"
                    .formatted(settings.joinTimeout().toSeconds()));
        }
        return now + LOOK_NANOS;
    }

    private void lookAtProgress(long now) {
        boolean waitsForOperator = settings.aloneTimeout().equals(JoiningSettings.FOR_EVER)
                && peers.withBeat().noneMatch(Peer::serves);
        if (stuckSince == 0 || pulls.progress() > progress || waitsForOperator) {
            progress = pulls.progress();
            stuckSince = now;
        }
    }

    // SEEKING

    private void seek(long now) {
        if (serving && earlierComplete().isEmpty()) {
            // R6: the earlier cluster has gone away.
            state = JoinState.READY;
            return;
        }
        if (!peers.isConnected()) {
            waitFor(now, "The node is not connected to the cluster's network yet; if that lasts, its log says why.");
        } else if (standing.isNone()) {
            seekCluster(now);
        } else {
            seekProviders(now);
        }
    }

    private void seekCluster(long now) {
        Optional<ClusterId> heard = earliestIdOfPeers();
        if (hasCounters) {
            found("finds counters and no cluster on its disk, and begins the cluster %s with them (R1)");
        } else if (heard.isPresent()) {
            tell("joins the cluster %s (R2)".formatted(heard.get()));
            save(Standing.incomplete(heard.get()));
        } else if (mayFound(now)) {
            found("finds no cluster, and founds %s (R3)");
        } else {
            waitFor(now, whyNoCluster());
        }
    }

    private Optional<ClusterId> earliestIdOfPeers() {
        return idsOf(peers.withBeat().filter(peer -> peer.standing().complete()))
                .min(Comparator.naturalOrder())
                .or(() -> idsOf(peers.withBeat()).min(Comparator.naturalOrder()));
    }

    private static Stream<ClusterId> idsOf(Stream<Peer> peers) {
        return peers.map(peer -> peer.standing().cluster()).filter(id -> id != null);
    }

    /// R3. Of several empty nodes the first by session founds, so that they seldom found several clusters, which then
    /// have to merge; if that one does not, the others do.
    private boolean mayFound(long now) {
        long empty =
                1 + peers.withBeat().filter(peer -> peer.standing().isNone()).count();
        boolean isFirst = peers.withBeat().allMatch(peer -> peer.session().compareTo(sessions.self()) > 0);
        return settings.bootstrapExpect() > 0
                && empty >= settings.bootstrapExpect()
                && hasWaited(0, isFirst ? 1 : 2, now);
    }

    private boolean hasWaited(long since, int times, long now) {
        return !settings.aloneTimeout().equals(JoiningSettings.FOR_EVER)
                && now - Math.max(since, peers.connectedSince())
                        >= times * settings.aloneTimeout().toNanos();
    }

    private String whyNoCluster() {
        String expected = settings.bootstrapExpect() == 0
                ? "founds none by itself (cluster-bootstrap-expect)."
                : "founds one when it sees %d empty nodes, itself included (cluster-bootstrap-expect)."
                        .formatted(settings.bootstrapExpect());
        return "The node is empty, hears of no cluster, and " + expected + " " + NOT_FOUND
                + " SYSTEM READY has it found one at once.";
    }

    private ClusterId newCluster() {
        return new ClusterId(epochMillis.getAsLong(), randomness.nextLong());
    }

    private void found(String what) {
        ClusterId cluster = newCluster();
        tell(what.formatted(cluster));
        save(Standing.complete(cluster));
    }

    /// R4, R5, R6.
    private void seekProviders(long now) {
        ClusterId own = cluster();
        Optional<ClusterId> earlier = earlierComplete();
        if (!standing.complete() && earlier.isPresent()) {
            tell("joins the cluster %s, which was founded before %s".formatted(earlier.get(), own));
            save(Standing.incomplete(earlier.get()));
            return;
        }
        ClusterId joined = earlier.orElse(own);
        Predicate<Peer> mayProvide = peer -> mayProvide(peer, joined);
        List<Peer> complete = peers.withBeat().filter(mayProvide).toList();
        aloneSince = complete.isEmpty() ? aloneSince : now;
        if (complete.isEmpty() || now < pausesUntil || mayHearMore(now)) {
            waitOrServeAlone(complete.isEmpty(), now);
            return;
        }
        List<Peer> chosen = choose(complete, now);
        if (!chosen.isEmpty() && pulls.idle()) {
            roundsBefore = pulls.ended();
            joins = joined;
            pulls.start(chosen, mayProvide, now);
            state = JoinState.PULLING;
            reason = "";
            tell("pulls from " + String.join(", ", pulls.providers()));
        }
    }

    /// All providers of a pull are complete for the cluster that the node joins by it. Only a complete node, of the
    /// earliest cluster there is, takes what it can get to be in step with others before it serves.
    private boolean mayProvide(Peer peer, ClusterId joined) {
        boolean hasAll = standing.isCompleteFor(joined) && !serving;
        return hasAll ? peer.standing().complete() : peer.standing().isCompleteFor(joined);
    }

    private ClusterId cluster() {
        ClusterId cluster = standing.cluster();
        if (cluster == null) {
            throw new IllegalStateException("no cluster");
        }
        return cluster;
    }

    private Optional<ClusterId> earlierComplete() {
        ClusterId own = standing.cluster();
        return own == null
                ? Optional.empty()
                : idsOf(peers.withBeat().filter(peer -> peer.standing().isCompleteForEarlierThan(own)))
                        .min(Comparator.naturalOrder());
    }

    /// Whether a member of the view, which has not told how it stands, may do so soon.
    private boolean mayHearMore(long now) {
        return peers.mayHearMore() && now - peers.viewSince() < BEATS_NANOS + BEATS_NANOS_PER_PEER * peers.count();
    }

    private void waitOrServeAlone(boolean nobodyComplete, long now) {
        if (!nobodyComplete) {
            return;
        }
        if (!standing.complete()) {
            waitFor(
                    now,
                    ("The node is incomplete and waits for a complete node of its cluster %s; %d complete nodes of other"
                                    + " clusters are reachable. %s If all of its own are lost for good, SYSTEM READY takes"
                                    + " what this node has for all that there is.")
                            .formatted(
                                    cluster(),
                                    peers.withBeat()
                                            .filter(peer -> peer.standing().complete())
                                            .count(),
                                    NOT_FOUND));
        } else if (mayServeWithoutOthers(aloneSince, now)) {
            serve("serves with what it has: no other complete node is reachable");
        } else {
            waitFor(
                    now,
                    "The node has counters of its own and waits for other nodes that it knows of (cluster-alone-timeout). "
                            + NOT_FOUND + READY_SERVES);
        }
    }

    /// R5: nobody is missing, or the node has waited long enough.
    private boolean mayServeWithoutOthers(long since, long now) {
        boolean nobodyMissing =
                !peers.mayHearMore() && !settings.expectsOthers() && reachableNodes() >= nodesKnown.getAsInt();
        return nobodyMissing || hasWaited(since, 1, now);
    }

    private long reachableNodes() {
        return 1 + peers.withBeat().map(Peer::uuid).distinct().count();
    }

    /// The donor at first, if one is named, which is waited for a while; else nodes that serve before others.
    private List<Peer> choose(List<Peer> complete, long now) {
        if (!settings.donor().isEmpty() && !pulledFromDonor && !serving) {
            List<Peer> donor = complete.stream()
                    .filter(peer -> peer.name().equals(settings.donor()))
                    .toList();
            pulledFromDonor = !donor.isEmpty();
            if (!donor.isEmpty() || now - peers.connectedSince() < DONOR_NANOS) {
                waitFor(
                        now,
                        "The node waits for its donor %s, and for others if that does not come."
                                .formatted(settings.donor()));
                return donor;
            }
        }
        List<Peer> serve = complete.stream().filter(Peer::serves).toList();
        return (serve.isEmpty() ? complete : serve)
                .stream().limit(MOST_PROVIDERS).toList();
    }

    // PULLING and CATCHING_UP

    private void afterPull(long now) {
        if (!pulls.idle()) {
            return;
        }
        if (pulls.ended() == roundsBefore) {
            seekAgain(now, "could not pull from anyone to the end, and looks again");
            return;
        }
        provided.clear();
        for (Pull pull : pulls.lastRound()) {
            Peer peer = peers.get(pull.provider());
            if (peer != null) {
                provided.merge(
                        peer.session(),
                        new Provided(pull.vector(), peer.serves()),
                        (one, other) -> new Provided(one.vector.join(other.vector), other.served));
            }
        }
        caughtUpSince = now;
        state = JoinState.CATCHING_UP;
    }

    private void catchUp(long now) {
        if (provided.isEmpty()) {
            seekAgain(now, "lost all nodes that it pulled from, and looks again");
        } else if (!provided.values().stream().map(Provided::vector).allMatch(sessions::keeps)) {
            waitFor(now, "The node waits for its disk, or for changes that are on their way.");
            if (now - caughtUpSince >= CATCH_UP_NANOS) {
                seekAgain(now, "lacks something of what it pulled, and looks again");
            }
        } else if (!standing.isCompleteFor(joins())) {
            tell("has all that the complete nodes of cluster %s had".formatted(joins()));
            save(Standing.complete(joins()));
        } else if (serving || isInStepWithOneThatServes()) {
            serve("is in step and serves");
        } else if (peers.withBeat().anyMatch(peer -> peer.serves() && mayProvide(peer, joins()))) {
            seekAgain(now, "is in step with nodes that do not serve, and pulls from one that does");
        } else if (mayServeWithoutOthers(0, now)) {
            serve("is in step and serves, as the first of those that are reachable");
        } else {
            waitFor(
                    now,
                    "The node is in step with those that are reachable, none of which serves yet, and waits for"
                            + " others that it knows of (cluster-alone-timeout)." + READY_SERVES);
        }
    }

    private boolean isInStepWithOneThatServes() {
        return provided.entrySet().stream().anyMatch(entry -> {
            Peer peer = peers.get(entry.getKey());
            return entry.getValue().served || (peer != null && peer.serves());
        });
    }

    private ClusterId joins() {
        return joins == null ? cluster() : joins;
    }

    private void seekAgain(long now, String what) {
        pause = Math.clamp(2 * pause, LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS);
        pausesUntil = now + pause;
        state = serving ? JoinState.READY : JoinState.SEEKING;
        tell(what);
    }

    // READY

    /// R6.
    private void seekEarlierCluster(long now) {
        if (!standing.isNone()
                && now >= pausesUntil
                && pulls.idle()
                && earlierComplete().isPresent()) {
            tell("meets the cluster %s, which was founded earlier, and gets what that has while it serves (R6)"
                    .formatted(earlierComplete().get()));
            state = JoinState.SEEKING;
        }
    }

    private void serve(String what) {
        if (held) {
            reason = "The node is kept silent by cluster-hold until SYSTEM READY; then it " + what + ".";
            return;
        }
        state = JoinState.READY;
        serving = true;
        provided.clear();
        joins = null;
        pause = 0;
        reason = "";
        tell(what);
    }

    // The disk, and people

    /// Has the disk know `next` before anything else is done.
    private void save(Standing next) {
        unsaved = next;
        saving = true;
        store.save(next, () -> saved(next, true), () -> saved(next, false));
    }

    /// To be incomplete has to be known before cells are taken in. A complete node goes on though its disk failed: the
    /// next start would wait for others, which is safe.
    private void saved(Standing next, boolean isOnDisk) {
        saving = false;
        unsaved = isOnDisk ? null : next;
        saveAgainAt = 0;
        if (isOnDisk || next.complete()) {
            standing = next;
        }
    }

    /// Tries again what the disk refused. Returns whether joining has to wait for that.
    private boolean mustWaitForDisk(long now) {
        Standing next = unsaved;
        if (next == null) {
            return false;
        }
        if (saveAgainAt == 0) {
            saveAgainAt = now + SAVE_AGAIN_NANOS;
        } else if (now >= saveAgainAt) {
            save(next);
        }
        return saving || !next.complete();
    }

    private void waitFor(long now, String what) {
        if (!what.equals(reason)) {
            reason = what;
            reasonSince = now;
            reasonTold = false;
        } else if (!reasonTold && !serving && now - reasonSince >= LONG_WAIT_NANOS) {
            reasonTold = true;
            events.happened("waits: " + what);
        }
    }

    /// Tells people once in the life of this process, since what is tried again may fail again for ever.
    private void tell(String what) {
        if (said.add(what)) {
            events.happened(what);
        }
    }
}
