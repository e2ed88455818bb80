package io.tallis.cluster.delta;

import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.peer.Known;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Progress;
import io.tallis.cluster.peer.Sessions;
import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Randomness;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Asks other sessions for changes that were lost on their way to this node: the requester's side of repair. The other
/// side is [Answers].
///
/// Changes are multicast without acknowledgement, so frames get lost. Each DELTA frame has a number, and each frame and
/// beat tells the last number of its session; so a receiver notices what is missing:
///
///     this node                                     session S, head 9
///         ◀──────────── DELTA 6 ──────────────────
///                       DELTA 7 (lost) ───────────
///         ◀──────────── DELTA 8 ──────────────────    7 is missing; perhaps it was only overtaken
///       10 ms later
///         ──── ASK since 6, cursor 0, 8 pieces ───▶    visits all cells changed since frame 6
///         ◀─ ANSWER since 6, cursor 0, next 500 ──    up to frame 9, the head when the first piece was made
///         ◀─ ANSWER since 6, cursor 500, next 0 ──    next 0: the end. This node has all up to frame 9
///
/// The request is for *all that changed since frame 6*, not for frame 7. The sender keeps no frames: it would have to
/// keep them for the slowest receiver. It keeps a stamp beside each cell, by which it finds the cells to send, and
/// sends them as they are now. An answer may therefore be larger than what was lost, but never larger than the
/// counters, and one answer fills any number of gaps.
///
/// A piece that is lost leaves the request at the cursor that it has reached. When nothing comes until the timeout, the
/// request is repeated from there. Since the pieces of one answer are made at different times, the answer counts for
/// the head of its first piece only.
///
/// One request to each session is open at a time. While frames wait in the inbox the missing frame or the answer may be
/// among them, so timeouts are extended.
public final class Gaps {
    /// A frame that has not come in this time is lost, and was not just overtaken.
    private static final long REORDER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long LEAST_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /// The timeout doubles so often while no piece arrives.
    private static final int MOST_DOUBLINGS = 2;

    /// On a slow line pieces take long. The next one may take so many times as long as the last.
    private static final int TIMEOUT_PER_PIECE = 4;

    private static final long MOST_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// A backlog extends timeouts by at most this.
    private static final long MOST_BACKLOG_NANOS = TimeUnit.SECONDS.toNanos(2);

    /// How many pieces a request asks for.
    private static final int PIECES = 8;

    /// A session that left so many requests unanswered, over about two seconds, may receive nothing, though it sends.
    private static final int MOST_UNANSWERED = 3;

    private final Sessions sessions;
    private final Intake intake;
    private final Sender sender;
    private final Randomness randomness;
    private final Map<ReplicaId, Request> open = new HashMap<>();
    private long asked;

    public Gaps(Sessions sessions, Intake intake, Sender sender, Randomness randomness) {
        this.sessions = sessions;
        this.intake = intake;
        this.sender = sender;
        this.randomness = randomness;
    }

    /// An open request for the changes of a session since a frame, answered up to a cursor.
    private static final class Request {
        private final long since;
        private long cursor;

        /// The session's head when it made the first piece: what the answer counts for.
        private long upTo;

        private long lastProgress;
        private long deadline;
        private int unanswered;
        private long timeout = LEAST_TIMEOUT_NANOS;

        private Request(long since) {
            this.since = since;
        }

        private void onPiece(long now) {
            unanswered = 0;
            long took = Math.min(now - lastProgress, MOST_TIMEOUT_NANOS);
            timeout = Math.clamp(TIMEOUT_PER_PIECE * took, LEAST_TIMEOUT_NANOS, MOST_TIMEOUT_NANOS);
            lastProgress = now;
            deadline = now + timeout;
        }

        private void onTimeout() {
            unanswered++;
            timeout = Math.max(timeout, Math.min(2 * timeout, LEAST_TIMEOUT_NANOS << MOST_DOUBLINGS));
        }
    }

    /// Whether no request is open: nothing is known to be missing.
    public boolean isIdle() {
        return open.isEmpty();
    }

    /// How many ASK frames were sent.
    public long asked() {
        return asked;
    }

