package io.tallis.journal.log;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/// A barrier in the journal: completed when everything that any thread had recorded when it was made has been written,
/// with the number of the segment that follows it.
///
/// A checkpoint rotates the journal behind a barrier. Without it a row could still stand in the buffer of an event loop
/// that has not ended its turn, and get into the segment behind the rotation although another loop's row, made later
/// and relying on it, is before: rows after a reset need the reset itself to be in an earlier segment.
public final class Barrier {
    private final List<BufferedTurnLog> logs;
    private final long[] turns;
    private final boolean rotates;
    private final CompletableFuture<Long> passed = new CompletableFuture<>();

    /// A barrier over these logs. If it `rotates`, a new segment begins behind it.
    public Barrier(List<BufferedTurnLog> logs, boolean rotates) {
        this.logs = List.copyOf(logs);
        this.rotates = rotates;
        turns = this.logs.stream().mapToLong(BufferedTurnLog::turnsCommitted).toArray();
    }

    boolean rotates() {
        return rotates;
    }

    public CompletableFuture<Long> passed() {
        return passed;
    }

    /// Whether each thread has handed over what it had recorded, as it does at the end of its turn.
    boolean handedOver() {
        for (int i = 0; i < turns.length; i++) {
            if (!logs.get(i).handedOver(turns[i])) {
                return false;
            }
        }
        return true;
    }
}
