package io.tallis.cluster.join;

import io.tallis.cluster.peer.ClusterId;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Peers;
import io.tallis.cluster.peer.Purge;
import io.tallis.cluster.peer.Sessions;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.peer.Vector;
import io.tallis.cluster.pull.Pull;
import io.tallis.cluster.pull.Pulls;
import io.tallis.cluster.records.Event;
import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Randomness;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The state machine that decides when this node may serve clients, and which cluster it belongs to.
///
/// A node that has only some of the counters must not serve: clients would read values that are too low. What prevents
/// it is the [Standing] in each data directory and each beat: the id of the cluster, and whether the node is complete.
/// A node becomes complete in two ways only: it founds the cluster, or its journal has all that complete nodes of the
/// cluster had when it began to pull from them. It stays complete, whatever it misses later, because replication brings
/// that. The rules are numbered as in the table "Which node may serve" of `replication.md`:
///
///     R1  no id, counters on disk          founds a cluster with them
///     R2  no id, a peer has one            takes that id, incomplete; merges no cell before the disk has noted that
///     R3  no id, no peer has one           founds a cluster after a while, if enough empty nodes reach each other
///     R4  incomplete                       pulls from complete peers of its cluster when they and it know the same
///                                          nodes, or after 10 s; waits for a complete one without limit; if none is
///                                          reachable, joins another cluster that is earlier; after a while any
///                                          other, if it has no counters itself
///     R5  complete, does not serve yet     gets in step with complete peers, or serves if none appears in time
///     R6  complete, serves, reaches a      goes on serving, pulls, then takes the earlier id; if that cluster becomes
///         cluster founded earlier          unreachable before that, nothing has changed
///     R7  the operator: SYSTEM READY       serves at once: founds a cluster if it has no id, else becomes complete
///
///     SEEKING ──complete peers──▶ PULLING ──done──▶ CATCHING_UP ──journal has all, disk knows──▶ READY
///        ▲                          │ failed             │ providers lost, or no progress          │ R6
///        └──────────────────────────┴────────────────────┘ ◀───────────────────────────────────────┘
///
/// A node that was READY once serves from then on, and is shown as READY while R6 takes it through the other states
/// again.
///
/// Why no number of counters, no quorum and no timeout decides: none of them tells a part of the counters from all of
/// them. A node with a million counters may lack a counter that others have, and the nodes that reach each other may
/// all be new and have nothing yet. So an incomplete node waits, if need be until an operator decides (R7). A complete
/// one waits for a limited time, unless `cluster-alone-timeout 0` says otherwise.
///
/// Why two clusters that meet become the earlier one (R2, R4, R6): both sides have to choose the same without asking,
/// and the time of founding is what both know. A node without counters may join a later one too (R4): if its own
/// cluster is lost, only an operator could end its wait otherwise, and it has nothing of that cluster to bring into the
/// other. Should the lost nodes come back, the two clusters merge as any others do.
///
/// Why R6 writes nothing to the disk before it pulls: *complete* is about one cluster. While the node pulls, it is
/// still complete for its own cluster, which is what its disk says, and claims nothing about the other one.
///
/// Why the disk is waited for at all: a crash between a decision and its note must not look like another decision. A
/// node that merged before its disk knew its cluster would start again with counters and no id, and found a cluster
/// with them (R1). What an operator or a timeout decided does not wait: a disk that hangs may hang for ever, and the
/// next start is then incomplete and waits, which is safe.
public final class Joining {
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /// How often a node that serves looks for an earlier cluster.
    private static final long STEP_NANOS_WHEN_READY = TimeUnit.SECONDS.toNanos(1);

    /// How long to wait for the beats of members of the view before a pull begins without them; longer the more nodes
    /// there are, since then beats are less frequent.
    private static final long BEATS_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

    private static final long BEATS_NANOS_PER_PEER = TimeUnit.MILLISECONDS.toNanos(20);

    /// The most providers of one pull.
    private static final int MOST_PROVIDERS = 3;

    /// How long to wait for the donor, from when this node was connected.
    private static final long DONOR_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// For how long others have to tell of a purge that this node has missed, before it notes that, and before it ends.
    private static final long MISSED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long BEHIND_NANOS = TimeUnit.SECONDS.toNanos(3);

