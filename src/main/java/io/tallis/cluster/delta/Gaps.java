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

/// Notices that frames of a reachable session are missing, and asks the session for all that it did since the last
/// frame before the gap.
///
///     behind ──10 ms──▶ asked ──piece──▶ asked ── .. ──last piece──▶ all up to the frame of the first piece
///                               ▲  │
///                               └──┘ nothing came for a while: again, from the cursor reached
///
/// One question a session is open at a time. As long as frames wait to be looked at, what is missing may be among
/// them, and what was asked for too: then there is more patience.
public final class Gaps {
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /// So often the patience is doubled while no piece comes at all.
    private static final int MOST_DOUBLINGS = 2;

    /// On a slow line pieces take long. As long as they come, the next may take several times as long as the last.
    private static final int PIECES_PATIENCE = 4;

    private static final long MOST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long BACKLOG_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int PIECES = 8;

    /// A session that left so many questions unanswered, over about two seconds, may hear nobody.
    private static final int MOST_UNANSWERED = 3;

    private final Sessions sessions;
    private final Intake intake;
    private final Sender sender;
    private final Randomness randomness;
    private final Map<ReplicaId, Asking> open = new HashMap<>();
    private long asked;

    public Gaps(Sessions sessions, Intake intake, Sender sender, Randomness randomness) {
        this.sessions = sessions;
        this.intake = intake;
        this.sender = sender;
        this.randomness = randomness;
    }

    /// A question that is not answered to the end: the changes of a session since a frame, known up to a cursor.
    private static final class Asking {
        private final long since;
        private long cursor;
        private long upTo;
        private long lastSign;
        private long deadline;
        private int unanswered;
        private long patience = ANSWER_NANOS;

        private Asking(long since) {
            this.since = since;
        }

        private void pieceCame(long now) {
            unanswered = 0;
            long took = Math.min(now - lastSign, MOST_PATIENCE_NANOS);
            patience = Math.clamp(PIECES_PATIENCE * took, ANSWER_NANOS, MOST_PATIENCE_NANOS);
            lastSign = now;
            deadline = now + patience;
        }

        private void wasAskedInVain() {
            unanswered++;
            patience = Math.max(patience, Math.min(2 * patience, ANSWER_NANOS << MOST_DOUBLINGS));
        }
    }

    /// How many questions were sent.
    public long asked() {
        return asked;
    }

    /// Whether a session answers, as far as is known; one that does not may be heard, but hear nobody.
    public boolean answers(ReplicaId session) {
        Asking asking = open.get(session);
        return asking == null || asking.unanswered < MOST_UNANSWERED;
    }

    /// Asks what is due; `backlog` is whether frames wait. Returns when to be called again.
    public long tick(long now, boolean backlog) {
        long due = Long.MAX_VALUE;
        for (Peer peer : sessions.peers().all()) {
            due = Math.min(due, tick(sessions.progress(peer.session()), now, backlog));
        }
        return due;
    }

    private long tick(Progress progress, long now, boolean backlog) {
        Asking asking = open.get(progress.session());
        long since = progress.behindSince(now);
        if (since == Long.MAX_VALUE) {
            // What was asked for has come some other way.
            open.remove(progress.session());
            return Long.MAX_VALUE;
        }
        if (asking != null) {
            if (backlog && now < asking.lastSign + BACKLOG_NANOS) {
                asking.deadline = Math.max(asking.deadline, now + PATIENCE_NANOS);
            }
            if (now >= asking.deadline) {
                asking.wasAskedInVain();
                ask(progress.session(), asking, now);
            }
            return asking.deadline;
        }
        long due = since + PATIENCE_NANOS;
        if (backlog && now < since + BACKLOG_NANOS) {
            due = Math.max(due, now + PATIENCE_NANOS);
        }
        if (now < due) {
            return due;
        }
        Asking fresh = new Asking(progress.merged());
        open.put(progress.session(), fresh);
        ask(progress.session(), fresh, now);
        return fresh.deadline;
    }

    private void ask(ReplicaId session, Asking asking, long now) {
        asking.lastSign = now;
        asking.deadline = now + asking.patience + Math.floorMod(randomness.nextLong(), ANSWER_NANOS / 4);
        asked++;
        ByteWriter out = sender.begin(Kind.ASK);
        out.varint(asking.since);
        out.i64(asking.cursor);
        out.u8(PIECES);
        sender.toss(session);
    }

    /// A piece of an answer, perhaps to somebody else.
    public void onAnswer(Progress progress, ByteReader in, long now) throws MalformedException {
        long since = in.varint();
        long cursor = in.i64();
        long next = in.i64();
        long upTo = in.i64();
        boolean last = in.u8() != 0;
        if (next != 0 && next <= cursor) {
            throw new MalformedException("an answer from " + cursor + " on that goes on at " + next);
        }
        int merged = intake.mergeRest(progress.session(), in);
        if (merged > 0) {
            // Cells are as they are now: what the session has not sent yet may be in them.
            progress.hasUnnumbered();
        }
        Asking asking = open.get(progress.session());
        if (cursor == 0 && next == 0 && since <= progress.merged()) {
            // It is all, whoever asked.
            hasAll(progress, asking, upTo);
            return;
        }
        // A piece of an earlier answer may come late, and what it leaves out be newer than what it was made of.
        boolean late = cursor != 0 && asking != null && upTo < asking.upTo;
        if (asking == null || since > asking.since || cursor != asking.cursor || late) {
            return;
        }
        if (cursor == 0) {
            asking.upTo = upTo;
        }
        asking.pieceCame(now);
        asking.cursor = next;
        if (next == 0) {
            hasAll(progress, asking, asking.upTo);
        } else if (last) {
            ask(progress.session(), asking, now);
        }
    }

    private void hasAll(Progress progress, @Nullable Asking asking, long upTo) {
        if (asking != null && asking.upTo <= upTo) {
            open.remove(progress.session());
        }
        progress.reached(new Known(upTo, 0));
        progress.caughtUp();
        intake.advanced(progress);
    }

    public void unreachable(ReplicaId session) {
        open.remove(session);
    }
}
