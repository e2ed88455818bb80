package io.tallis.sim;

/// A change that a client made: what a session did to a counter, and which changes it had seen of each session.
final class Change implements Promise {
    private final int session;
    private final CellName cell;
    private final long up;
    private final long down;
    private final int[] seen;
    private final boolean reset;
    private final CellState after;

    /// The session knew `before`, of each session the first `seen` changes. A `reset` takes back all of them; then it
    /// adds `up` and subtracts `down`. It leaves the register as `assigned`.
    Change(
            int session,
            CellName cell,
            CellState before,
            int[] seen,
            boolean reset,
            Assigned assigned,
            long up,
            long down) {
        this.session = session;
        this.cell = cell;
        this.seen = seen;
        this.reset = reset;
        this.up = up;
        this.down = down;
        after = (reset ? before.reset() : before).plus(session, up, down).assign(assigned);
    }

    int session() {
        return session;
    }

    CellName cell() {
        return cell;
    }

    boolean reset() {
        return reset;
    }

    /// How many changes of a session were seen.
    int seenOf(int other) {
        return other < seen.length ? seen[other] : 0;
    }

    /// The whole cell as the session had it after the change.
    CellState after() {
        return after;
    }

    /// By how much the change raises the value, besides what it assigns.
    long delta() {
        return up - down;
    }

    @Override
    public String toString() {
        return "session %d %s%s +%d -%d %s"
                .formatted(session, reset ? "resets " : "", cell, up, down, after.assigned());
    }
}