    /// How long to wait before the first pull until providers know the same nodes and folds.
    private static final long SAME_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// What is missing after a pull has to arrive within this time, or another pull is needed. Pulls that bring it,
    /// from providers that differ, may take longer.
    private static final long CATCH_UP_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// The first and the longest pause after a failed pull.
    private static final long LEAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /// The pause before a failed write of the standing is repeated.
    private static final long SAVE_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    /// A reason to wait is reported when it has lasted so long.
    private static final long LONG_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// Why a node that could serve does not.
    public static final String HELD = "An operator said SYSTEM HOLD: the node serves no client until SYSTEM READY.";

    private static final String READY_SERVES = " SYSTEM READY makes the node serve what it has.";

    private final Peers peers;
    private final Sessions sessions;
    private final Pulls pulls;
    private final JoiningSettings settings;
    private final StandingStore store;
    private final Randomness randomness;
    private final LongSupplier epochMillis;
    private final IntSupplier nodesKnown;
    private final Supplier<List<String>> unreachable;
    private final BooleanSupplier hasCounters;
    private final LongSupplier nodesHash;
    private final LongSupplier foldsHash;
    private final Event.Sink events;
    private final Consumer<String> end;

    /// What to check when other nodes are not found, for operators.
    private final String notFound;

    private JoinState state = JoinState.SEEKING;
    private Standing standing;

    /// The newest standing that is not on disk yet, whether it is being written, and when to try again.
    private @Nullable Standing unsaved;

    private boolean saving;
    private long saveAgainAt;

    private boolean serving;
    private boolean held;

    /// What each provider had when the pull began, and whether it served by then. Providers that become unreachable are
    /// removed.
    private final Map<ReplicaId, Provided> provided = new HashMap<>();

    private long round;
    private boolean pulledFromDonor;

    /// Since when providers and this node know different nodes or folds, 0 if they do not.
    private long differsSince;

    /// The cluster for which the node is complete when it has all that its providers had, and its last purge.
    private @Nullable ClusterId pullsFor;

    private Purge pullsAfter = Purge.NONE;

    /// What its providers told to be undecided when the pull began ([Standing#undecided]).
    private long undecided;

    /// A purge that others know and this node does not, and since when they have told of it.
    private Purge missed = Purge.NONE;

    private long missedSince;

    /// When the node last made progress, and how far [Pulls#progress] was then.
    private long stuckSince;

    private long progress;
    private long caughtUpSince;

    /// When a complete peer was reachable last.
    private long aloneSince;

    private long pausesUntil;
    private long pause;
    private String reason = "";
    private long reasonSince;
    private boolean reasonReported;
    private final Set<String> reported = new HashSet<>();

    private record Provided(Vector vector, boolean served) {}

    /// The other parts that joining works with.
    public record Parts(
            Sessions sessions,
            Pulls pulls,
            StandingStore store,
            Randomness randomness,
            LongSupplier epochMillis,
            IntSupplier nodesKnown,
            Supplier<List<String>> unreachable,
            BooleanSupplier hasCounters,
            LongSupplier nodesHash,
            LongSupplier foldsHash,
            Event.Sink events,
            Consumer<String> end) {}

    /// `end` of the parts ends the process, `nodesHash` is a hash of what is known of nodes, `foldsHash` one of the
    /// folds that were made here. `hasCounters` is whether there are any on disk or in memory. `nodesKnown` is how many
    /// nodes there are by what this one knows, itself included, `unreachable` the names of some that it does not reach.
    public Joining(Parts parts, JoiningSettings settings, Standing standing) {
        sessions = parts.sessions;
        peers = sessions.peers();
        pulls = parts.pulls;
        store = parts.store;
        randomness = parts.randomness;
        epochMillis = parts.epochMillis;
        nodesKnown = parts.nodesKnown;
        unreachable = parts.unreachable;
        hasCounters = parts.hasCounters;
        nodesHash = parts.nodesHash;
        foldsHash = parts.foldsHash;
        events = parts.events;
        end = parts.end;
        this.settings = settings;
        this.standing = standing;
        held = settings.hold();
        notFound = "If other nodes run, check " + settings.foundBy() + ".";
    }