    /// Whether a session answers requests, as far as is known. If not, its changes have to be pulled from others.
    public boolean answers(ReplicaId session) {
        Request request = open.get(session);
        return request == null || request.unanswered < MOST_UNANSWERED;
    }

    /// Sends and repeats requests that are due; `backlog` is whether frames wait in the inbox. Returns when to be
    /// called again.
    public long step(long now, boolean backlog) {
        long due = Long.MAX_VALUE;
        for (Peer peer : sessions.peers().all()) {
            due = Math.min(due, step(sessions.progress(peer.session()), now, backlog));
        }
        return due;
    }

    private long step(Progress progress, long now, boolean backlog) {
        Request request = open.get(progress.session());
        long since = progress.missingSince(now);
        if (since == Long.MAX_VALUE) {
            // The missing frames have arrived in some other way.
            open.remove(progress.session());
            return Long.MAX_VALUE;
        }
        if (request != null) {
            // The answer may be in the inbox, behind other frames.
            if (backlog && now < request.lastProgress + MOST_BACKLOG_NANOS) {
                request.deadline = Math.max(request.deadline, now + REORDER_NANOS);
            }
            if (now >= request.deadline) {
                request.onTimeout();
                ask(progress.session(), request, now);
            }
            return request.deadline;
        }
        long due = since + REORDER_NANOS;
        if (backlog && now < since + MOST_BACKLOG_NANOS) {
            due = Math.max(due, now + REORDER_NANOS);
        }
        if (now < due) {
            return due;
        }
        Request fresh = new Request(progress.merged());
        open.put(progress.session(), fresh);
        ask(progress.session(), fresh, now);
        return fresh.deadline;
    }

    private void ask(ReplicaId session, Request request, long now) {
        request.lastProgress = now;
        // Random, so that peers which missed the same frame do not repeat their requests at the same moment.
        request.deadline = now + request.timeout + Math.floorMod(randomness.nextLong(), LEAST_TIMEOUT_NANOS / 4);
        asked++;
        ByteWriter out = sender.begin(Kind.ASK);
        out.varint(request.since);
        out.i64(request.cursor);
        out.u8(PIECES);
        sender.sendUnreliably(session);
    }

    /// Takes a piece of an answer, which may have been multicast for another requester.
    public void onAnswer(Progress progress, ByteReader in, long now) throws MalformedException {
        long since = in.varint();
        long cursor = in.i64();
        long next = in.i64();
        long upTo = in.i64();
        boolean last = in.u8() != 0;
        if (next != 0 && next <= cursor) {
            throw new MalformedException("an answer from cursor " + cursor + " that continues at " + next);
        }
        int merged = intake.mergeCells(progress.session(), in);
        if (merged > 0) {
            // The cells are sent as they are now and may contain changes that the session has not sent as frames yet.
            progress.noteUnnumbered();
        }
        Request request = open.get(progress.session());
        if (cursor == 0 && next == 0 && since <= progress.merged()) {
            // It is a complete answer that covers the gap, whichever node asked for it.
            complete(progress, request, upTo);
            return;
        }
        // A late piece of an earlier answer must not complete the present one: it lacks what changed since it was made.
        boolean outdated = cursor != 0 && request != null && upTo < request.upTo;
        if (request == null || since > request.since || cursor != request.cursor || outdated) {
            return;
        }
        // The first piece decides. The head in a later piece is higher, but what changed since the first in cells
        // before the cursor is in no piece.
        if (cursor == 0) {
            request.upTo = upTo;
        }
        request.onPiece(now);
        request.cursor = next;
        if (next == 0) {
            complete(progress, request, request.upTo);
        } else if (last) {
            ask(progress.session(), request, now);
        }
    }

    private void complete(Progress progress, @Nullable Request request, long upTo) {
        if (request != null && request.upTo <= upTo) {
            open.remove(progress.session());
        }
        progress.advanceTo(new Known(upTo, 0));
        progress.resetMissingSince();
        intake.noteAdvance(progress);
    }

    public void unreachable(ReplicaId session) {
        open.remove(session);
    }
}
