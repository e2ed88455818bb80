package io.tallis.journal.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.keyspace.TurnLog.Outcome;
import io.tallis.runtime.Clock;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The turns that were handed over and whose outcomes are still open, in their order.
///
///     stack ──collect──▶ waiting ──gather──▶ gathered ──tell──▶ written, or lost where a file is damaged
///                           └──── too late, or the journal ends ────▶ lost, though the disk may yet take it
///
/// Outcomes are told under the lock of this object, so that those of one log arrive in order though several threads
/// tell them; an outcome therefore must only pass the news on. Only the thread that does a round gathers.
final class UnsettledTurns {
    private final TurnStack inbox;
    private final Clock clock;

    @GuardedBy("this")
    private final ArrayDeque<Turn> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private final ArrayDeque<Turn> gathered = new ArrayDeque<>();

    UnsettledTurns(TurnStack inbox, Clock clock) {
        this.inbox = inbox;
        this.clock = clock;
    }

    synchronized void collect() {
        Turn turn = inbox.takeAll();
        long now = turn == null ? 0 : clock.nanos();
        while (turn != null) {
            turn.sinceNanos = now;
            waiting.add(turn);
            turn = turn.next;
        }
    }

    synchronized int bytesWaiting() {
        int bytes = 0;
        for (Turn turn : waiting) {
            bytes += turn.bytes();
        }
        return bytes;
    }

    synchronized @Nullable Turn oldestWaiting() {
        return waiting.peek();
    }

    /// Moves the oldest waiting turn, which is in the log's buffer now, to the gathered ones.
    synchronized void gatherOldest() {
        gathered.add(waiting.remove());
    }

    synchronized boolean none() {
        return waiting.isEmpty() && gathered.isEmpty();
    }

    synchronized boolean anyGathered() {
        return !gathered.isEmpty();
    }

    /// Tells the outcome of the gathered turns, which are written: `found` by the next start, or not.
    synchronized void tell(boolean found) {
        for (Turn turn = gathered.poll(); turn != null; turn = gathered.poll()) {
            Outcome outcome = turn.outcome;
            turn.owner.takeBack(turn, found);
            if (outcome != null && found) {
                outcome.written();
            } else if (outcome != null) {
                outcome.lost();
            }
        }
    }

    /// Tells turns that arrived before `nanos` that they are lost.
    synchronized void loseOverdue(long nanos) {
        loseOverdue(gathered, nanos);
        loseOverdue(waiting, nanos);
    }

    private static void loseOverdue(ArrayDeque<Turn> turns, long nanos) {
        for (Turn turn : turns) {
            if (turn.sinceNanos - nanos < 0) {
                lose(turn);
            }
        }
    }

    synchronized void loseAll() {
        collect();
        gathered.forEach(UnsettledTurns::lose);
        waiting.forEach(UnsettledTurns::lose);
    }

    private static void lose(Turn turn) {
        Outcome outcome = turn.outcome;
        turn.outcome = null;
        if (outcome != null) {
            outcome.lost();
        }
    }
}