    /// The state to be shown: [JoinState#READY] once the node serves.
    public JoinState state() {
        return serving ? JoinState.READY : state;
    }

    public Standing standing() {
        return standing;
    }

    /// What peers and clients are told: a node that is held tells that once it could serve.
    public JoinState told() {
        return serving && held ? JoinState.HELD : state();
    }

    /// Whether an operator keeps the node from serving: with the setting `cluster-hold`, or `SYSTEM HOLD`.
    public boolean isHeld() {
        return held;
    }

    /// Why the node does not serve, in sentences for operators; empty while it pulls.
    public String reason() {
        if (serving) {
            return held ? HELD : "";
        }
        return reason;
    }

    /// Whether cells of others may be merged. Not before the disk has a cluster id: after a restart, R1 would found a
    /// cluster with them. And not while an incomplete node looks for a provider: the pull brings what it misses
    /// meanwhile, and once it has a counter, it may not join a later cluster any more (R4).
    public boolean takesCells() {
        return standing.complete() || (!standing.isNone() && state != JoinState.SEEKING);
    }

    /// Whether missing frames are asked for; not while a pull will bring them.
    public boolean asksForFrames() {
        return serving || state == JoinState.CATCHING_UP || state == JoinState.READY;
    }

    /// `SYSTEM HOLD`. A node that serves stays what it is for its peers, but for the state that it tells: so nothing
    /// has to be pulled when it goes on.
    public void hold() {
        if (!held) {
            events.record("serves no client: an operator said SYSTEM HOLD");
        }
        held = true;
    }

    /// R7: `SYSTEM READY`. Waits for nothing, not even for the disk, which may hang or refuse what it is given.
    public void ready() {
        if (held && serving) {
            events.record("serves again: an operator said SYSTEM READY");
        }
        held = false;
        if (!standing.complete()) {
            Standing newest = unsaved == null ? standing : unsaved;
            standing = newest.isNone()
                    ? Standing.complete(newCluster("an operator said SYSTEM READY, and the node belonged to none"))
                    : Standing.complete(clusterOf(newest)).after(newest.purge()).readyFor(newest.readyFor());
            save(standing);
        }
        if (!serving) {
            serve("an operator said SYSTEM READY");
        }
    }

    /// Notes on disk what it knows of purges now. Returns false if it is noting something else.
    public boolean note(Standing next) {
        if (unsaved != null) {
            return false;
        }
        save(next);
        return true;
    }

    /// Whether cells in frames with this tag of a purge are those that it pulls.
    public boolean pullsAfter(int tag) {
        return (state == JoinState.PULLING || state == JoinState.CATCHING_UP)
                && (pullsAfter.tag() == tag || (undecided != 0 && new Purge(0, undecided).tag() == tag));
    }

    /// Takes the next step, if one is possible. Returns when to be called again.
    public long step(long now) {
        provided.keySet().removeIf(session -> !peers.isReachable(session));
        noteProgress(now);
        if (!isBlockedByDisk(now)) {
            advance(now);
        }
        serveIfStuck(now);
        return now + (state == JoinState.READY ? STEP_NANOS_WHEN_READY : STEP_NANOS);
    }

    private void advance(long now) {
        switch (state) {
            case SEEKING -> seek(now);
            case PULLING -> finishPull(now);
            case CATCHING_UP -> catchUp(now);
            case READY -> seekEarlierCluster(now);
            case LOADING, HELD -> {}
        }
    }

    /// R5: a complete node does not wait for ever, whatever it waits for.
    private void serveIfStuck(long now) {
        if (!serving
                && standing.complete()
                && !held
                && now - stuckSince >= settings.joinTimeout().toNanos()) {
            serve("it made no progress for %d s (cluster-join-timeout), and serves without being in step with its peers"
                    .formatted(settings.joinTimeout().toSeconds()));
        }
    }

