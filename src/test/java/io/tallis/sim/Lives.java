package io.tallis.sim;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.Replicas;
import io.tallis.sim.Act.Lived;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The specification of keys that expire: which increments a node may show, and which it must not have lost.
///
/// All increments and assignments have numbers that differ so much that any total tells which of them it is made of. So
/// what a node shows is a set of acts of clients, whatever shards were dropped and begun again meanwhile.
///
///   - An increment vanishes only if a client deleted it, assigned over it, or a deadline of its key came for some node
///     that had not come for all of them when it was made.
///   - What was shown nowhere for some seconds, and is on no disk that a node starts with, is never shown again; nor is
///     what is over there, unless a client had left the key with a later deadline, or none, before.
///   - Whoever shows an increment shows nothing that had been reset when it was made (I8).
///   - Once a deadline has come for all, what the client saw that set it is shown no more, unless a later change of the
///     deadline gave it more time.
///
/// The exception to the last: a node that missed the deadline for so long that all others forgot it may bring back its
/// copy, which never had one. It is an undated counter then. How often that happened is counted.
final class Lives {
    /// In this time a frame has arrived, however slow or frozen the receiver, or it never will.
    private static final long LATEST_FRAME_NANOS = 6_000_000_000L;

    private static final long LATEST_FRAME_WITHOUT_TROUBLE_NANOS = 1_000_000_000;

    /// A node that has not heard of a deadline by then is a straggler.
    private static final long TOLD_NANOS = 2_000_000_000;

    private record Chain(int session, boolean up) {}

    private record Place(int session, CellName cell) {}

    /// What clients did to one key.
    private static final class Course {
        private final Map<Chain, Map<Long, Act>> totals = new HashMap<>();
        private final Map<Long, Act> assigned = new HashMap<>();
        private final Map<Long, Act> assignedAt = new HashMap<>();
        private final List<Act> acts = new ArrayList<>();

        private @Nullable Act at(int session, boolean up, long total) {
            return totals.getOrDefault(new Chain(session, up), Map.of()).get(total);
        }
    }

    /// What a session last showed of a key.
    private static final class Sight {
        private Set<Act> visible = Set.of();
        private long since;
        private long lifeNumber;
        private final long[] own = new long[4];
    }

    private final World world;
    private final Map<CellName, Course> courses = new HashMap<>();
    private final Map<Place, Sight> sights = new HashMap<>();
    private int acts;
    private boolean hasStragglers;
    private final Set<Act> revived = new HashSet<>();

    Lives(World world) {
        this.world = world;
    }

    long acts() {
        return acts;
    }

    /// How many increments came back as undated counters because a node had missed their deadline.
    long revivals() {
        return revived.size();
    }

    /// Whether a node ever had a copy without a deadline long after the deadline was set.
    boolean hasStragglers() {
        return hasStragglers;
    }

    private Course course(CellName cell) {
        return courses.computeIfAbsent(cell, _ -> new Course());
    }

    /// The latest deadline that any client set.
    long latestDeadline() {
        return courses.values().stream()
                .flatMap(course -> course.acts.stream())
                .filter(Act::setsDeadline)
                .mapToLong(act -> act.life.deadline())
                .max()
                .orElse(0);
    }

    // What is in a cell

    /// The acts whose numbers are shown.
    Set<Act> visible(CellName name, Cell cell, Replicas replicas) {
        Course course = course(name);
        Set<Act> visible = new LinkedHashSet<>();
        Counter counts = cell.counts();
        for (int shard = 0; shard < counts.shards(); shard++) {
            int session = world.sessions().numberOf(replicas.id(counts.replica(shard)));
            walk(course, session, true, counts.low(shard, Counter.P), counts.low(shard, Counter.RP), visible);
            walk(course, session, false, counts.low(shard, Counter.N), counts.low(shard, Counter.RN), visible);
        }
        Assigned register = Assigned.of(cell);
        if (!register.isReset()) {
            visible.add(found(course.assigned.get(register.number()), register));
        }
        return visible;
    }

    private static void walk(Course course, int session, boolean up, long total, long reset, Set<Act> visible) {
        long rest = total - reset;
        Act act = rest == 0 ? null : found(course.at(session, up, total), "s" + session + " total " + total);
        while (rest > 0) {
            visible.add(found(act, rest));
            rest -= Math.abs(act.amount);
            act = act.previous;
        }
        if (rest != 0) {
            throw new Violation(
                    "part of an increment of session %d is reset: %d of %d".formatted(session, reset, total));
        }
    }

