package io.tallis.command.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Flushes on behalf of many: one runs, and whoever asks meanwhile shares the next one. So there are never more
/// than two to be done, however many clients ask.
final class FlushRounds {
    /// The most who wait for the next; others are refused.
    private static final int MOST_WAITING = 10_000;

    private static final String TOO_MANY = "ERR too many clients wait for the same already";

    private final Supplier<@Nullable String> flush;
    private final Later later;

    @GuardedBy("this")
    private List<Consumer<@Nullable String>> waiting = new ArrayList<>();

    FlushRounds(Supplier<@Nullable String> flush, Later later) {
        this.flush = flush;
        this.later = later;
    }

    /// Has `told` told of the end of a flush that began later than now: null, or the error reply.
    void join(Consumer<@Nullable String> told) {
        if (isFull()) {
            told.accept(TOO_MANY);
        } else if (isFirst(told)) {
            // Never refused: no more than one is running and one waiting.
            var _ = later.onItsOwn("flush", this::run);
        }
    }

    private synchronized boolean isFull() {
        return waiting.size() >= MOST_WAITING;
    }

    private synchronized boolean isFirst(Consumer<@Nullable String> told) {
        waiting.add(told);
        return waiting.size() == 1;
    }

    private void run() {
        List<Consumer<@Nullable String>> those = takeWaiting();
        String error = flush.get();
        those.forEach(told -> told.accept(error));
    }

    private synchronized List<Consumer<@Nullable String>> takeWaiting() {
        List<Consumer<@Nullable String>> those = waiting;
        waiting = new ArrayList<>();
        return those;
    }
}
