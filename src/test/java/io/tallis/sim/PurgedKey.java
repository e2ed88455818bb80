package io.tallis.sim;

import io.tallis.cluster.peer.Purge;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What clients did to one key whose cells are purged. Every increment is another power of four: a value tells which of
/// them a node shows, and one that was counted twice shows as a power in between.
final class PurgedKey {
    /// As many powers as fit.
    static final int MOST_INCREMENTS = 31;

    private static final long POWERS = 0x5555_5555_5555_5555L >>> 2;

    /// A client's delete: of what its node showed then.
    static final class Delete implements Promise {
        private final CellName cell;
        private final long seen;
        private boolean acknowledged;

        /// Whether no disk may have it any more.
        private boolean mayBeLost;

        private Delete(CellName cell, long seen) {
            this.cell = cell;
            this.seen = seen;
        }

        void acknowledge() {
            acknowledged = true;
        }

        @Override
        public String toString() {
            return "deletes %s, which is %x".formatted(cell, seen);
        }
    }

    /// A client's increment.
    static final class Increment implements Promise {
        private final CellName cell;
        private final int session;
        private final long amount;
        private final List<Delete> deletes = new ArrayList<>();
        private long total;
        private boolean acknowledged;
        private boolean mayBeLost;
        private @Nullable Purge dropped;

        private Increment(CellName cell, int session, long amount) {
            this.cell = cell;
            this.session = session;
            this.amount = amount;
        }

        /// The total of the session's shard is this after it.
        void made(long total) {
            this.total = total;
        }

        void acknowledge() {
            acknowledged = true;
        }

        int session() {
            return session;
        }

        long total() {
            return total;
        }

        long amount() {
            return amount;
        }

        boolean mustShow() {
            return acknowledged && !mayBeLost && deletes.isEmpty();
        }

        boolean mustBeGone() {
            return deletes.stream().anyMatch(delete -> delete.acknowledged && !delete.mayBeLost);
        }

        /// No disk shows it, or knows that it is deleted, whichever must be.
        void mayBeOtherwise() {
            mayBeLost |= mustShow();
            deletes.forEach(delete -> delete.mayBeLost = true);
        }

        /// The purge by which a node first dropped it, null if none did.
        @Nullable
        Purge dropped() {
            return dropped;
        }

        void drop(Purge by) {
            dropped = dropped == null ? by : dropped;
        }

        @Override
        public String toString() {
            return "s%d adds %x to %s, total %x%s%s%s, dropped by %s, %s"
                    .formatted(
                            session,
                            amount,
                            cell,
                            total,
                            acknowledged ? ", acknowledged" : "",
                            mustShow() ? ", must show" : "",
                            mustBeGone() ? ", must be gone" : "",
                            dropped,
                            deletes);
        }
    }

    private final CellName cell;
    private final List<Increment> increments = new ArrayList<>();

    PurgedKey(CellName cell) {
        this.cell = cell;
    }

    CellName cell() {
        return cell;
    }

    List<Increment> increments() {
        return increments;
    }

    boolean isFull() {
        return increments.size() == MOST_INCREMENTS;
    }

    Increment increment(int session) {
        Increment next = new Increment(cell, session, 1L << (2 * increments.size()));
        increments.add(next);
        return next;
    }

    Delete delete(long seen) {
        Delete delete = new Delete(cell, seen);
        increments.stream().filter(one -> (one.amount & seen) != 0).forEach(one -> one.deletes.add(delete));
        return delete;
    }

    /// Throws unless a value is a sum of increments that were made, none of them counted twice.
    void requirePossible(long value, Object where) {
        long made = ((1L << (2 * increments.size())) - 1) & POWERS;
        if ((value & ~made) != 0) {
            throw new Violation("%s is %x at %s, of %x that were added: %s".formatted(cell, value, where, made, this));
        }
    }

    /// Throws unless a value is what it has to be when all nodes agree.
    void requireRight(long value, Object where) {
        for (Increment one : increments) {
            boolean shows = (value & one.amount) != 0;
            if (shows ? one.mustBeGone() : one.mustShow()) {
                throw new Violation("%s is %x at %s, which %s: %s%n%s"
                        .formatted(cell, value, where, shows ? "must not show" : "lacks", one, this));
            }
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(cell.toString());
        increments.forEach(one -> text.append("%n  ".formatted()).append(one));
        return text.toString();
    }
}
