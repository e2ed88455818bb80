package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.OwnChanges;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

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
/// same again meanwhile, as it cannot know that its question arrived, is not answered twice.
final class Answers {
    /// A piece ends with the cells that take it beyond this.
    static final int PIECE_BYTES = 50_000;

    /// Of those that everybody gets without a promise of arrival.
    static final int MULTICAST_BYTES = Batch.FRAME_BYTES;

    /// Cells are shown some at a time, so a piece may end far behind its bound where they are large; then each who
    /// asked gets it by itself.
    private static final int LARGEST_MULTICAST_BYTES = 12_000;

    private static final int MOST_WAITING = 1_024;
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_LOOKS = 16;

    private final OwnChanges changes;
    private final Sender sender;
    private final Entries entries;
    private final Pace pace;
    private final Map<ReplicaId, Question> waiting = new LinkedHashMap<>();

    /// What was asked last, and up to when asking it again is no new question.
    private final Map<ReplicaId, Asked> asked = new HashMap<>();

    private long gathersUntil;
    private long answered;

    Answers(OwnChanges changes, Sender sender, Entries entries, Pace pace) {
        this.changes = changes;
        this.sender = sender;
        this.entries = entries;
        this.pace = pace;
    }

    private record Question(long since, long cursor, int pieces) {}

    private record Asked(Question question, long until) {}

    long answered() {
        return answered;
    }

    void onAsk(ReplicaId from, ByteReader in, long now) throws MalformedException {
        var question = new Question(in.varint(), in.i64(), in.u8());
        if (question.since < 0 || question.cursor < 0) {
            throw new MalformedException("asked for changes since " + question.since + " from " + question.cursor);
        }
        Asked last = asked.get(from);
        if (last != null && last.question.equals(question) && (now < last.until || waiting.containsKey(from))) {
            return;
        }
        waiting.remove(from);
        if (waiting.isEmpty() && question.cursor == 0) {
            gathersUntil = now + GATHER_NANOS;
        }
        if (waiting.size() < MOST_WAITING) {
            waiting.put(from, question);
            asked.put(from, new Asked(question, now + REPEAT_NANOS));
        }
    }

    void departed(ReplicaId session) {
        asked.remove(session);
        waiting.remove(session);
    }

    /// Sends a piece, if one is wanted and the pace allows it.
    void step(long now) {
        if (waiting.isEmpty() || now < gathersUntil || !pace.allows(now)) {
            return;
        }
        Map.Entry<ReplicaId, Question> first = waiting.entrySet().iterator().next();
        long cursor = first.getValue().cursor;
        Map<ReplicaId, Question> together = new LinkedHashMap<>();
        waiting.forEach((requester, question) -> {
            if (requester.equals(first.getKey()) || (cursor == 0 && question.cursor == 0)) {
                together.put(requester, question);
            }
        });
        answer(together, cursor, now);
    }

    private void answer(Map<ReplicaId, Question> questions, long cursor, long now) {
        long since =
                questions.values().stream().mapToLong(Question::since).min().orElse(0);
        boolean several = questions.size() > 1;
        boolean last = several || questions.values().stream().anyMatch(question -> question.pieces <= 1);
        ByteWriter out = sender.begin(Kind.ANSWER);
        out.varint(since);
        out.i64(cursor);
        int nextAt = out.position();
        out.i64(0);
        out.i64(sender.head());
        out.u8(last ? 1 : 0);
        long next = fill(since, cursor, several ? MULTICAST_BYTES : PIECE_BYTES, out);
        out.i64At(nextAt, next);
        pace.spend(out.position());
        answered++;
        boolean promised = !several || out.position() > LARGEST_MULTICAST_BYTES;
        if (promised) {
            questions.keySet().forEach(sender::send);
        } else {
            sender.multicast();
        }
        questions.forEach((requester, question) -> {
            waiting.remove(requester);
            if (!last && next != 0) {
                // At the end of the queue.
                waiting.put(requester, new Question(question.since, next, question.pieces - 1));
            }
            if (promised) {
                asked.computeIfPresent(requester, (_, before) -> new Asked(before.question, now + REPEAT_NANOS));
            } else {
                asked.remove(requester);
            }
        });
    }

    private long fill(long since, long cursor, int bytes, ByteWriter out) {
        long next = cursor;
        int looks = 0;
        do {
            next = changes.visitSince(
                    since,
                    next,
                    () -> out.position() < bytes,
                    (type, key, counter) -> entries.own(type, key, counter, out));
            looks++;
        } while (next != 0 && looks < MOST_LOOKS && out.position() < bytes);
        return next;
    }

    long nextDue(long now) {
        return waiting.isEmpty() ? Long.MAX_VALUE : Math.max(gathersUntil, now + pace.nanosToWait(now));
    }
}
