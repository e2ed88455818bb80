package io.tallis.cluster;

import io.tallis.keyspace.OwnChanges;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/// Clients that wait until other nodes have all that was changed before they asked.
///
///     asked ──all that was due by then is sent: the target is the head──▶ targeted ──enough have it──▶ answered
///
/// Those who ask while others wait for that are next: what is due grows all the time, and each group is about what was
/// due when it began. Time may be up in either state.
///
/// Beyond [#MOST] that wait at a time, a client is answered at once that nobody has it.
final class Waits {
    static final int MOST = 10_000;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long NO_TARGET = -1;

    private final Sessions sessions;
    private final OwnChanges changes;
    private final List<Wait> waiting = new ArrayList<>();
    private List<Wait> next = new ArrayList<>();
    private List<Wait> watching = List.of();

    /// Before this, and while the others stand as they did, nobody's wait is over.
    private long due;

    private int stand;

    Waits(Sessions sessions, OwnChanges changes) {
        this.sessions = sessions;
        this.changes = changes;
    }

    /// A client that waits until `deadline`; it is forgotten when it no longer listens.
    private static final class Wait {
        private final long wanted;
        private final long deadline;
        private final BooleanSupplier listens;
        private final IntConsumer answer;
        private long target = NO_TARGET;

        private Wait(long wanted, long deadline, BooleanSupplier listens, IntConsumer answer) {
            this.wanted = wanted;
            this.deadline = deadline;
            this.listens = listens;
            this.answer = answer;
        }
    }

    void add(long wanted, long deadline, BooleanSupplier listens, IntConsumer answer) {
        if (waiting.size() >= MOST || next.size() >= MOST) {
            answer.accept(0);
            return;
        }
        Wait wait = new Wait(wanted, deadline, listens, answer);
        waiting.add(wait);
        next.add(wait);
        due = Math.min(due, deadline);
    }

    /// Changes are about to be sent.
    void beforeSending() {
        if (watching.isEmpty() && !next.isEmpty()) {
            watching = next;
            next = new ArrayList<>();
            changes.watch();
        }
    }

    /// Frames up to `head` are sent. Returns whether somebody waits, who did not before, to hear that others have them.
    boolean sent(long head) {
        if (watching.isEmpty() || !changes.watchedIsSent()) {
            return false;
        }
        boolean any = false;
        for (Wait wait : watching) {
            wait.target = head;
            any |= count(head) < wait.wanted;
        }
        watching = List.of();
        due = Long.MIN_VALUE;
        return any;
    }

    /// Answers those whose wait is over. Returns when to be called again.
    long tick(long now) {
        int before = stand;
        stand = 0;
        sessions.present().forEach(peer -> stand = 31 * stand + Long.hashCode(peer.has()));
        if (now >= due || stand != before) {
            due = answerSome(now);
        }
        return due;
    }

    private long answerSome(long now) {
        waiting.removeIf(wait -> isOver(wait, now));
        return waiting.stream()
                .mapToLong(wait -> Math.min(wait.deadline, now + LOOK_NANOS))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private boolean isOver(Wait wait, long now) {
        int count = wait.target == NO_TARGET ? 0 : count(wait.target);
        boolean enough = wait.target != NO_TARGET && count >= wait.wanted;
        if (enough || now >= wait.deadline) {
            wait.answer.accept(count);
            return true;
        }
        return !wait.listens.getAsBoolean();
    }

    /// How many others have all up to that frame.
    private int count(long frame) {
        int count = 0;
        for (Peer peer : sessions.present()) {
            count += peer.has() >= frame ? 1 : 0;
        }
        return count;
    }
}
