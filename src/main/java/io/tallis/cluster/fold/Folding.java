package io.tallis.cluster.fold;

import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.peer.Attendance;
import io.tallis.cluster.peer.FoldNews;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Peers;
import io.tallis.cluster.peer.Sessions;
import io.tallis.cluster.records.Event;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.EndedShards;
import io.tallis.keyspace.Fold;
import io.tallis.keyspace.FoldScan;
import io.tallis.keyspace.Folds;
import io.tallis.keyspace.Keyspace;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The state machine by which all nodes agree on a fold, and by which a node learns of folds that others have made.
///
/// The serving node with the lowest session id proposes, and makes the fold when all are ready:
///
///     proposer                                   every node, the proposer too
///     beat: proposes f  ───────────────────────▶ asks for f, if it does not know it
///                                                scans its cells: fingerprint of the members
///                                                waits until the journals of all others have what it had before
///                       ◀─────────────────────── beat: f, fingerprint
///     all nodes there are, equal fingerprints
///     journal: "made f"
///     beat: has made f  ───────────────────────▶ asks for f
///                                                journal: "made f"
///
/// The page `folding.md` says why that is enough, and what becomes of a node that was not there.
public final class Folding {
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /// After nodes were not found to be equal.
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// The time between two estimates of what folds would free.
    private static final long MEASURE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int MOST_FOLDS_BYTES = 1 << 14;

    private final Parts parts;
    private final Sessions sessions;
    private final Peers peers;
    private final Keyspace keyspace;
    private final Folds folds;
    private final Sender sender;
    private final long foldAfterNanos;
    private final Set<ReplicaId> reported = new HashSet<>();

    /// The fold that is prepared here, the session that proposed it, and how far that is.
    private @Nullable Fold prepared;

    private @Nullable ReplicaId proposer;
    private @Nullable FoldScan scan;

    /// How many preparations were begun: what was asked for an earlier one does not count for this one.
    private long preparation;

    private boolean othersHaveAll;

    /// The last preparation after which this node had all others compare their cells with its own.
    private long compared;

    /// The fingerprint of its members here once this node is ready for it, else 0.
    private long ready;

    /// Whether a note is on its way into the journal.
    private boolean noting;

    private Set<ReplicaId> candidates = Set.of();

    /// How many sessions wait for a fold, if this node is the proposer and serves; else unknown.
    private long waiting = FoldNews.UNKNOWN;

    private long quietSince;
    private boolean atOnce;
    private long nextAsk;

    /// When the next step is due.
    private long due;

    private EndedShards.@Nullable Sample sample;
    private long nextMeasure;

    /// From which fold on, in their order, a peer is asked for its folds.
    private long askFrom;

    private long now;

    /// The other parts that folding works with.
    ///
    /// `nodes` are the ids of all nodes there are, `serves` is whether this one does. `nodeOf` is the node of a
    /// session, null if that is not known. `note` records a note and runs a task when the journal has it. `awaitOthers`
    /// calls back with the number of nodes whose journals have all that is here now. `end` ends the process.
    public record Parts(
            Sessions sessions,
            Keyspace keyspace,
            Sender sender,
            Attendance attendance,
            Supplier<Set<UUID>> nodes,
            Function<ReplicaId, @Nullable UUID> nodeOf,
            BooleanSupplier serves,
            BiConsumer<byte[], Runnable> note,
            BiConsumer<BooleanSupplier, IntConsumer> awaitOthers,
            Event.Sink events,
            Consumer<String> end) {}

    /// A session has to be unreachable for so long before its shards are folded.
    public Folding(Parts parts, long foldAfterNanos) {
        this.parts = parts;
        this.foldAfterNanos = foldAfterNanos;
        sessions = parts.sessions;
        peers = sessions.peers();
        keyspace = parts.keyspace;
        folds = keyspace.folds();
        sender = parts.sender;
    }

    /// What beats say of folds.
    public FoldNews news() {
        Fold fold = prepared;
        return new FoldNews(folds.hash(), fold == null ? 0 : fold.id().low(), ready, atOnce, waiting);
    }

