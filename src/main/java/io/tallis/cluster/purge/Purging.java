package io.tallis.cluster.purge;

import io.tallis.cluster.peer.Attendance;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Peers;
import io.tallis.cluster.peer.Purge;
import io.tallis.cluster.peer.PurgeNews;
import io.tallis.cluster.peer.Sessions;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.Event;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.DeletedCells;
import io.tallis.keyspace.Keyspace;
import io.tallis.runtime.Randomness;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The state machine by which all nodes agree on a purge, and drop the tombstones that all of them have.
///
/// The serving node with the lowest session id proposes, and makes the purge when all are ready:
///
///     proposer                                   every node, the proposer too
///     beat: proposes p  ───────────────────────▶ marks its tombstones
///                                                waits until the journals of all others have what it had then
///                                                file cluster: ready for p
///                       ◀─────────────────────── beat: p, ready
///     all nodes there are, all ready
///     file cluster: after p
///     beat: after p     ───────────────────────▶ file cluster: after p
///                       ◀───────────────────────▶ beat: after p
///     all nodes there are, all after p
///     drops what is marked and has not changed   drops what is marked and has not changed
///
/// A node that is ready has all deletes that any node had when that one marked. So of a marked cell no node has
/// anything that is not deleted, and none will send it: from the last step on, cells from before the purge are refused
/// ([#accepts]).
///
/// A node that was not asked is behind ([Standing#isBehind]), and does not come back with its cells. The page
/// `purging.md` says why.
public final class Purging {
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /// Between two purges for which no operator has asked.
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /// A node is not ready sooner after its marks. A value that is assigned after a purge has a later timestamp than
    /// those that were deleted before, as far as clocks agree so well.
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /// A node that serves and finds itself behind waits so long: what it hears first may be the end of a purge in which
    /// it takes part.
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

    /// How long many cells have to be deleted before a purge begins: what is deleted later is left to the next.
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(3);

    /// By how much the number of a purge may exceed that of the one before.
    private static final int MOST_NUMBERS = 2;

    /// How many cells have to be deleted for a purge for which no operator asks: at least so many, and such a part of
    /// all or so much of a partition that clients may soon be refused there.
    private static final long LEAST_DELETED = 10_000;

    private static final int LEAST_PART = 8;

    /// How many ranges of cells are looked at in a step.
    private static final int RANGES_A_STEP = 8;

    private final Parts parts;
    private final Sessions sessions;
    private final Peers peers;
    private final Keyspace keyspace;
    private final DeletedCells deleted;

    /// The last purge that this node knows of, and the one before while some node may not know it yet.
    private Purge last;

    private @Nullable Purge before;

    /// The purge that is prepared here, 0 for none, which session proposed it, and how far that is.
    private long proposal;

    private @Nullable ReplicaId proposer;
    private boolean marked;
    private boolean othersHaveAll;

    /// Whether this node has begun to note that the purge is made, which it proposed.
    private boolean decided;

    private long markedAt;
    private long toDrop;

    /// The purge for which cells are marked, 0 for none, and whether they are being dropped.
    private long marksFor;

    private boolean dropping;

    /// Whether this node counts what a purge would drop.
    private boolean counting;

    /// The number of the purge that is prepared. One that a node was ready for and does not know may have been made.
    private long number;

    private @Nullable Purge reported;
    private long due;
    private boolean wanted;
    private long nextAt;
    private long manySince;

    /// How many deleted cells the last purge left.
    private long left;

    private long droppedBefore;
    private long behindSince;
    private long now;

    /// The other parts that purging works with.
    ///
    /// `log` is that of the thread that calls. `standing` is that of joining, and `note` lets it note another on disk,
    /// and is false if it cannot begin to. `waits` is whether something else needs the cells as they are. `awaitOthers`
    /// calls back with the number of nodes whose journals have all that is here now. `end` ends the process.
    public record Parts(
            Sessions sessions,
            Keyspace keyspace,
            ChangeLog log,
            Attendance attendance,
            Supplier<Standing> standing,
            BooleanSupplier serves,
            Predicate<Standing> note,
            BooleanSupplier waits,
            Waiting awaitOthers,
            Randomness randomness,
            Event.Sink events,
            Consumer<String> end) {}

    /// Calls `answer` while `listens`.
    @FunctionalInterface
    public interface Waiting {
        void until(BooleanSupplier listens, IntConsumer answer);
    }

    public Purging(Parts parts) {
        this.parts = parts;
        sessions = parts.sessions;
        peers = sessions.peers();
        keyspace = parts.keyspace;
        deleted = new DeletedCells(keyspace, parts.log);
        last = parts.standing.get().purge();
    }

    /// What beats say of purges.
    public PurgeNews news() {
        // A node that others do not know yet, and this one does, is not left out. And what was wanted may have been
        // noted since the last step.
        return new PurgeNews(
                proposal,
                isReady() && parts.attendance.areAllHere(),
                wanted && standing().purge().equals(last),
                standing().undecided());
    }

    /// `SYSTEM PURGE`: does not wait until many cells are deleted. Any node may be asked.
    public void purgeAtOnce() {
        wanted = true;
    }