    private static Act found(@Nullable Act act, Object what) {
        if (act == null) {
            throw new Violation("no client did " + what);
        }
        return act;
    }

    /// The acts that the cell has as reset.
    private Set<Act> reset(CellName name, Cell cell, Replicas replicas) {
        Course course = course(name);
        Set<Act> reset = new LinkedHashSet<>();
        Counter counts = cell.counts();
        for (int shard = 0; shard < counts.shards(); shard++) {
            int session = world.sessions().numberOf(replicas.id(counts.replica(shard)));
            addAll(course.at(session, true, counts.low(shard, Counter.RP)), reset);
            addAll(course.at(session, false, counts.low(shard, Counter.RN)), reset);
        }
        Assigned register = Assigned.of(cell);
        Act assignment = course.assignedAt.get(register.stamp());
        if (register.isReset() && assignment != null) {
            reset.add(assignment);
        }
        return reset;
    }

    private static void addAll(@Nullable Act last, Set<Act> acts) {
        for (Act act = last; act != null; act = act.previous) {
            acts.add(act);
        }
    }

    // What clients do

    /// A client is about to do something to a cell in which it sees `seen`.
    Act begin(Act.Kind kind, CellName name, Session session, long amount, Set<Act> seen) {
        Act act = new Act(acts++, kind, name, session, world.events().now(), amount, seen);
        act.earliestMillis = world.timeOfDay().earliestNow();
        return act;
    }

    /// The client did it, and the cell is this now.
    void done(Act act, Session session, Cell cell) {
        Course course = course(act.cell);
        Replicas replicas = session.keyspace().replicas();
        Sight sight = sight(session, act.cell);
        act.life = Lived.of(cell.life());
        if (act.kind == Act.Kind.INCREMENT) {
            enter(course, act, cell);
        } else if (act.kind == Act.Kind.ASSIGN) {
            course.assigned.put(act.amount, act);
            act.stamp = Assigned.of(cell).stamp();
            course.assignedAt.put(act.stamp, act);
        }
        act.resetBefore = reset(act.cell, cell, replicas);
        if (act.takes() || act.life.deadline() <= act.millis) {
            act.seen.forEach(seen -> seen.isTaken = true);
        }
        if (act.setsDeadline()) {
            act.seen.forEach(seen -> seen.expiredFirst = Math.min(seen.expiredFirst, act.nanos));
        }
        course.acts.add(act);
        if (act.seen.isEmpty() || sight.lifeNumber != act.life.number()) {
            sight.since = act.nanos;
            sight.lifeNumber = act.life.number();
        }
        act.isYoung = act.nanos - sight.since < 2 * world.expiring().graceNanos();
        observe(session, act.cell, ended(session, cell));
        world.trace().note(session.toString(), act, act.number);
    }

    private static void enter(Course course, Act act, Cell cell) {
        boolean up = act.amount > 0;
        int own = cell.counts().find(Replicas.OWN);
        long total = cell.counts().low(own, up ? Counter.P : Counter.N);
        act.previous = course.at(act.session, up, total - Math.abs(act.amount));
        Act other = course.totals
                .computeIfAbsent(new Chain(act.session, up), _ -> new HashMap<>())
                .put(total, act);
        if (other != null) {
            throw new Violation("%s and %s make the same total".formatted(other, act));
        }
    }

    // What nodes show

    private Sight sight(Session session, CellName name) {
        return sights.computeIfAbsent(new Place(session.number(), name), _ -> {
            Sight sight = new Sight();
            sight.since = world.events().now();
            return sight;
        });
    }

    /// A session begins with this cell of its disk.
    void loaded(Session session, CellName name, Cell cell) {
        Sight sight = sight(session, name);
        sight.since = Long.MIN_VALUE / 2;
        sight.lifeNumber = cell.life().number();
        long now = world.events().now();
        if (isExtended(course(name), Lived.of(cell.life()))) {
            visible(name, cell, session.keyspace().replicas()).forEach(act -> act.visibleAt = now);
        }
        Set<Act> visible =
                visible(name, ended(session, cell), session.keyspace().replicas());
        visible.forEach(act -> {
            act.visibleAt = now;
            noteStraggler(act, cell, now);
        });
        sight.visible = visible;
        noteOwn(sight, cell);
    }