    /// `SYSTEM FOLD`: ended sessions are folded without waiting for `fold-after`. Any node may be asked.
    public void foldAtOnce() {
        atOnce = true;
    }

    /// How many ended sessions wait for a fold: of each node all but one. This is the proposer's number where it is
    /// known, since this node may know of sessions that have no shard in any cell any more.
    public long waiting() {
        long told = told();
        return told == FoldNews.UNKNOWN ? count(endedByNode()) : told;
    }

    /// The proposer's number.
    private long told() {
        return parts.attendance.isProposer(sessions)
                ? waiting
                : first().map(peer -> peer.folds().waiting()).orElse(FoldNews.UNKNOWN);
    }

    private static long count(Map<UUID, List<ReplicaId>> ended) {
        return ended.values().stream().mapToLong(ids -> ids.size() - 1).sum();
    }

    private Optional<Peer> first() {
        return peers.inOrder().stream().findFirst().map(peers::get);
    }

    /// How many folds were made.
    public int made() {
        return keyspace.replicas().foldsAdded();
    }

    /// Whether a fold is prepared, or noted.
    public boolean isUnderWay() {
        return prepared != null || noting;
    }

    /// What it does, in words, when no node is missing.
    public String phase() {
        return prepared == null ? "the end of fold-after, or nodes that agree" : "all nodes to compare their counters";
    }

    /// Takes the next step, if one is possible. Returns when to be called again. While cells differ on purpose,
    /// `purges`, it only learns what others have folded.
    public long step(long now, boolean purges) {
        if (now < due) {
            return due;
        }
        this.now = now;
        due = now + STEP_NANOS;
        measure();
        if (noting) {
            return due;
        }
        askForMade();
        if (purges) {
            return due;
        }
        if (prepared != null && !mayPrepare()) {
            giveUp();
        }
        if (prepared == null) {
            begin();
        }
        atOnce = atOnce && told() != 0;
        if (prepared != null) {
            prepare();
        }
        FoldScan scanning = scan;
        if (scanning != null && !scanning.isDone()) {
            due = now + FoldScan.REST_NANOS;
        }
        return due;
    }

    private void measure() {
        if (sample == null && now >= nextMeasure && parts.serves.getAsBoolean()) {
            nextMeasure = now + MEASURE_NANOS;
            sample = new EndedShards.Sample(keyspace, endedByNode().values());
        }
        EndedShards.Sample begun = sample;
        if (begun != null && !begun.step()) {
            keyspace.measured(begun.estimate());
            sample = null;
        }
    }

    // Preparing

    private void begin() {
        waiting = FoldNews.UNKNOWN;
        if (!parts.serves.getAsBoolean()) {
            return;
        }
        if (parts.attendance.isProposer(sessions)) {
            propose();
        } else {
            askForProposal();
        }
    }

    private void askForProposal() {
        first().ifPresent(first -> {
            long proposal = first.folds().proposal();
            if (proposal != 0 && now >= nextAsk) {
                nextAsk = now + ASK_NANOS;
                ask(first.session(), proposal);
            }
        });
    }

    private void propose() {
        Map<UUID, List<ReplicaId>> ended = endedByNode();
        waiting = count(ended);
        Set<ReplicaId> all = ended.values().stream().flatMap(List::stream).collect(Collectors.toSet());
        if (!candidates.containsAll(all)) {
            quietSince = now;
        }
        candidates = all;
        boolean isQuiet = now - quietSince >= foldAfterNanos
                || atOnce
                || peers.all().stream().anyMatch(peer -> peer.folds().wanted());
        if (isQuiet && !ended.isEmpty() && parts.attendance.areAllHere()) {
            Map.Entry<UUID, List<ReplicaId>> first = Collections.min(ended.entrySet(), Map.Entry.comparingByKey());
            prepare(Fold.proposal(first.getKey(), first.getValue()), sessions.self());
        }
    }

