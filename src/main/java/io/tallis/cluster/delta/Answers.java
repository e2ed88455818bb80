package io.tallis.cluster.delta;

import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Pace;
import io.tallis.cluster.frame.Sender;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.OwnChanges;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Answers ASK requests: sends this session's changes since a frame, in pieces. The requester's side, and the sequence
/// of frames, is [Gaps].
///
/// ```
/// ASK      since frame (varint) | cursor (8) | pieces (1)
/// ANSWER   since frame (varint) | cursor (8) | next cursor (8), 0 at the end | up to frame (8) | last (1) | cells
/// ```
///
/// An answer is made from the cells that changed since that frame, as they are now, not from a log of frames: so
/// nothing is kept for peers, and an answer is never larger than the counters. The cursor is a position in the
/// keyspace, from which the next piece continues.
///
/// One request of each requester is kept, the newest. It asks for up to `pieces` pieces; `last` in a piece says that no
/// more follow until the next request, which is how a slow requester slows this node down.
///
/// A multicast frame that is lost is often missed by several peers, and they ask at about the same time. So the first
/// request waits [#GATHER_NANOS] for others, and the first piece, which nearly always is the whole answer, is multicast
/// to all of them. It is marked `last`, because a second piece, sent to one peer, might overtake it.
///
/// Pieces for one requester are sent reliably, which takes a second when a connection has to be opened again. The
/// requester cannot know that its request arrived and repeats it; such repeats are ignored for [#REPEAT_NANOS].
public final class Answers {
    /// A piece ends when it has more bytes than this. Cells are visited in groups, so where they are large it may end
    /// far beyond that.
    public static final int PIECE_BYTES = 50_000;

    /// The same for a piece that is multicast.
    public static final int MULTICAST_BYTES = Batch.FRAME_BYTES;

    /// A piece larger than this is not multicast, but sent to each requester reliably.
    private static final int LARGEST_MULTICAST_BYTES = 12_000;

    private static final int MOST_WAITING = 1_024;
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// A repeated request may come from a slow line: the time in which repeats are ignored doubles, so often at most.
    private static final int MOST_DOUBLINGS = 3;

    /// The most visits of the keyspace in one step, of some 20,000 slots each.
    private static final int MOST_VISITS = 16;

    /// A piece is sent after so many steps even when it is small, so that the requester sees progress.
    private static final int MOST_STEPS = 16;

    private static final int KEPT_BYTES = 2 * PIECE_BYTES;

    private final OwnChanges changes;
    private final Sender sender;
    private final Entries entries;
    private final Pace pace;
    private final Predicate<ReplicaId> isReachable;
    private final Map<ReplicaId, Request> waiting = new LinkedHashMap<>();

    /// The last request of each requester, and until when its repeats are ignored.
    private final Map<ReplicaId, Asked> asked = new HashMap<>();

    private final ByteWriter cells = new ByteWriter(1 << 13);
    private @Nullable Piece piece;
    private long gathersUntil;
    private long answered;

    public Answers(OwnChanges changes, Sender sender, Entries entries, Pace pace, Predicate<ReplicaId> isReachable) {
        this.changes = changes;
        this.sender = sender;
        this.entries = entries;
        this.pace = pace;
        this.isReachable = isReachable;
    }

    private record Request(long since, long cursor, int pieces) {}

    /// A piece that is being collected. Where few of many cells changed that takes several steps, between which new
    /// changes are sent.
    private static final class Piece {
        private final Map<ReplicaId, Request> requests;
        private final long since;
        private final long cursor;
        private final long head;
        private long next;
        private int steps;

        private Piece(Map<ReplicaId, Request> requests, long cursor, long head) {
            this.requests = requests;
            since = requests.values().stream().mapToLong(Request::since).min().orElseThrow();
            this.cursor = cursor;
            this.head = head;
            next = cursor;
        }

        private boolean isForSeveral() {
            return requests.size() > 1;
        }
    }

    /// `sentTo` is the cursor after the last piece that was sent, 0 before the first.
    private record Asked(Request request, long sentTo, long until, int repeats) {
        /// Whether `next` is the same request, or asks for a piece that was sent and is on its way.
        private boolean isAskedAgain(Request next) {
            return request.equals(next)
                    || (request.since == next.since && request.cursor < next.cursor && next.cursor < sentTo);
        }
    }

    public long answered() {
        return answered;
    }

