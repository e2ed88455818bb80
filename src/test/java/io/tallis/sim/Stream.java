package io.tallis.sim;

import java.util.ArrayDeque;
import java.util.Deque;

/// The reliable unicasts from one session to another that have not arrived yet, in order.
final class Stream {
    private final Deque<byte[]> frames = new ArrayDeque<>();
    private boolean moves;

    boolean isEmpty() {
        return frames.isEmpty();
    }

    int size() {
        return frames.size();
    }

    void add(byte[] frame) {
        frames.add(frame);
    }

    byte[] first() {
        return frames.element();
    }

    byte[] remove() {
        return frames.remove();
    }

    void clear() {
        frames.clear();
    }

    /// Whether an event for its first frame is planned.
    boolean moves() {
        return moves;
    }

    void moves(boolean moves) {
        this.moves = moves;
    }
}