    /// By node the ids of its ended sessions of which there may be shards, and of the fold of earlier ones, where there
    /// are two or more; those of all forgotten nodes together. A session of a node that is not known here is not among
    /// them: that node would not be asked.
    private Map<UUID, List<ReplicaId>> endedByNode() {
        Replicas replicas = keyspace.replicas();
        Set<UUID> nodes = parts.nodes.get();
        Map<UUID, List<ReplicaId>> ended = new HashMap<>();
        for (int number = 1; number < replicas.count(); number++) {
            ReplicaId id = replicas.id(number);
            UUID node = id.isFold() ? folds.nodeOf(id) : parts.nodeOf.apply(id);
            if (node != null && replicas.foldOf(number) == Replicas.OWN && !peers.isReachable(id)) {
                UUID group = nodes.contains(node) ? node : Fold.FORGOTTEN;
                List<ReplicaId> ids = ended.computeIfAbsent(group, _ -> new ArrayList<>());
                if (ids.size() < Fold.MOST_MEMBERS) {
                    ids.add(id);
                }
            }
        }
        ended.values().removeIf(ids -> ids.size() < 2);
        return ended;
    }

    private void prepare(Fold fold, ReplicaId from) {
        prepared = fold;
        proposer = from;
        due = now;
        scanAgain();
    }

    private void scanAgain() {
        ready = 0;
        othersHaveAll = false;
        long begun = ++preparation;
        folds.close(prepared());
        scan = new FoldScan(keyspace);
        parts.awaitOthers.accept(
                () -> begun == preparation,
                count -> othersHaveAll |= begun == preparation && count >= peers.count() - 1);
    }

    private Fold prepared() {
        Fold fold = prepared;
        if (fold == null) {
            throw new IllegalStateException("no fold is prepared");
        }
        return fold;
    }

    private boolean mayPrepare() {
        Fold fold = prepared();
        return stands(fold) && parts.attendance.areAllHere() && isPossible(fold);
    }

    /// Whether the proposal still holds. A proposer withdraws it when another node has come to be the proposer: else
    /// each of the two would wait for the other for ever.
    private boolean stands(Fold fold) {
        ReplicaId from = proposer;
        if (sessions.self().equals(from)) {
            return parts.attendance.isProposer(sessions);
        }
        Peer peer = from == null ? null : peers.get(from);
        return peer != null && peer.folds().proposal() == fold.id().low();
    }

    /// Whether all members have ended, and none was folded.
    private boolean isPossible(Fold fold) {
        return fold.members().stream()
                .noneMatch(member -> peers.isReachable(member)
                        || member.equals(sessions.self())
                        || keyspace.replicas().isFolded(member));
    }

    private void giveUp() {
        prepared = null;
        proposer = null;
        scan = null;
        ready = 0;
        preparation++;
        folds.open();
        quietSince = now;
    }

    private void prepare() {
        if (folds.isDisturbed()) {
            scanAgain();
        }
        FoldScan scanning = scan;
        if (scanning != null) {
            scanning.step();
            if (scanning.isDone() && othersHaveAll && !sessions.hasUnnumberedOfUnreachable()) {
                scan = null;
                ready = scanning.fingerprint();
            }
        } else {
            compare();
            if (sessions.self().equals(proposer)) {
                decide();
            }
        }
    }

    /// Where a node has another fingerprint, all compare their cells: what was purged on one may have been kept on
    /// another.
    private void compare() {
        Fold fold = prepared();
        boolean differs = peers.all().stream()
                .map(Peer::folds)
                .anyMatch(news ->
                        news.proposal() == fold.id().low() && news.fingerprint() != 0 && news.fingerprint() != ready);
        if (differs && compared != preparation) {
            compared = preparation;
            sessions.addNews();
        }
    }

    private void decide() {
        Fold fold = prepared();
        List<FoldNews> others = peers.all().stream().map(Peer::folds).toList();
        if (!others.stream().allMatch(news -> news.proposal() == fold.id().low() && news.fingerprint() != 0)) {
            return;
        }
        if (others.stream().allMatch(news -> news.fingerprint() == ready)) {
            parts.events.record("has the nodes fold " + fold.members().size() + " ended sessions of one of them");
            make(List.of(fold.made(ready)));
        } else {
            // A client may have set or taken away a deadline between two scans, or something is still on its way.
            giveUp();
            quietSince = now + PAUSE_NANOS;
        }
    }