    /// Whether a client, before this life was over, left one of the same number that goes on longer.
    private static boolean isExtended(Course course, Lived over) {
        return course.acts.stream()
                .anyMatch(act -> act.life.number() == over.number()
                        && act.earliestMillis <= over.deadline()
                        && act.life.deadline() > over.deadline());
    }

    /// A merge made the cell this.
    void merged(Session session, CellName name, Cell cell) {
        Sight sight = sight(session, name);
        if (sight.lifeNumber != cell.life().number()) {
            sight.lifeNumber = cell.life().number();
            sight.since = world.events().now();
        }
        Cell ended = ended(session, cell);
        noteLift(course(name), session, sight, ended);
        observe(session, name, ended);
    }

    private static Cell ended(Session session, Cell cell) {
        Cell copy = new Cell();
        copy.copyFrom(cell);
        copy.endIfOver(session.epochMillis());
        return copy;
    }

    /// A merge may raise both the total of the own shard and what is reset of it, by as much: of what was there, or of
    /// what comes back to a session that has dropped it.
    private static void noteLift(Course course, Session session, Sight sight, Cell cell) {
        int own = cell.counts().find(Replicas.OWN);
        for (int i = 0; own >= 0 && i < 2; i++) {
            long total = cell.counts().low(own, i == 0 ? Counter.P : Counter.N);
            long reset = cell.counts().low(own, i == 0 ? Counter.RP : Counter.RN);
            Map<Long, Act> totals =
                    course.totals.computeIfAbsent(new Chain(session.number(), i == 0), _ -> new HashMap<>());
            long shown = sight.own[2 * i] - sight.own[2 * i + 1];
            if (total > reset && !totals.containsKey(total)) {
                Act last = shown == total - reset ? totals.get(sight.own[2 * i]) : lastOf(totals, total - reset);
                if (last != null) {
                    totals.put(total, last);
                }
            }
        }
        noteOwn(sight, cell);
    }

    /// The last of the increments that follow each other and make this sum.
    private static @Nullable Act lastOf(Map<Long, Act> totals, long sum) {
        for (Act last : totals.values()) {
            long rest = sum;
            for (Act act = last; act != null && rest > 0; act = act.previous) {
                rest -= Math.abs(act.amount);
            }
            if (rest == 0) {
                return last;
            }
        }
        return null;
    }

    private static void noteOwn(Sight sight, Cell cell) {
        int own = cell.counts().find(Replicas.OWN);
        sight.own[0] = own < 0 ? 0 : cell.counts().low(own, Counter.P);
        sight.own[1] = own < 0 ? 0 : cell.counts().low(own, Counter.RP);
        sight.own[2] = own < 0 ? 0 : cell.counts().low(own, Counter.N);
        sight.own[3] = own < 0 ? 0 : cell.counts().low(own, Counter.RN);
    }

    /// The session shows this cell, which is ended if its deadline has come.
    void observe(Session session, CellName name, Cell cell) {
        Sight sight = sight(session, name);
        noteOwn(sight, cell);
        Set<Act> visible = visible(name, cell, session.keyspace().replicas());
        long now = world.events().now();
        if (!visible.equals(sight.visible)) {
            requireNothingReset(session, visible);
            requireExcused(session, sight.visible, visible);
            requireSeenLately(session, sight.visible, visible, now);
            sight.visible = visible;
        }
        visible.forEach(act -> {
            act.visibleAt = now;
            noteStraggler(act, cell, now);
        });
    }

    private void noteStraggler(Act act, Cell cell, long now) {
        if (!cell.life().hasDeadline() && act.expiredFirst < now - TOLD_NANOS) {
            act.hasStraggler = true;
            hasStragglers = true;
        }
    }

    /// The session has none of the cells that it showed, but for these.
    void observeOthersAreGone(Session session, Collection<CellName> present) {
        sights.forEach((place, sight) -> {
            if (place.session == session.number() && !present.contains(place.cell) && !sight.visible.isEmpty()) {
                requireExcused(session, sight.visible, Set.of());
                sight.visible = Set.of();
            }
        });
    }

    private static void requireNothingReset(Session session, Set<Act> visible) {
        for (Act act : visible) {
            if (!Collections.disjoint(visible, act.resetBefore)) {
                Set<Act> both = new LinkedHashSet<>(visible);
                both.retainAll(act.resetBefore);
                throw new Violation(
                        "%s shows %s beside what had been reset then: %s (I8)".formatted(session, act, both));
            }
        }
    }