    private void noteProgress(long now) {
        // With `cluster-alone-timeout 0` a node without a serving peer waits for an operator, not for progress.
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
            // R6: the earlier cluster is unreachable again.
            state = JoinState.READY;
            return;
        }
        if (!peers.isConnected()) {
            waitFor(now, "The node is not connected to the cluster's network yet. If that lasts, see its log.");
        } else if (standing.isNone()) {
            seekCluster(now);
        } else {
            seekProviders(now);
        }
    }

    private void seekCluster(long now) {
        Optional<ClusterId> known = earliestIdOfPeers();
        if (hasCounters.getAsBoolean()) {
            found("it has counters and belonged to none");
        } else if (known.isPresent()) {
            report("joins the cluster %s".formatted(known.get()));
            save(Standing.incomplete(known.get()));
        } else if (mayFound(now)) {
            found("it is empty and reaches no node of one");
        } else {
            waitFor(now, whyNoCluster());
        }
    }

    private Optional<ClusterId> earliestIdOfPeers() {
        return earliestComplete().or(() -> idsOf(peers.withBeat()).min(Comparator.naturalOrder()));
    }

    private Optional<ClusterId> earliestComplete() {
        return idsOf(peers.withBeat().filter(peer -> peer.standing().complete()))
                .min(Comparator.naturalOrder());
    }

    private static Stream<ClusterId> idsOf(Stream<Peer> peers) {
        return peers.map(peer -> peer.standing().cluster()).filter(id -> id != null);
    }

    /// R3. Of several empty nodes the one with the lowest session id founds the cluster, and the others wait twice as
    /// long before they do: so they rarely found several clusters, which would have to merge.
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
        String expected = switch (settings.bootstrapExpect()) {
            case 0 ->
                "founds none by itself, as it does not know how many nodes there are" + " (cluster-bootstrap-expect).";
            case 1 -> "founds one when cluster-alone-timeout is over.";
            default ->
                "founds one when %d empty nodes reach each other, itself included".formatted(settings.bootstrapExpect())
                        + " (cluster-bootstrap-expect).";
        };
        return "The node is empty, reaches no cluster, and " + expected + " " + notFound
                + " SYSTEM READY makes it found one at once.";
    }

    private void found(String why) {
        save(Standing.complete(newCluster(why)));
    }

    private ClusterId newCluster(String why) {
        ClusterId cluster = new ClusterId(epochMillis.getAsLong(), randomness.nextLong());
        report("founds the cluster %s: %s".formatted(cluster, why));
        return cluster;
    }

    /// R4, R5, R6.
    private void seekProviders(long now) {
        ClusterId own = cluster();
        Optional<ClusterId> earlier = earlierComplete();
        boolean isOwnReachable = !serving && hasProviderOf(own);
        if (!standing.complete() && !isOwnReachable) {
            Optional<ClusterId> other = earlier.or(() -> anyWhileEmpty(now));
            if (other.isPresent()) {
                report("joins the cluster %s, as no complete node of its own one, %s, is reachable"
                        .formatted(other.get(), own));
                save(Standing.incomplete(other.get()).after(lastPurge(completeFor(other.get()))));
                return;
            }
        }
        // A node that does not serve yet gets in step with its own cluster first, and a complete one keeps its id until
        // it has all of the earlier cluster (R6).
        ClusterId joined = isOwnReachable ? own : earlier.orElse(own);
        Predicate<Peer> mayProvide = peer -> mayProvide(peer, joined);
        if (joined.equals(own) && isBehind(own, now)) {
            return;
        }
        // Those that do not know the last purge may have what it has dropped.
        Purge last = lastPurge(mayProvide);
        Predicate<Peer> provides =
                mayProvide.and(peer -> peer.standing().purge().equals(last)
                        && !(peer.standing().isCompleteFor(own)
                                && standing.purge().isLaterThan(last)));
        List<Peer> complete = peers.withBeat().filter(provides).toList();
        aloneSince = complete.isEmpty() ? aloneSince : now;
        differsSince = complete.isEmpty() ? 0 : differsSince;
        if (complete.isEmpty() && othersFollow(own) && !(standing.complete() && hasWaited(aloneSince, 1, now))) {
            waitFor(
                    now,
                    "The node waits for the others to note a purge of deleted counters. If those that have noted it are"
                            + " lost for good, start this node with an empty data directory.");
            return;
        }
        if (complete.isEmpty() || now < pausesUntil || expectsBeats(now)) {
            waitOrServeAlone(complete.isEmpty(), now);
            return;
        }
        boolean getsInStep = standing.isCompleteFor(joined);
        List<Peer> asReady = getsInStep ? complete : readiest(complete);
        if (asReady.isEmpty()) {
            waitFor(now, "The node waits until a complete node hears it.");
            return;
        }
        List<Peer> chosen = choose(asReady, now);
        if (!chosen.isEmpty() && pulls.idle() && knowsTheSame(chosen, now) && isNoted(last, asReady)) {
            pullsFor = joined;
            pullsAfter = last;
            long ready = getsInStep ? 0 : undecided(asReady);
            undecided = ready;
            round = pulls.start(
                    chosen, getsInStep ? provides : mayProvide.and(peer -> isAsReady(peer, last, ready)), now);
            pulledFromDonor |= chosen.stream().anyMatch(this::isDonor);
            state = JoinState.PULLING;
            reason = "";
            report("pulls from " + String.join(", ", pulls.providers()));
        }
    }

    /// Of complete nodes with the same last purge, those from which this node takes over what they were ready for, so
    /// that it is not behind when that purge turns out to be made. What they tell of that is certain when they hear
    /// this node: from then on none is made without it ([io.tallis.cluster.purge.Purging]). A node that serves does not
    /// wait for that.
    private List<Peer> readiest(List<Peer> complete) {
        List<Peer> hearing = complete.stream()
                .filter(peer -> serving || peer.reaches(sessions.self()))
                .toList();
        long ready = hearing.stream()
                .mapToLong(peer -> peer.purges().undecided())
                .filter(purge -> purge != 0)
                .max()
                .orElse(0);
        return hearing.stream()
                .filter(peer -> peer.purges().undecided() == ready)
                .toList();
    }

    private static long undecided(List<Peer> asReady) {
        return asReady.getFirst().purges().undecided();
    }

    /// Whether a peer may take the place of a provider: it was ready for the same, or knows that this purge was made.
    private static boolean isAsReady(Peer peer, Purge last, long ready) {
        return peer.standing().purge().equals(last)
                ? peer.purges().undecided() == ready
                : ready != 0 && peer.standing().purge().id() == ready;
    }

    /// Whether the disk of a node that is incomplete says what its providers have of purges. With counters of its own
    /// it is ready for nothing before it has all of theirs: what it has may have been deleted meanwhile.
    private boolean isNoted(Purge last, List<Peer> providers) {
        if (standing.complete()) {
            return true;
        }
        long ready = undecided(providers);
        boolean isReady = ready == standing.readyFor() || !hasCounters.getAsBoolean();
        Standing noted = Standing.incomplete(cluster()).after(last).readyFor(isReady ? ready : 0);
        if (!noted.equals(standing)) {
            save(noted);
        }
        return noted.equals(standing);
    }

    /// Whether this node knows the folds of its providers, whose cells it could not read otherwise, and, if it is not
    /// complete, they and it know the same nodes: if all are killed just after it has joined, none may start alone, not
    /// know of the others, and fold or purge without them. After 10 s it pulls all the same: a copied directory may
    /// have other folds for ever.
    private boolean knowsTheSame(List<Peer> providers, long now) {
        boolean knowsFolds = providers.stream().allMatch(peer -> peer.folds().made() == foldsHash.getAsLong());
        boolean knowsNodes =
                standing.complete() || providers.stream().allMatch(peer -> peer.nodesHash() == nodesHash.getAsLong());
        if (knowsFolds && knowsNodes) {
            differsSince = 0;
            return true;
        }
        differsSince = differsSince == 0 ? now : differsSince;
        String what = knowsFolds ? "which nodes there are" : "which sessions were folded";
        waitFor(now, "The node learns " + what + ".");
        if (now - differsSince < SAME_TIMEOUT_NANOS) {
            return false;
        }
        report("gives up waiting until it and its providers know the same of " + what + ", and pulls");
        return true;
    }

    /// Whether the cluster has made a purge without this node, which then does not pull: with counters it ends, since
    /// it would bring deleted ones back, and without it notes the purge first.
    private boolean isBehind(ClusterId own, long now) {
        Purge last = lastPurge(completeFor(own));
        if (!standing.isBehind(last)) {
            missed = Purge.NONE;
            return false;
        }
        if (!last.equals(missed)) {
            missed = last;
            missedSince = now;
        }
        boolean isEmpty = !hasCounters.getAsBoolean();
        waitFor(now, "The node looks for other nodes that know the last purge of deleted counters.");
        // One damaged beat is not believed.
        if (isEmpty && now - missedSince >= MISSED_NANOS) {
            save(Standing.incomplete(own).after(last));
        } else if (!isEmpty && now - missedSince >= BEHIND_NANOS) {
            end.accept(standing.whyBehind(last));
        }
        return true;
    }

    /// Whether peers are about to note the last purge, which this node did first.
    private boolean othersFollow(ClusterId own) {
        return peers.withBeat()
                .filter(completeFor(own))
                .anyMatch(peer -> standing.purge().isLaterThan(peer.standing().purge()));
    }

    /// The last purge of which a peer of this kind knows.
    private Purge lastPurge(Predicate<Peer> kind) {
        return peers.withBeat()
                .filter(kind)
                .map(peer -> peer.standing().purge())
                .max(Comparator.naturalOrder())
                .orElse(Purge.NONE);
    }

    private static Predicate<Peer> completeFor(ClusterId cluster) {
        return peer -> peer.standing().isCompleteFor(cluster);
    }

    /// R4: the cluster that an incomplete node without counters joins when it has waited for its own one.
    private Optional<ClusterId> anyWhileEmpty(long now) {
        return hasWaited(aloneSince, 1, now) && !hasCounters.getAsBoolean() ? earliestComplete() : Optional.empty();
    }

    /// Whether a peer may be a provider of the pull by which the node joins `joined`: if it is complete for that
    /// cluster. A node that is itself complete for it needs the pull only to be in step, and may pull from any complete
    /// node.
    private boolean mayProvide(Peer peer, ClusterId joined) {
        boolean mayBeAny = standing.isCompleteFor(joined) && !serving && !hasProviderOf(joined);
        return mayBeAny ? peer.standing().complete() : peer.standing().isCompleteFor(joined);
    }

    /// Whether a peer has what this node lacks of a cluster: for an incomplete node any that is complete, for a
    /// complete one a peer that serves.
    private boolean hasProviderOf(ClusterId cluster) {
        return peers.withBeat()
                .anyMatch(peer ->
                        peer.standing().isCompleteFor(cluster) && (!standing.isCompleteFor(cluster) || peer.serves()));
    }

    private ClusterId cluster() {
        return clusterOf(standing);
    }

    private static ClusterId clusterOf(Standing standing) {
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

    /// Whether the beat of a member of the view may still arrive.
    private boolean expectsBeats(long now) {
        return peers.hasUnheardMember() && now - peers.viewSince() < BEATS_NANOS + BEATS_NANOS_PER_PEER * peers.count();
    }

    private void waitOrServeAlone(boolean noneComplete, long now) {
        if (!noneComplete) {
            return;
        }
        if (!standing.complete()) {
            waitFor(
                    now,
                    ("The node is incomplete and waits for a complete node of its cluster %s; %d complete nodes of"
                                    + " other clusters are reachable. %s If all complete nodes of its cluster are lost"
                                    + " for good, SYSTEM READY declares this node complete.")
                            .formatted(
                                    cluster(),
                                    peers.withBeat()
                                            .filter(peer -> peer.standing().complete())
                                            .count(),
                                    notFound));
        } else if (mayServeWithoutOthers(aloneSince, now)) {
            serve("no other complete node is reachable");
        } else {
            waitFor(
                    now,
                    "The node is complete and waits for " + others() + "; " + endOfWait() + " " + notFound
                            + READY_SERVES);
        }
    }

    /// The nodes that are missing, as far as they are known.
    private String others() {
        List<String> names = unreachable.get();
        return names.isEmpty() ? "other nodes" : "the nodes that it knows: " + String.join(", ", names);
    }

    private String endOfWait() {
        return settings.aloneTimeout().equals(JoiningSettings.FOR_EVER)
                ? "it does not serve without them (cluster-alone-timeout 0)."
                : "it serves without them after cluster-alone-timeout (%d s)."
                        .formatted(settings.aloneTimeout().toSeconds());
    }

    /// R5: all known nodes are reachable, or the node has waited long enough.
    private boolean mayServeWithoutOthers(long since, long now) {
        long reachable = reachableNodes();
        boolean noneMissing = !peers.hasUnheardMember()
                && reachable >= nodesKnown.getAsInt()
                && (reachable > 1 || !settings.expectsOthers());
        return noneMissing || hasWaited(since, 1, now);
    }

    private long reachableNodes() {
        return 1 + peers.withBeat().map(Peer::uuid).distinct().count();
    }

    /// Chooses the providers: the donor if one is set, for which the node waits a while; else nodes that serve, or if
    /// there are none, others. Empty while it waits.
    private List<Peer> choose(List<Peer> complete, long now) {
        if (!settings.donor().isEmpty() && !pulledFromDonor && !serving) {
            List<Peer> donor = complete.stream().filter(this::isDonor).toList();
            if (!donor.isEmpty()) {
                return donor;
            }
            long seconds = TimeUnit.NANOSECONDS.toSeconds(DONOR_NANOS);
            if (now - peers.connectedSince() < DONOR_NANOS) {
                waitFor(
                        now,
                        "The node waits for its donor %s (cluster-donor); after %d s it pulls from others."
                                .formatted(settings.donor(), seconds));
                return List.of();
            }
            report("gives up waiting for its donor %s after %d s (cluster-donor), and pulls from others"
                    .formatted(settings.donor(), seconds));
        }
        List<Peer> serve = complete.stream().filter(Peer::serves).toList();
        return (serve.isEmpty() ? complete : serve)
                .stream().limit(MOST_PROVIDERS).toList();
    }

    private boolean isDonor(Peer peer) {
        return peer.name().equals(settings.donor());
    }

    // PULLING and CATCHING_UP

    private void finishPull(long now) {
        if (pulls.isRunning(round)) {
            return;
        }
        // It was aborted, or another round, from other providers, has ended since.
        if (!pulls.isLastEnded(round)) {
            seekAgain(now, "could not complete a pull, and tries again");
            return;
        }
        // The pull raised this node's vector in memory only. The node is complete when its journal has what each
        // provider had, so their vectors are kept until then.
        provided.clear();
        for (Pull pull : pulls.lastRound()) {
            Peer peer = peers.get(pull.provider());
            if (peer != null) {
                provided.merge(
                        peer.session(),
                        new Provided(pull.vector(), pull.providerServed()),
                        (one, other) -> new Provided(one.vector.join(other.vector), one.served || other.served));
            }
        }
        caughtUpSince = now;
        state = JoinState.CATCHING_UP;
    }

    private void catchUp(long now) {
        if (provided.isEmpty()) {
            seekAgain(now, "no longer reaches the nodes that it pulled from, and tries again");
        } else if (!provided.values().stream().map(Provided::vector).allMatch(sessions::isDurable)) {
            waitFor(now, "The node waits until its journal has what it pulled.");
            caughtUpSince = pulls.idle() ? caughtUpSince : now;
            if (now - caughtUpSince >= CATCH_UP_NANOS) {
                seekAgain(now, "still lacks something of what its providers had, and pulls again");
            }
        } else if (!standing.isCompleteFor(pullsFor())) {
            report("is complete: it has all that complete nodes of the cluster %s had".formatted(pullsFor()));
            save(Standing.complete(pullsFor()).after(pullsAfter).readyFor(undecided));
        } else if (serving || isInStepWithAServingPeer()) {
            serve("it is in step with its cluster");
        } else if (peers.withBeat().anyMatch(peer -> peer.serves() && mayProvide(peer, pullsFor()))) {
            seekAtOnce("is in step with nodes that did not serve, and pulls from one that does");
        } else if (mayServeWithoutOthers(0, now)) {
            serve("it is in step with all reachable nodes, of which it is the first to serve");
        } else {
            waitFor(
                    now,
                    "The node is in step with the reachable nodes, of which none serves yet, and waits for " + others()
                            + "; " + endOfWait() + READY_SERVES);
        }
    }

    /// Whether a provider served when it was pulled from. One that began to serve later has got in step with others
    /// since.
    private boolean isInStepWithAServingPeer() {
        return provided.values().stream().anyMatch(Provided::served);
    }

    private ClusterId pullsFor() {
        return pullsFor == null ? cluster() : pullsFor;
    }

    private void seekAgain(long now, String what) {
        pause = Math.clamp(2 * pause, LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS);
        pausesUntil = now + pause;
        seekAtOnce(what);
    }

    private void seekAtOnce(String what) {
        state = serving ? JoinState.READY : JoinState.SEEKING;
        if (!serving) {
            // From now on cells are refused (takesCells). A pull that was started to catch up would never end, and the
            // next one begins only when none is under way.
            pulls.abort();
        }
        report(what);
    }

    // READY

    /// R6.
    private void seekEarlierCluster(long now) {
        if (!standing.isNone()
                && now >= pausesUntil
                && pulls.idle()
                && earlierComplete().isPresent()) {
            report("meets the cluster %s, which was founded earlier, and pulls from it while it serves"
                    .formatted(earlierComplete().get()));
            state = JoinState.SEEKING;
        }
    }

    private void serve(String why) {
        if (held) {
            reason = "cluster-hold keeps the node from serving until SYSTEM READY. It could serve now: " + why + ".";
            return;
        }
        if (pulls.isRunning(round)) {
            // If it is for another cluster, its cells are refused from now on, and it would never end.
            pulls.abort();
        }
        state = JoinState.READY;
        serving = true;
        provided.clear();
        pullsFor = null;
        pause = 0;
        reason = "";
        report("serves: " + why);
    }

    // Disk and events

    /// Begins to write `next` to disk, behind what is being written. Joining does not continue before that is done.
    private void save(Standing next) {
        unsaved = next;
        saving = true;
        store.save(next, () -> saved(next, true), () -> saved(next, false));
    }

    /// A write of `next` ended. An incomplete standing takes effect only when it is on disk, before any cell is merged.
    /// A complete one takes effect even if the write failed, since the next start is then incomplete and waits, which
    /// is safe. The id of a cluster that this node founds takes effect only when it is on disk: else the next start
    /// would have counters and no id, and found another cluster. What a complete node notes of purges takes effect only
    /// when it is on disk: others drop cells relying on it, and the next start would find itself behind.
    private void saved(Standing next, boolean isOnDisk) {
        if (!next.equals(unsaved)) {
            // SYSTEM READY came meanwhile, and what it decided is being written.
            return;
        }
        saving = false;
        unsaved = isOnDisk ? null : next;
        saveAgainAt = 0;
        boolean isNote = standing.complete() && Objects.equals(next.cluster(), standing.cluster());
        if (isOnDisk || (next.complete() && !isNote && (serving || !standing.isNone()))) {
            standing = next;
            // That is progress, see noteProgress.
            stuckSince = 0;
        }
    }

    /// Repeats a failed write. Returns whether joining has to wait for it.
    private boolean isBlockedByDisk(long now) {
        Standing next = unsaved;
        if (next == null) {
            return false;
        }
        if (saving) {
            return true;
        }
        if (saveAgainAt == 0) {
            saveAgainAt = now + SAVE_AGAIN_NANOS;
        } else if (now >= saveAgainAt) {
            save(next);
        }
        return saving || !next.complete() || standing.isNone();
    }

    private void waitFor(long now, String what) {
        if (!what.equals(reason)) {
            reason = what;
            reasonSince = now;
            reasonReported = false;
        } else if (!reasonReported && !serving && now - reasonSince >= LONG_WAIT_NANOS) {
            reasonReported = true;
            events.record("does not serve yet. " + what);
        }
    }

    /// Records an event, at most once in the life of this process: what is retried may fail the same way for ever.
    private void report(String what) {
        if (reported.add(what)) {
            events.record(what);
        }
    }
}
