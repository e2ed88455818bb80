package io.tallis.command.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Flushes on behalf of many: one runs, and whoever asks meanwhile shares the next one. So there are never more
/// than two to be done, however many clients ask.
final class FlushRounds {
    /// The most who wait for the next; others are told that theirs did not come to its end.
    private static final int MOST_WAITING = 10_000;

    private final BooleanSupplier flush;
    private final Later later;

    @GuardedBy("this")
    private List<Consumer<Boolean>> waiting = new ArrayList<>();

    FlushRounds(BooleanSupplier flush, Later later) {
        this.flush = flush;
        this.later = later;
    }

    /// Has `told` told whether a flush that began later than now has come to its end.
    void join(Consumer<Boolean> told) {
        if (isFull()) {
            told.accept(false);
        } else if (isFirst(told)) {
            // Never refused: no more than one is running and one waiting.
            var _ = later.onItsOwn("flush", this::run);
        }
    }

    private synchronized boolean isFull() {
        return waiting.size() >= MOST_WAITING;
    }

    private synchronized boolean isFirst(Consumer<Boolean> told) {
        waiting.add(told);
        return waiting.size() == 1;
    }

    private void run() {
        List<Consumer<Boolean>> those = takeWaiting();
        boolean kept = flush.getAsBoolean();
        those.forEach(told -> told.accept(kept));
    }

    private synchronized List<Consumer<Boolean>> takeWaiting() {
        List<Consumer<Boolean>> those = waiting;
        waiting = new ArrayList<>();
        return those;
    }
}
