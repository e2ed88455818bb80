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

/// Answers others who ask for own changes since a frame, a piece at a time, and keeps nothing of them but the
/// question.
///
/// ```
/// ASK      since frame (varint) | cursor (8) | pieces (1)
/// ANSWER   since frame (varint) | cursor (8) | next cursor (8), 0 at the end | up to frame (8) | last (1) | cells
/// ```
///
/// One question a requester is kept, the newest. Who asks is served again and again until as many pieces were sent
/// as it asked for; `last` tells that one is the last of those. The first piece, which nearly always is all, goes by
/// multicast to those who ask at the same time, and is the last: what is sent to one might overtake it. Who misses the
/// same frame asks at about the same time, so the first waits a little for others.
///
/// Other pieces are sent until they arrive, which takes a second when a connection has to be made again. Who asks the
/// same again meanwhile, as it cannot know that its question arrived, is not answered twice. Who is not in the view is
/// back from standing still, or from behind a cut, and the view tells late: it gets small pieces without a promise.
public final class Answers {
    /// A piece ends with the cells that take it beyond this.
    public static final int PIECE_BYTES = 50_000;

    /// Of those that go without a promise of arrival.
    public static final int MULTICAST_BYTES = Batch.FRAME_BYTES;

    /// Cells are shown some at a time, so a piece may end far behind its bound where they are large; then each who
    /// asked gets it by itself.
    private static final int LARGEST_MULTICAST_BYTES = 12_000;

    private static final int MOST_WAITING = 1_024;
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// Each time that the same is asked again it may be a slow line that is at fault.
    private static final int MOST_DOUBLINGS = 3;

    /// The most looks in one step, of some 20,000 slots each.
    private static final int MOST_LOOKS = 16;

    /// The most steps for one piece: who asked is to see that it is being answered.
    private static final int MOST_STEPS = 16;

    private static final int KEPT_BYTES = 2 * PIECE_BYTES;

    private final OwnChanges changes;
    private final Sender sender;
    private final Entries entries;
    private final Pace pace;
    private final Predicate<ReplicaId> isReachable;
    private final Map<ReplicaId, Question> waiting = new LinkedHashMap<>();

    /// What was asked last, and up to when asking it again is no new question.
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

    private record Question(long since, long cursor, int pieces) {}

    /// What is being gathered for those who asked. Where few of many cells changed that takes many looks, and changes
    /// of the moment do not wait for all of them.
    private static final class Piece {
        private final Map<ReplicaId, Question> questions;
        private final long since;
        private final long cursor;
        private final long head;
        private final boolean small;
        private long next;
        private int steps;

        private Piece(Map<ReplicaId, Question> questions, boolean small, long cursor, long head) {
            this.questions = questions;
            this.small = small;
            since = questions.values().stream().mapToLong(Question::since).min().orElseThrow();
            this.cursor = cursor;
            this.head = head;
            next = cursor;
        }

        private boolean isForSeveral() {
            return questions.size() > 1;
        }
    }

    /// `sentTo` is the cursor behind the last piece that was sent, 0 before there is one.
    private record Asked(Question question, long sentTo, long until, int repeats) {
        /// Whether it is the same question, or about what was sent as its answer and is on its way.
        private boolean isAskedAgain(Question next) {
            return question.equals(next)
                    || (question.since == next.since && question.cursor < next.cursor && next.cursor < sentTo);
        }
    }

    public long answered() {
        return answered;
    }

    public void onAsk(ReplicaId from, ByteReader in, long now) throws MalformedException {
        var question = new Question(in.varint(), in.i64(), in.u8());
        if (question.since < 0 || question.cursor < 0) {
            throw new MalformedException("asked for changes since " + question.since + " from " + question.cursor);
        }
        Question open = waiting.get(from);
        if (open != null && open.since == question.since && open.cursor == question.cursor) {
            // It gets this piece next, and has waited long for it.
            return;
        }
        Asked last = asked.get(from);
        int repeats = 0;
        if (last != null && last.isAskedAgain(question)) {
            if (now < last.until || waiting.containsKey(from)) {
                return;
            }
            repeats = Math.min(last.repeats + 1, MOST_DOUBLINGS);
        }
        waiting.remove(from);
        if (waiting.isEmpty() && question.cursor == 0) {
            gathersUntil = now + GATHER_NANOS;
        }
        if (waiting.size() < MOST_WAITING) {
            waiting.put(from, question);
            if (asked.size() >= MOST_WAITING) {
                // Those in view are few.
                asked.keySet().removeIf(isReachable.negate());
            }
            asked.put(from, new Asked(question, 0, now + (REPEAT_NANOS << repeats), repeats));
        }
    }

    public void unreachable(ReplicaId session) {
        asked.remove(session);
        waiting.remove(session);
        if (piece != null && piece.questions.containsKey(session)) {
            // The others still wait, and get one of their own.
            piece = null;
        }
    }

    /// Goes on with a piece, if one is wanted and the pace allows it, and sends it when it is complete. Returns whether
    /// it was sent.
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
        Map.Entry<ReplicaId, Question> first = waiting.entrySet().iterator().next();
        long cursor = first.getValue().cursor;
        Map<ReplicaId, Question> together = new LinkedHashMap<>();
        waiting.forEach((requester, question) -> {
            if (requester.equals(first.getKey()) || (cursor == 0 && question.cursor == 0)) {
                together.put(requester, question);
            }
        });
        cells.clear();
        boolean small = together.size() > 1;
        return new Piece(together, small, cursor, sender.head());
    }

    /// Looks for more that belongs into the piece. Returns whether it is to be sent.
    private boolean gather(Piece piece) {
        int bytes = piece.small ? MULTICAST_BYTES : PIECE_BYTES;
        piece.steps++;
        int looks = 0;
        do {
            piece.next = changes.visitSince(
                    piece.since,
                    piece.next,
                    () -> cells.position() < bytes,
                    (type, key, counter) -> entries.own(type, key, counter, cells));
            looks++;
        } while (piece.next != 0 && looks < MOST_LOOKS && cells.position() < bytes);
        return piece.next == 0 || piece.steps == MOST_STEPS || cells.position() >= bytes;
    }

    private void send(Piece piece, long now) {
        boolean last =
                piece.isForSeveral() || piece.questions.values().stream().anyMatch(question -> question.pieces <= 1);
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
            piece.questions.keySet().forEach(sender::send);
        } else {
            sender.multicast();
        }
        piece.questions.forEach((requester, question) -> {
            // Else it has asked something else meanwhile.
            if (waiting.remove(requester, question) && !last && piece.next != 0) {
                // At the end of the queue.
                waiting.put(requester, new Question(question.since, piece.next, question.pieces - 1));
            }
            if (toEach) {
                asked.computeIfPresent(
                        requester,
                        (_, before) -> new Asked(
                                before.question,
                                piece.next == 0 ? Long.MAX_VALUE : piece.next,
                                now + (REPEAT_NANOS << before.repeats),
                                before.repeats));
            } else {
                asked.computeIfPresent(requester, (_, before) -> before.question.equals(question) ? null : before);
            }
        });
    }

    public long nextDue(long now) {
        return waiting.isEmpty() ? Long.MAX_VALUE : Math.max(gathersUntil, now + pace.nanosToWait(now));
    }
}
