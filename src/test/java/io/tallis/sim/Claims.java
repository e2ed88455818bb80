package io.tallis.sim;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a session claims, that it is ready and that it is whole, held against what others had.
final class Claims {
    private static final long SECOND_NANOS = 1_000_000_000;

    /// Beats and vectors tell what one has within this time, whatever is lost of them.
    private static final int SECONDS_UNTIL_TOLD = 5;

    /// A beat tells of what one had so long before it comes.
    private static final long BEAT_TELLS_NANOS = Weather.LATEST_NANOS + 300_000_000;

    private final World world;
    private final Session session;
    private final Map<CellName, CellState> beganWith;

    /// Whether its disk had what it got of others before it was told to serve.
    private final boolean beganWithPart;

    private boolean toldToServe;

    /// Whether it ever saw one that serves or came with all that it ever had: it may have all from that.
    private boolean sawWhole;

    /// Whether it came to serve with what it had because nobody else had any more, as far as it knew.
    private boolean foundNobody;

    /// Those whom it has seen so far.
    private final Set<Session> seen = new HashSet<>();

    private final Set<Session> seenServing = new HashSet<>();

    /// Since when it has any.
    private long countersSince = Long.MAX_VALUE;

    /// Whether it heard, before it was ready, of one that has any.
    private boolean heardOfCounters;

    /// Whether it serves without being in step.
    private boolean unfit;

    /// Whether it was whole and met one that has far more.
    private boolean hasFarLess;

    private boolean whole;

    /// What nobody lacks who is whole because this one is, or was in this life; null as long as it was not.
    private @Nullable Map<CellName, CellState> base;

    /// What its journal had in each of the last seconds.
    private final Queue<Map<CellName, CellState>> history = new ArrayDeque<>();

    /// Those that served when it started, with what they had long before.
    private final Map<Session, Map<CellName, CellState>> servedBefore = new HashMap<>();

    /// Those that were whole when it started, or when it came to have a part, with what they had long before.
    private final Map<Session, Map<CellName, CellState>> wholeBefore = new HashMap<>();

    Claims(World world, Session session, Map<CellName, CellState> beganWith, boolean beganWithPart) {
        this.world = world;
        this.session = session;
        this.beganWith = Map.copyOf(beganWith);
        this.beganWithPart = beganWithPart;
    }

    /// The session has started.
    void begin() {
        keepHistory();
        world.living()
                .filter(other -> other != session && other.ready())
                .forEach(other -> servedBefore.put(other, other.claims().hadLongAgo()));
        lookWhoIsWhole();
    }

    private void keepHistory() {
        world.events().in(SECOND_NANOS, () -> {
            if (!session.ended()) {
                history.add(session.journalled());
                if (history.size() > SECONDS_UNTIL_TOLD) {
                    history.remove();
                }
                keepHistory();
            }
        });
    }

    private Map<CellName, CellState> hadLongAgo() {
        return history.size() < SECONDS_UNTIL_TOLD ? beganWith : history.element();
    }

    private void lookWhoIsWhole() {
        wholeBefore.clear();
        world.living().filter(other -> other != session).forEach(other -> {
            Map<CellName, CellState> theirs = other.claims().base;
            if (theirs != null) {
                Map<CellName, CellState> all = new HashMap<>(other.claims().hadLongAgo());
                theirs.forEach((cell, state) -> all.merge(cell, state, CellState::join));
                wholeBefore.put(other, all);
            }
        });
    }

    Map<CellName, CellState> beganWith() {
        return beganWith;
    }

    boolean beganWithPart() {
        return beganWithPart;
    }

    /// Whether it came with all that it ever had, as far as it knows.
    boolean beganWhole() {
        return !beganWithPart && !beganWith.isEmpty() && !hasFarLess;
    }

    /// An operator wants it to serve.
    void isToldToServe() {
        toldToServe = true;
    }

    /// Takes note of whom it sees.
    void look() {
        if (!session.ready()) {
            world.living()
                    .filter(other -> other.ready() && session.sees(other::equals))
                    .forEach(seenServing::add);
            sawWhole |= session.sees(other ->
                    other.ready() || other.claims().sawWhole || other.claims().beganWhole());
        }
        if (!whole) {
            world.living().filter(other -> session.sees(other::equals)).forEach(seen::add);
        }
    }