    private void requireExcused(Session session, Set<Act> before, Set<Act> now) {
        for (Act act : before) {
            if (!now.contains(act) && !isExcused(act)) {
                throw new Violation("%s shows no longer %s%n%s".formatted(session, act, shown(course(act.cell).acts)));
            }
        }
    }

    private static String shown(List<Act> acts) {
        return String.join("\n", acts.stream().map(act -> "    " + act).toList());
    }

    private boolean isExcused(Act act) {
        return act.isTaken || (act.kind == Act.Kind.ASSIGN && isAssignedLater(act)) || hasExpired(act);
    }

    /// Whether a deadline, which had not come for all when the act was done, came for any node since.
    private boolean hasExpired(Act act) {
        long latest = world.timeOfDay().latestSince(act.nanos);
        long earliest = world.timeOfDay().earliestSince(act.nanos, act.earliestMillis);
        return course(act.cell).acts.stream()
                .filter(Act::setsDeadline)
                .mapToLong(other -> other.life.deadline())
                .anyMatch(deadline -> deadline <= latest && deadline > earliest);
    }

    /// Of two assignments at once the later one is kept.
    private boolean isAssignedLater(Act act) {
        return course(act.cell).assignedAt.keySet().stream()
                .anyMatch(stamp -> Long.compareUnsigned(stamp, act.stamp) > 0);
    }

    private void requireSeenLately(Session session, Set<Act> before, Set<Act> visible, long now) {
        boolean isCalm = world.scenario().troubles().isEmpty()
                && !world.scenario().weather().isBad();
        long oldest = now - (isCalm ? LATEST_FRAME_WITHOUT_TROUBLE_NANOS : LATEST_FRAME_NANOS);
        for (Act act : visible) {
            if (!before.contains(act)
                    && act.session != session.number()
                    && act.visibleAt < oldest
                    && !world.expiring().clocksAreSet()) {
                throw new Violation(
                        "%s shows %s again, which nothing had had since %,d".formatted(session, act, act.visibleAt));
            }
        }
    }

    // At the end

    /// All nodes show this of the key; `durable` is what is acknowledged and on a disk.
    void requireKept(CellName name, Set<Act> visible, Lived life, Collection<Act> durable) {
        for (Act act : durable) {
            boolean counts = act.kind == Act.Kind.INCREMENT || act.kind == Act.Kind.ASSIGN;
            if (counts && !visible.contains(act) && !isExcused(act)) {
                throw new Violation("%s is lost, %s is %s%n%s".formatted(act, name, visible, shown(course(name).acts)));
            }
            for (Act shown : visible) {
                if (act.seen.contains(shown) || act == shown) {
                    requireHeeded(act, shown, life);
                }
            }
        }
    }

    private void requireHeeded(Act act, Act shown, Lived life) {
        boolean isTaken = act.takes() && act != shown;
        boolean changesLife = act.setsDeadline() || act.kind == Act.Kind.PERSIST;
        boolean isOverruled = changesLife && act.life.compareTo(life) > 0;
        boolean isOver = act.setsDeadline()
                && act.life.deadline() <= world.timeOfDay().earliestNow()
                && course(act.cell).acts.stream().noneMatch(other -> other.life.compareTo(act.life) > 0);
        if (!isTaken && !isOverruled && !isOver) {
            return;
        }
        if (!mayBeForgotten(act) || (!life.hasDeadline() && !isHole(act, shown))) {
            throw new Violation("%s is shown in life %s, straggler %s, though %s%n%s"
                    .formatted(shown, life, shown.hasStraggler, act, shown(course(act.cell).acts)));
        }
        if (!life.hasDeadline()) {
            revived.add(shown);
        }
    }

    /// Whether every node may have dropped the cell that this act left.
    private boolean mayBeForgotten(Act act) {
        long horizon = act.life.horizon();
        return horizon != Long.MIN_VALUE
                && horizon != Long.MAX_VALUE
                && horizon + world.expiring().graceMillis() <= world.timeOfDay().latestEver();
    }

    private static boolean isHole(Act act, Act shown) {
        return shown.hasStraggler && (!act.isFirstDeadline || act.isYoung);
    }
}