    /// Whether a purge is prepared, or is about to be, or tombstones are being dropped: cells are not the same on all
    /// nodes then.
    public boolean isUnderWay() {
        return proposal != 0 || marksFor != 0 || counting;
    }

    /// How many cells this process dropped.
    public long dropped() {
        return deleted.dropped();
    }

    /// What it does, in words; empty if there is nothing to purge.
    public String phase() {
        if (proposal != 0) {
            return "all nodes to have all deletes";
        }
        if (marksFor != 0) {
            return "all nodes to note the purge";
        }
        if (!isWanted() && !areManyDeleted()) {
            return "";
        }
        if (parts.waits.getAsBoolean()) {
            return "a fold to end";
        }
        return isWanted() || now >= nextAt
                ? "the first of the nodes to propose it"
                : "a minute to pass since the last one";
    }

    // Purges that this node knows, and others

    /// Whether cells in a frame with this tag of a purge may be merged.
    public boolean accepts(int tag) {
        Purge earlier = before;
        return tag == last.tag()
                || (earlier != null && tag == earlier.tag())
                || (standing().readyFor() != 0 && tag == new Purge(0, standing().readyFor()).tag());
    }

    private Standing standing() {
        return parts.standing.get();
    }

    /// The complete nodes of this cluster.
    private Stream<Peer> companions() {
        Standing own = standing();
        return peers.withBeat()
                .filter(peer -> own.cluster() != null && peer.standing().isCompleteFor(own.cluster()));
    }

    /// Takes part in a purge that another node has made.
    private void follow() {
        Purge later = companions()
                .map(peer -> peer.standing().purge())
                .filter(purge -> purge.isLaterThan(last))
                .max(Comparator.naturalOrder())
                .orElse(null);
        if (later == null || !parts.serves.getAsBoolean()) {
            behindSince = now;
        } else if (!standing().isBehind(later) && later.number() <= last.number() + MOST_NUMBERS) {
            boolean _ = parts.note.test(standing().after(later));
        } else if (now - behindSince >= PATIENCE_NANOS) {
            leave(later);
        }
    }

    /// This node and others have purged apart. The fewer of them end, which an operator has forgotten while they were
    /// cut off; if there are as many of both, those that are behind.
    private void leave(Purge later) {
        long others = companions()
                .filter(peer -> peer.serves() && peer.standing().purge().equals(later))
                .count();
        long same = 1
                + companions()
                        .filter(peer -> peer.serves() && peer.standing().purge().equals(last))
                        .count();
        if (others >= same) {
            parts.end.accept(standing().whyBehind(later));
        } else if (!later.equals(reported)) {
            reported = later;
            parts.events.record(
                    "takes no counters from nodes that have dropped deleted counters without this one (purge " + later
                            + ", here " + last + "): start those nodes with empty data directories");
        }
    }

    /// Notices that joining has noted a purge.
    private void notice() {
        Purge noted = standing().purge();
        if (noted.equals(last)) {
            return;
        }
        before = noted.id() == standing().readyFor() ? last : null;
        last = noted;
        if (marksFor != noted.id()) {
            marksFor = 0;
        }
        stopPreparing();
        counting = false;
        wanted = false;
        nextAt = now + PAUSE_NANOS;
    }

    // Preparing

    /// Takes the next step, if one is possible. Returns when to be called again.
    public long step(long now) {
        if (now < due) {
            return due;
        }
        this.now = now;
        due = now + STEP_NANOS;
        notice();
        follow();
        left = Math.min(left, keyspace.deletedCells());
        if (proposal != 0 && !mayPrepare()) {
            stopPreparing();
        }
        if (proposal == 0 && marksFor == 0 && parts.serves.getAsBoolean()) {
            begin();
        }
        if (proposal != 0) {
            prepare();
        } else if (before != null || marksFor != 0) {
            drop();
        }
        return due;
    }

    private void begin() {
        if (counting) {
            count();
            return;
        }
        if (!parts.attendance.isProposer(sessions)) {
            peers.inOrder().stream()
                    .findFirst()
                    .map(peers::get)
                    .filter(first -> isNew(first.purges().proposal()))
                    .ifPresent(first -> prepare(first.purges().proposal(), first.session()));
        } else if (isDue() && parts.attendance.areAllHere() && !parts.waits.getAsBoolean() && !isAnyProposed()) {
            counting = true;
            deleted.begin();
            due = now;
        }
    }

    /// Before it proposes a purge, a node counts what it would drop: counters that have expired leave by themselves.
    private void count() {
        if (!markSome()) {
            return;
        }
        counting = false;
        if (isWanted() || isMuch(deleted.marked()) || (isFilling() && deleted.marked() >= LEAST_DELETED)) {
            prepare(parts.randomness.nextLong() | 1, sessions.self());
        } else {
            left = keyspace.deletedCells();
            nextAt = now + PAUSE_NANOS;
        }
    }

    /// Marks some more tombstones. Returns whether all are marked.
    private boolean markSome() {
        for (int i = 0; i < RANGES_A_STEP; i++) {
            if (deleted.mark()) {
                return true;
            }
        }
        due = now;
        return false;
    }

