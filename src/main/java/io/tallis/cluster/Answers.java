package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.OwnChanges;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
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
/// multicast to those who ask at the same time.
///
/// Other pieces are sent until they arrive, which takes a second when a connection has to be made again. Who asks the
/// same again meanwhile, as it cannot know that its question arrived, is not answered twice.
final class Answers {
    /// A piece ends with the cells that take it beyond this.
    static final int PIECE_BYTES = 50_000;

    /// Of those that everybody gets without a promise of arrival.
    static final int MULTICAST_BYTES = Deltas.FRAME_BYTES;

    /// Cells are shown some at a time, so a piece may end far behind its bound where they are large; then each who
    /// asked gets it by itself.
    private static final int LARGEST_MULTICAST_BYTES = 12_000;

    private static final int MOST_WAITING = 1_024;
    private static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_LOOKS = 16;

    private final OwnChanges changes;
    private final Sender sender;
    private final Entries entries;
    private final Pace pace;
    private final Map<ReplicaId, Question> waiting = new LinkedHashMap<>();

    /// What was asked last, and up to when asking it again is no new question.
    private final Map<ReplicaId, Asked> asked = new HashMap<>();

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
        if (waiting.isEmpty() || !pace.allows(now)) {
            return;
        }
        ReplicaId first = waiting.keySet().iterator().next();
        Question question = waiting.get(first);
        if (question == null) {
            return;
        }
        List<ReplicaId> together = waiting.entrySet().stream()
                .filter(entry -> entry.getKey().equals(first) || (question.cursor == 0 && entry.getValue().cursor == 0))
                .map(Map.Entry::getKey)
                .toList();
        answer(together, question, now);
    }

    private void answer(List<ReplicaId> requesters, Question question, long now) {
        long since = question.since;
        for (ReplicaId requester : requesters) {
            since = Math.min(since, waiting.getOrDefault(requester, question).since);
        }
        boolean last = requesters.stream().anyMatch(r -> waiting.getOrDefault(r, question).pieces <= 1);
        boolean toAll = requesters.size() > 1;
        ByteWriter out = sender.begin(Kind.ANSWER);
        out.varint(since);
        out.i64(question.cursor);
        int nextAt = out.position();
        out.i64(0);
        out.i64(sender.head());
        out.u8(last ? 1 : 0);
        long next = fill(since, question.cursor, toAll ? MULTICAST_BYTES : PIECE_BYTES, out);
        out.i64At(nextAt, next);
        pace.spend(out.position());
        answered++;
        if (toAll && out.position() <= LARGEST_MULTICAST_BYTES) {
            sender.multicast();
            requesters.forEach(asked::remove);
        } else {
            requesters.forEach(sender::send);
        }
        requesters.forEach(requester -> goOn(requester, next));
        requesters.forEach(requester ->
                asked.computeIfPresent(requester, (_, before) -> new Asked(before.question, now + REPEAT_NANOS)));
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

    /// The requester goes to the end of the queue, or out of it.
    private void goOn(ReplicaId requester, long next) {
        Question question = waiting.remove(requester);
        if (question != null && next != 0 && question.pieces > 1) {
            waiting.put(requester, new Question(question.since, next, question.pieces - 1));
        }
    }

    long nextDue(long now) {
        return waiting.isEmpty() ? Long.MAX_VALUE : now + pace.nanosToWait(now);
    }
}
