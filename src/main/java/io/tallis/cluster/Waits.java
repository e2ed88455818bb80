package io.tallis.cluster;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/// Clients that wait until other nodes have all that was changed before they asked.
///
///     asked ──all changes sent: the target is the head──▶ targeted ──enough have it, or time is up──▶ answered
///
/// Beyond [#MOST] that wait at a time, a client is answered at once with what is so.
final class Waits {
    private static final int MOST = 10_000;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long NO_TARGET = -1;

    private final Sessions sessions;
    private final List<Wait> waiting = new ArrayList<>();
    private boolean targetless;

    Waits(Sessions sessions) {
        this.sessions = sessions;
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
        if (waiting.size() >= MOST) {
            answer.accept(0);
            return;
        }
        waiting.add(new Wait(wanted, deadline, listens, answer));
        targetless = true;
    }

    /// All changes that were made before are in frames up to `head`. Returns whether anybody waits to hear that
    /// others have them.
    boolean allSent(long head) {
        if (!targetless) {
            return false;
        }
        targetless = false;
        boolean any = false;
        for (Wait wait : waiting) {
            if (wait.target == NO_TARGET) {
                wait.target = head;
                any |= count(head) < wait.wanted;
            }
        }
        return any;
    }

    /// Answers those whose wait is over. Returns when to be called again.
    long tick(long now) {
        long due = Long.MAX_VALUE;
        for (Iterator<Wait> it = waiting.iterator(); it.hasNext(); ) {
            Wait wait = it.next();
            int count = wait.target == NO_TARGET ? 0 : count(wait.target);
            boolean enough = wait.target != NO_TARGET && count >= wait.wanted;
            if (enough || now >= wait.deadline) {
                wait.answer.accept(count);
                it.remove();
            } else if (!wait.listens.getAsBoolean()) {
                it.remove();
            } else {
                due = Math.min(due, Math.min(wait.deadline, now + LOOK_NANOS));
            }
        }
        return due;
    }

    /// How many others have all up to that frame.
    private int count(long frame) {
        int count = 0;
        for (Peer peer : sessions.present()) {
            count += peer.has(sessions.self()) >= frame ? 1 : 0;
        }
        return count;
    }
}