    public void onAsk(ReplicaId from, ByteReader in, long now) throws MalformedException {
        var request = new Request(in.varint(), in.i64(), in.u8());
        if (request.since < 0 || request.cursor < 0) {
            throw new MalformedException(
                    "asks for changes since frame " + request.since + " from cursor " + request.cursor);
        }
        Request open = waiting.get(from);
        if (open != null && open.since == request.since && open.cursor == request.cursor) {
            // A repeat of a request that still waits, which keeps its place in the queue.
            return;
        }
        Asked last = asked.get(from);
        int repeats = 0;
        if (last != null && last.isAskedAgain(request)) {
            if (now < last.until || waiting.containsKey(from)) {
                return;
            }
            repeats = Math.min(last.repeats + 1, MOST_DOUBLINGS);
        }
        waiting.remove(from);
        if (waiting.isEmpty() && request.cursor == 0) {
            gathersUntil = now + GATHER_NANOS;
        }
        if (waiting.size() < MOST_WAITING) {
            waiting.put(from, request);
            if (asked.size() >= MOST_WAITING) {
                // The entries of reachable sessions are few.
                asked.keySet().removeIf(isReachable.negate());
            }
            asked.put(from, new Asked(request, 0, now + (REPEAT_NANOS << repeats), repeats));
        }
    }

    public void unreachable(ReplicaId session) {
        asked.remove(session);
        waiting.remove(session);
        if (piece != null && piece.requests.containsKey(session)) {
            // The other requesters are still waiting, and a new piece is begun for them.
            piece = null;
        }
    }

    /// Continues a piece, if one is wanted and the pace allows it, and sends it when it is complete. Returns whether it
    /// was sent.
    public boolean step(long now) {
        if (waiting.isEmpty() || now < gathersUntil || !pace.allows(now)) {
            return false;
        }
        Piece unsent = piece == null ? begin() : piece;
        piece = unsent;
        boolean complete = gather(unsent);
        if (complete) {
            piece = null;
            send(unsent, now);
        }
        return complete;
    }

    private Piece begin() {
        Map.Entry<ReplicaId, Request> first = waiting.entrySet().iterator().next();
        long cursor = first.getValue().cursor;
        Map<ReplicaId, Request> together = new LinkedHashMap<>();
        waiting.forEach((requester, request) -> {
            if (requester.equals(first.getKey()) || (cursor == 0 && request.cursor == 0)) {
                together.put(requester, request);
            }
        });
        cells.clear();
        return new Piece(together, cursor, sender.head());
    }

    /// Visits the keyspace for cells of the piece. Returns whether it is complete.
    private boolean gather(Piece piece) {
        int bytes = piece.isForSeveral() ? MULTICAST_BYTES : PIECE_BYTES;
        piece.steps++;
        int visits = 0;
        do {
            piece.next = changes.visitSince(
                    piece.since,
                    piece.next,
                    () -> cells.position() < bytes,
                    (type, key, counter) -> entries.own(type, key, counter, cells));
            visits++;
        } while (piece.next != 0 && visits < MOST_VISITS && cells.position() < bytes);
        return piece.next == 0 || piece.steps == MOST_STEPS || cells.position() >= bytes;
    }

    private void send(Piece piece, long now) {
        boolean last =
                piece.isForSeveral() || piece.requests.values().stream().anyMatch(request -> request.pieces <= 1);
        ByteWriter out = sender.begin(Kind.ANSWER);
        out.varint(piece.since);
        out.i64(piece.cursor);
        out.i64(piece.next);
        out.i64(piece.head);
        out.u8(last ? 1 : 0);
        out.bytes(cells.array(), 0, cells.position());
        cells.clear();
        cells.shrinkTo(KEPT_BYTES);
        pace.spend(out.position());
        answered++;
        boolean toEach = !piece.isForSeveral() || out.position() > LARGEST_MULTICAST_BYTES;
        if (toEach) {
            piece.requests.keySet().forEach(sender::send);
        } else {
            sender.multicast();
        }
        piece.requests.forEach((requester, request) -> {
            // If it is not there, the requester has asked for something else meanwhile.
            if (waiting.remove(requester, request) && !last && piece.next != 0) {
                // To the end of the queue, so that requesters take turns.
                waiting.put(requester, new Request(request.since, piece.next, request.pieces - 1));
            }
            if (toEach) {
                asked.computeIfPresent(
                        requester,
                        (_, before) -> new Asked(
                                before.request,
                                piece.next == 0 ? Long.MAX_VALUE : piece.next,
                                now + (REPEAT_NANOS << before.repeats),
                                before.repeats));
            } else {
                asked.computeIfPresent(requester, (_, before) -> before.request.equals(request) ? null : before);
            }
        });
    }

    public long nextDue(long now) {
        return waiting.isEmpty() ? Long.MAX_VALUE : Math.max(gathersUntil, now + pace.nanosToWait(now));
    }
}
