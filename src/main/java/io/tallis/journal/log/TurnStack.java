package io.tallis.journal.log;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Turns on their way from many threads to one: a lock-free stack. Bounded by the threads that push, which stop when
/// they are congested.
final class TurnStack {
    private final AtomicReference<@Nullable Turn> newest = new AtomicReference<>();

    void push(Turn turn) {
        Turn before;
        do {
            before = newest.get();
            turn.next = before;
        } while (!newest.compareAndSet(before, turn));
    }

    boolean isEmpty() {
        return newest.get() == null;
    }

    /// Takes all turns, linked in the order in which they were pushed; null if there are none.
    @Nullable
    Turn takeAll() {
        if (newest.get() == null) {
            return null;
        }
        Turn oldest = null;
        for (Turn turn = newest.getAndSet(null); turn != null; ) {
            Turn older = turn.next;
            turn.next = oldest;
            oldest = turn;
            turn = older;
        }
        return oldest;
    }
}
