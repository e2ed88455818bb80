package io.tallis.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// All changes that clients ever made, and the specification: what a counter is worth, and which states of a cell can
/// be.
///
/// A session's shard says how many of its changes are known: the first so many. What somebody knows of a counter is
/// worth the number that was assigned last, if that was not reset, and the sum over the known changes that no known
/// reset had seen. To assign is to reset, too.
final class History {
    /// The changes to one counter.
    private static final class Course {
        private final Map<Integer, List<Change>> bySession = new HashMap<>();
        private final List<Change> resets = new ArrayList<>();

        List<Change> of(int session) {
            return bySession.getOrDefault(session, List.of());
        }
    }

    private final Map<CellName, Course> courses = new HashMap<>();
    private long changes;

    long changes() {
        return changes;
    }

    /// A session that knew `before` of a counter adds and subtracts; before that, if it is a reset, it takes back what
    /// it knew.
    Change change(int session, CellName cell, CellState before, boolean reset, long up, long down) {
        return change(session, cell, before, reset, reset ? before.assigned().reset() : before.assigned(), up, down);
    }

    /// A session that knew `before` of a counter assigns.
    Change assign(int session, CellName cell, CellState before, Assigned next) {
        return change(session, cell, before, true, next, 0, 0);
    }

    private Change change(
            int session, CellName cell, CellState before, boolean reset, Assigned assigned, long up, long down) {
        Course course = courses.computeIfAbsent(cell, _ -> new Course());
        List<Change> own = course.bySession.computeIfAbsent(session, _ -> new ArrayList<>());
        int[] seen = new int[before.sessions()];
        for (int other = 0; other < seen.length; other++) {
            seen[other] = known(course, other, before.p(other), before.n(other), cell);
        }
        Change change = new Change(session, cell, before, seen, reset, assigned, up, down);
        own.add(change);
        if (reset) {
            course.resets.add(change);
        }
        changes++;
        return change;
    }

    /// The resets of a counter.
    List<Change> resets(CellName cell) {
        return courses.getOrDefault(cell, new Course()).resets;
    }

    /// How many changes of a session make these totals: the fewest, since a delete raises neither.
    private static int known(Course course, int session, long p, long n, CellName cell) {
        List<Change> own = course.of(session);
        int low = 0;
        int high = own.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            CellState after = own.get(middle).after();
            if (after.p(session) + after.n(session) < p + n) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        int known = p + n == 0 ? 0 : low + 1;
        if (known > own.size() || (known > 0 && !isAt(own.get(known - 1).after(), session, p, n))) {
            throw new Violation("%s: session %d never had p %d n %d together".formatted(cell, session, p, n));
        }
        return known;
    }

    private static boolean isAt(CellState state, int session, long p, long n) {
        return state.p(session) == p && state.n(session) == n;
    }

    /// Whether somebody who knows `state` knows all of the change.
    boolean includes(CellState state, Change change) {
        return change.reset()
                ? state.covers(change.after())
                : state.p(change.session()) >= change.after().p(change.session())
                        && state.n(change.session()) >= change.after().n(change.session());
    }

    /// What the counter is worth to somebody who knows `state`; throws when nobody can know just that.
    long value(CellName cell, CellState state) {
        Course course = courses.getOrDefault(cell, new Course());
        int[] taken = takenBack(course, state);
        requireAssigned(cell, course, state);
        long value = state.assigned().number();
        for (int session = 0; session < state.sessions(); session++) {
            int known = known(course, session, state.p(session), state.n(session), cell);
            List<Change> own = course.of(session);
            requireWhole(cell, state, session, own, taken[session]);
            requireResetsOf(cell, state, own, known);
            for (int place = taken[session]; place < known; place++) {
                value += own.get(place).delta();
            }
        }
        return value;
    }

    /// How many changes of each session the resets that are known took back.
    private static int[] takenBack(Course course, CellState state) {
        int[] taken = new int[state.sessions()];
        for (Change reset : course.resets) {
            if (state.covers(reset.after())) {
                for (int session = 0; session < taken.length; session++) {
                    taken[session] = Math.max(taken[session], reset.seenOf(session));
                }
            }
        }
        return taken;
    }

    /// Who knows what was assigned, or that this was reset, knows all that was reset with it (I8).
    private static void requireAssigned(CellName cell, Course course, CellState state) {
        if (!state.assigned().equals(Assigned.NEVER)
                && course.resets.stream()
                        .map(Change::after)
                        .noneMatch(after -> after.assigned().equals(state.assigned()) && state.coversResetsOf(after))) {
            throw new Violation("%s: %s has a register without its resets (I8)".formatted(cell, state));
        }
    }

    /// What is reset of a session is what whole resets took back, no more and no less (I8).
    private static void requireWhole(CellName cell, CellState state, int session, List<Change> own, int taken) {
        CellState then = taken == 0 ? CellState.NOTHING : own.get(taken - 1).after();
        if (state.rp(session) != then.p(session) || state.rn(session) != then.n(session)) {
            throw new Violation(
                    "%s: %s has resets of session %d that no whole reset made (I8)".formatted(cell, state, session));
        }
    }

    /// Who knows a change knows the resets that its session knew then: a cell that was ever reset travels whole (I8).
    private static void requireResetsOf(CellName cell, CellState state, List<Change> own, int known) {
        if (known > 0 && !state.coversResetsOf(own.get(known - 1).after())) {
            throw new Violation("%s: %s has the change without the resets before it: %s (I8)"
                    .formatted(cell, state, own.get(known - 1)));
        }
    }
}