    /// Its journal has some.
    void hasCounters() {
        countersSince = Math.min(countersSince, world.events().now());
    }

    /// Whether a beat of it that comes now tells of some.
    boolean toldOfCounters() {
        return !beganWith.isEmpty()
                || (countersSince != Long.MAX_VALUE && world.events().now() - countersSince > BEAT_TELLS_NANOS);
    }

    /// A beat told of some that another has.
    void heardOfCounters() {
        heardOfCounters |= !session.ready();
    }

    /// It says that it is ready, and why.
    void ready(String what) {
        boolean patienceIsOver = what.contains("without being in step");
        foundNobody = what.contains("alone")
                || what.contains("none of which serves")
                || (beganWith.isEmpty() && !heardOfCounters);
        requireWhole(patienceIsOver);
        unfit = toldToServe || patienceIsOver;
        if (!unfit && !foundNobody) {
            requireInStep();
        }
    }

    /// Who has a part of what others have serves only when it has seen one that has all, or because it was told to. So
    /// does one that came with nothing while it sees such a one, and has heard it.
    private void requireWhole(boolean patienceIsOver) {
        boolean mayHavePart =
                beganWithPart || (beganWith.isEmpty() && session.hasHeard(other -> other.claims().beganWithPart));
        if (mayHavePart && !sawWhole && !toldToServe && !patienceIsOver) {
            throw new Violation("%s serves with a part of what others have".formatted(session));
        }
    }

    /// Who comes to serve beside others that do has in its journal what one of them had long before it came: at
    /// least as long as it may take until they tell of it. One that came to serve meanwhile has that too.
    private void requireInStep() {
        List<Session> serving = seenServing.stream()
                .filter(other -> other.ready() && session.sees(other::equals) && servedBefore.containsKey(other))
                .toList();
        boolean sawUnfit = seenServing.stream().anyMatch(other -> other.claims().unfit);
        if (!sawUnfit
                && !serving.isEmpty()
                && serving.stream().map(servedBefore::get).noneMatch(session::isInJournal)) {
            throw new Violation("%s serves and lacks what all of %s had long before".formatted(session, serving));
        }
    }

    /// It is whole, or not. Returns whether it has far less than another that was whole before.
    boolean whole(boolean isWhole) {
        boolean was = whole;
        whole = isWhole;
        if (!was && isWhole) {
            becameWhole();
        } else if (was && !isWhole) {
            hasFarLess();
        }
        return was && !isWhole;
    }

    /// Who is whole came with all that it ever had, or cannot know better, or has in its journal what one has that
    /// it saw whole; and it lacks nothing of what those that it sees, and that are whole, had long before it started.
    /// Of which it has that is not known: what they have in common it took over. One that has far less may be whole
    /// again when it sees no whole one any more.
    private void becameWhole() {
        List<Map<CellName, CellState>> bases = seen.stream()
                .map(other -> other.claims().base)
                .filter(Objects::nonNull)
                .filter(session::isInJournal)
                .toList();
        boolean lacksSome = session.hasHeard(other ->
                other.claims().base != null && !session.isInJournal(wholeBefore.getOrDefault(other, Map.of())));
        boolean isLeft = hasFarLess && !session.hasHeard(other -> other.claims().whole);
        if (!beganWhole() && !foundNobody && !toldToServe && !isLeft && (bases.isEmpty() || lacksSome)) {
            throw new Violation("%s takes a part for all".formatted(session));
        }
        Map<CellName, CellState> all = new HashMap<>(base == null ? beganWith : base);
        inCommon(bases).forEach((cell, state) -> all.merge(cell, state, CellState::join));
        base = all;
    }

    private void hasFarLess() {
        hasFarLess = true;
        foundNobody = false;
        toldToServe = false;
        lookWhoIsWhole();
    }

    /// Of each cell what all have, as far as one of them has no more than that.
    private static Map<CellName, CellState> inCommon(List<Map<CellName, CellState>> bases) {
        Map<CellName, CellState> common = new HashMap<>();
        bases.forEach(one -> one.forEach((cell, state) -> {
            if (bases.stream()
                    .allMatch(
                            other -> other.getOrDefault(cell, CellState.NOTHING).covers(state))) {
                common.put(cell, state);
            }
        }));
        return common;
    }
}