    // Folds that others have made

    private void askForMade() {
        if (now < nextAsk) {
            return;
        }
        peers.withBeat()
                .filter(peer ->
                        peer.folds().made() != folds.hash() && peer.folds().made() != 0)
                .findAny()
                .ifPresent(peer -> {
                    nextAsk = now + ASK_NANOS;
                    sender.begin(Kind.FOLDS_ASK).varint(askFrom);
                    sender.sendUnreliably(peer.session());
                });
    }

    private void ask(ReplicaId session, long fold) {
        sender.begin(Kind.FOLD_ASK).i64(fold);
        sender.sendUnreliably(session);
    }

    /// Answers with folds that were made, from this one on in their order, as many as fit into a datagram.
    public void onFoldsAsk(ReplicaId from, ByteReader in) throws MalformedException {
        long first = in.varint();
        ByteWriter out = sender.begin(Kind.FOLDS);
        out.varint(first);
        List<Fold> made = folds.made();
        for (long i = Math.max(0, first); i < made.size() && out.position() < MOST_FOLDS_BYTES; i++) {
            made.get((int) i).write(out);
        }
        sender.send(from);
    }

    /// Goes on asking behind these; from the first one on, when there are no more. Nodes mostly have the same folds in
    /// the same order, and lack the last.
    public void onFolds(ByteReader in) throws MalformedException {
        if (noting) {
            return;
        }
        long next = in.varint();
        boolean isEnd = in.remaining() == 0;
        List<Fold> made = new ArrayList<>();
        Set<ReplicaId> members = new HashSet<>();
        while (in.remaining() > 0) {
            Fold fold = Fold.read(in);
            next++;
            if (!folds.has(fold.id()) && isAcceptable(fold, members)) {
                made.add(fold);
                members.addAll(fold.members());
            }
        }
        askFrom = isEnd ? 0 : next;
        if (!made.isEmpty()) {
            make(made);
        }
    }

    private boolean isAcceptable(Fold fold, Set<ReplicaId> membersOfOthers) {
        if (fold.members().contains(sessions.self())) {
            parts.end.accept("the other nodes have counted this process among the ended ones, since it was forgotten"
                    + " by SYSTEM FORGET, or runs twice. Start it again: it counts on under a new id");
        }
        boolean isApart = fold.members().stream()
                .anyMatch(member ->
                        membersOfOthers.contains(member) || keyspace.replicas().isFolded(member));
        if (isApart) {
            refuse(fold);
        }
        return !isApart && fold.fingerprint() != 0;
    }

    /// Answers with the fold that this node proposes.
    public void onFoldAsk(ReplicaId from, ByteReader in) throws MalformedException {
        ReplicaId id = ReplicaId.ofFold(in.i64());
        Fold fold = prepared;
        if (fold != null && sessions.self().equals(proposer) && fold.id().equals(id)) {
            fold.write(sender.begin(Kind.FOLD));
            sender.send(from);
        }
    }

    public void onFold(ReplicaId from, ByteReader in) throws MalformedException {
        Fold fold = Fold.read(in);
        if (!noting && prepared == null && isPossible(fold) && parts.attendance.areAllHere()) {
            prepare(fold, from);
        }
    }

    /// Both sides have added up some of the same shards: adding them again would count them twice.
    private void refuse(Fold fold) {
        if (reported.add(fold.id())) {
            parts.events.record("cannot take counters from nodes that have folded the same sessions apart from this one"
                    + " (fold " + fold + "), as two copies of one directory do: start this node, or them, with an empty"
                    + " directory");
        }
    }

    private void make(List<Fold> made) {
        noting = true;
        ByteWriter note = new ByteWriter(64);
        made.forEach(fold -> fold.write(note));
        parts.note.accept(note.toByteArray(), () -> {
            noting = false;
            made.forEach(folds::take);
            giveUp();
            sessions.forgetFolded();
            nextAsk = now;
            due = now;
        });
    }
}
