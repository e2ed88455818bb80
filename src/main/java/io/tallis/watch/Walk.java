package io.tallis.watch;

import java.util.function.LongUnaryOperator;

/// A walk through all counters, by the cursor of a scan. It can begin again at any time, and goes on from where it is
/// then, round to the same place: so it comes to every place however often it has to begin again.
final class Walk {
    /// The cursor at the beginning and behind the end.
    static final long END = 0;

    private long start;
    private long at;
    private boolean pastEnd;
    private boolean done;

    boolean isDone() {
        return done;
    }

    void beginAgain() {
        start = done ? END : at;
        at = start;
        pastEnd = false;
        done = false;
    }

    /// Goes one step: `scan` returns the cursor behind the one that it gets.
    void step(LongUnaryOperator scan) {
        at = scan.applyAsLong(at);
        if (at == END) {
            done = pastEnd || start == END;
            pastEnd = true;
        } else {
            done = pastEnd && at >= start;
        }
    }
}