    /// Whether a node still proposes a purge, or follows such a proposal. It may have begun to note that purge, for
    /// which this node has to stay ready then.
    private boolean isAnyProposed() {
        return peers.all().stream().anyMatch(peer -> isNew(peer.purges().proposal()));
    }

    private boolean isDue() {
        if (now < nextAt || !areManyDeleted()) {
            manySince = now;
        }
        return isWanted() || now - manySince >= QUIET_NANOS;
    }

    private boolean isWanted() {
        // A peer that does not know the last purge yet may have wanted that one.
        return wanted
                || peers.withBeat()
                        .anyMatch(peer -> peer.purges().wanted()
                                && peer.standing().purge().equals(last));
    }

    private boolean areManyDeleted() {
        return isMuch(keyspace.deletedCells() - left) || isFilling();
    }

    private boolean isFilling() {
        return keyspace.isAnyFilledWithDeleted();
    }

    private boolean isMuch(long cells) {
        return cells >= LEAST_DELETED && cells >= keyspace.cells() / LEAST_PART;
    }

    private void prepare(long purge, ReplicaId from) {
        if (!parts.attendance.areAllHere()) {
            return;
        }
        proposal = purge;
        proposer = from;
        othersHaveAll = false;
        decided = false;
        long ready = standing().readyFor();
        number = last.number() + (ready == 0 || ready == last.id() || ready == purge ? 1 : MOST_NUMBERS);
        due = now;
        // Others rely on what this node had when it was ready. Of what was deleted since they may lack the delete.
        marked = isReady();
        if (!marked) {
            marksFor = purge;
            deleted.begin();
        } else if (marksFor != purge) {
            marksFor = 0;
        }
    }

    private boolean mayPrepare() {
        return isNew(proposal) && stands() && (isReady() || parts.attendance.areAllHere());
    }

    /// A node that has noted a purge may still tell that it proposes it.
    private boolean isNew(long purge) {
        return purge != 0 && purge != last.id();
    }

    /// Whether the proposal still holds. A proposer withdraws what it has not decided when another node has come to be
    /// the proposer: else each of the two would wait for the other for ever.
    private boolean stands() {
        ReplicaId from = proposer;
        if (sessions.self().equals(from)) {
            return decided || parts.attendance.isProposer(sessions);
        }
        Peer peer = from == null ? null : peers.get(from);
        return peer != null
                && (peer.purges().proposal() == proposal
                        || peer.standing().purge().id() == proposal);
    }

    /// A node that was ready may still learn that the purge was made.
    private void stopPreparing() {
        if (!isReady()) {
            marksFor = marksFor == proposal ? 0 : marksFor;
        }
        proposal = 0;
        proposer = null;
    }

    private boolean isReady() {
        return proposal != 0 && standing().readyFor() == proposal;
    }

    private void prepare() {
        if (!marked) {
            mark();
        } else if (!isReady()) {
            if (othersHaveAll && now - markedAt >= SETTLE_NANOS) {
                boolean _ = parts.note.test(standing().readyFor(proposal));
            }
        } else if (!decided
                && sessions.self().equals(proposer)
                && parts.attendance.areAllHere()
                && peers.all().stream()
                        .map(Peer::purges)
                        .allMatch(news -> news.proposal() == proposal && news.ready())) {
            decided = parts.note.test(standing().after(new Purge(number, proposal)));
        }
    }

    private void mark() {
        marked = markSome();
        if (marked) {
            markedAt = now;
            toDrop = deleted.marked();
            long prepared = proposal;
            parts.awaitOthers.until(
                    () -> prepared == proposal,
                    count -> othersHaveAll |= prepared == proposal && count >= peers.count() - 1);
        }
    }

    // Dropping

    /// When all nodes know of the purge, none sends cells from before it any more.
    private void drop() {
        if (!dropping) {
            if (!parts.attendance.areAllHere()) {
                return;
            }
            before = null;
            if (marksFor != last.id()) {
                marksFor = 0;
                keepAll();
                return;
            }
            dropping = true;
            droppedBefore = deleted.dropped();
            deleted.begin();
        }
        boolean all = false;
        for (int i = 0; i < RANGES_A_STEP && !all; i++) {
            all = deleted.drop();
        }
        due = deleted.isHeldUp() ? due : now;
        if (all) {
            dropping = false;
            marksFor = 0;
            left = keyspace.deletedCells() - deleted.undated();
            long gone = deleted.dropped() - droppedBefore;
            long undated = deleted.undated();
            parts.events.record("dropped " + gone + " deleted counters (purge " + last + ")"
                    + (undated == 0 ? "" : ", and left " + undated + " with deadlines far ahead to the next purge"));
            if (gone != toDrop || left > 0) {
                // Others may have dropped what changed here meanwhile: all compare their cells.
                sessions.addNews();
            }
        }
    }

    /// This node has no marks, since it was killed when it was ready, or joined while the purge was prepared. So it
    /// keeps the tombstones that the others drop.
    private void keepAll() {
        if (keyspace.deletedCells() > 0) {
            // All compare their cells, or digests would differ for long where such a key is used again.
            sessions.addNews();
        }
    }
}
