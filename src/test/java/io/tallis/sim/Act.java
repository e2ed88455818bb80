package io.tallis.sim;

import io.tallis.crdt.Life;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a client did to a key that expires. An increment and an assignment are told apart from all others by their
/// numbers, wherever their copies come to lie.
final class Act implements Promise {
    /// What clients do.
    enum Kind {
        INCREMENT,
        ASSIGN,
        EXPIRE,
        PERSIST,
        DELETE
    }

    /// A life of a cell, as the product's `Life` defines it.
    record Lived(long number, long version, long deadline, long earliestFirst, long latestFirst, long horizon)
            implements Comparable<Lived> {
        static Lived of(Life life) {
            return new Lived(
                    life.number(),
                    life.version(),
                    life.deadline(),
                    life.earliestFirst(),
                    life.latestFirst(),
                    life.horizon());
        }

        boolean hasDeadline() {
            return deadline != Life.NEVER;
        }

        @Override
        public int compareTo(Lived other) {
            int byNumber = Long.compare(number, other.number);
            int byVersion = Long.compare(version, other.version);
            return byNumber != 0 ? byNumber : byVersion != 0 ? byVersion : Long.compare(rank(), other.rank());
        }

        /// Of two changes of a deadline at once, the one that sets a deadline counts.
        private long rank() {
            return hasDeadline() ? deadline : Long.MIN_VALUE;
        }

        @Override
        public String toString() {
            return "%d.%d until %s, first %s to %s, horizon %s"
                    .formatted(
                            number, version, shown(deadline), shown(earliestFirst), shown(latestFirst), shown(horizon));
        }

        private static String shown(long millis) {
            return millis == Long.MAX_VALUE ? "ever" : Long.toString(millis);
        }
    }

    final int number;
    final Kind kind;
    final CellName cell;
    final int session;
    final long nanos;

    /// The time of day by the clock of the node that did it.
    final long millis;

    /// The earliest time that any clock told then.
    long earliestMillis;

    /// What it added or assigned.
    final long amount;

    /// What the client saw in the cell before.
    final Set<Act> seen;

    /// What had been reset in the cell when this was done.
    Set<Act> resetBefore = new HashSet<>();

    /// Of the same session the increment before this one in the same shard.
    @Nullable
    Act previous;

    /// The cell's life afterwards.
    Lived life = new Lived(0, 0, Life.NEVER, Life.NEVER, Life.NEVER, Life.NEVER);

    /// Whether the key had been there for less than the youth, so that no copy without a deadline is to be feared.
    boolean isYoung;

    /// The stamp of an assignment.
    long stamp;

    /// Whether it gives a deadline to a cell that had none.
    boolean isFirstDeadline;

    /// Whether a client deleted it or assigned over it.
    boolean isTaken;

    /// When a client first set a deadline that saw it, and whether a copy without one was met later.
    long expiredFirst = Long.MAX_VALUE;

    boolean hasStraggler;

    /// When any node last showed it to readers.
    long visibleAt;

    Act(int number, Kind kind, CellName cell, Session session, long nanos, long amount, Set<Act> seen) {
        this.number = number;
        this.kind = kind;
        this.cell = cell;
        this.session = session.number();
        this.nanos = nanos;
        millis = session.epochMillis();
        this.amount = amount;
        this.seen = seen;
    }

    /// Whether it leaves the cell with a deadline.
    boolean setsDeadline() {
        return kind != Kind.DELETE && kind != Kind.PERSIST && life.hasDeadline();
    }

    /// Whether it takes away what it saw.
    boolean takes() {
        return kind == Kind.DELETE || kind == Kind.ASSIGN;
    }

    @Override
    public String toString() {
        return "#%d %s %s %d by s%d at %d (%s)".formatted(number, kind, cell, amount, session, millis, life);
    }
}
