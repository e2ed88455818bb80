package io.tallis.sim;

import io.tallis.cluster.peer.ClusterId;
import io.tallis.cluster.peer.Standing;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Checks a session's claims, that it serves and that it is complete, against what the other sessions had.
final class Claims {
    private static final long SECOND_NANOS = 1_000_000_000;

    /// Within this time a node has sent all that it has, whatever is lost.
    private static final int SECONDS_UNTIL_TOLD = 5;

    private final World world;
    private final Session session;
    private final Map<CellName, CellState> beganWith;

    /// The clusters for which it was ever complete.
    private final Set<ClusterId> completeFor = new HashSet<>();

    /// An operator said `SYSTEM READY`.
    private boolean toldToServe;

    /// Whether it serves without being in step, or because of an operator.
    private boolean unfit;

    /// Whether it served as a copy that takes itself for the only node.
    private boolean isLoneCopy;

    private Standing standing;

    /// What no complete node of its cluster may lack because this one is complete, or was in this life; null as long as
    /// it was not.
    private @Nullable Map<CellName, CellState> base;

    /// The sessions that had been complete when this one last began the pull by which it joins, and what the journals
    /// of those that ran had.
    private Set<Session> completeBeforePull = Set.of();

    private final Map<Session, Map<CellName, CellState>> beforePull = new HashMap<>();

    /// The content of its journal in each of the last seconds.
    private final Queue<Map<CellName, CellState>> history = new ArrayDeque<>();

    /// The sessions that served when it started, with what they had long before.
    private final Map<Session, Map<CellName, CellState>> servedBefore = new HashMap<>();

    Claims(World world, Session session, Map<CellName, CellState> beganWith, Standing beganAs) {
        this.world = world;
        this.session = session;
        this.beganWith = Map.copyOf(beganWith);
        if (beganAs.complete()) {
            completeFor.add(beganAs.cluster());
        }
        standing = beganAs;
        base = beganAs.complete() ? this.beganWith : null;
    }

    /// The session has started.
    void begin() {
        keepHistory();
        world.living()
                .filter(other -> other != session && other.ready())
                .forEach(other -> servedBefore.put(other, other.claims().hadLongAgo()));
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

    Map<CellName, CellState> beganWith() {
        return beganWith;
    }

    /// An operator says `SYSTEM READY`.
    void isToldToServe() {
        toldToServe = true;
    }

    /// The session reports that it serves, and why.
    void serves(String what) {
        if (!session.replicator().standing().complete() && !toldToServe) {
            throw new Violation("%s serves though it is incomplete".formatted(session));
        }
        boolean foundNobody = what.contains("no other complete node") || what.contains("first to serve");
        boolean hasTwin = world.living()
                .anyMatch(other -> other != session && other.uuid().equals(session.uuid()));
        unfit = toldToServe || what.contains("without being in step");
        isLoneCopy = foundNobody && hasTwin;
        if (!unfit && !foundNobody) {
            requireInStep();
        }
    }

    /// A node that comes to serve beside others of its cluster has in its journal what one of them had long before it
    /// started: at least as long as it may take until they tell of it.
    private void requireInStep() {
        List<Session> serving = servedBefore.keySet().stream()
                .filter(other -> !other.ended() && other.ready())
                .filter(other -> world.network().views().sees(session.id(), other.id()))
                .filter(other -> Objects.equals(
                        other.replicator().standing().cluster(),
                        session.replicator().standing().cluster()))
                .toList();
        boolean anyUnfit = world.living()
                .map(Session::claims)
                .anyMatch(other -> other.unfit || (other.isLoneCopy && session.hasPulledFrom(other.session.host())));
        if (!anyUnfit
                && !serving.isEmpty()
                && serving.stream().map(servedBefore::get).noneMatch(session::isInJournal)) {
            throw new Violation("%s serves and lacks what all of %s had long before".formatted(session, serving));
        }
    }

    /// The session, which does not serve, begins a pull.
    void pullBegins() {
        completeBeforePull = world.everybody()
                .filter(other -> !other.claims().completeFor.isEmpty())
                .collect(Collectors.toSet());
        beforePull.clear();
        completeBeforePull.stream()
                .filter(other -> !other.ended())
                .forEach(other -> beforePull.put(other, other.journalled()));
    }

    /// It pulled, and whichever complete sessions it pulled from, its journal has what all of them had. One that became
    /// complete since may have less.
    private void requirePulled(Set<Session> complete) {
        if (completeBeforePull.isEmpty()) {
            throw new Violation("%s is complete and has not pulled".formatted(session));
        }
        List<Map<CellName, CellState>> pulled = complete.stream()
                .filter(beforePull::containsKey)
                .map(beforePull::get)
                .toList();
        if (completeBeforePull.containsAll(complete) && !pulled.isEmpty() && !session.isInJournal(inCommon(pulled))) {
            throw new Violation("%s is complete and lacks what all of %s had when its pull began"
                    .formatted(session, beforePull.keySet()));
        }
    }

    /// Its standing is this now. A node becomes complete by founding a cluster, by an operator's word, or because its
    /// journal has all that a complete node of that cluster had.
    void standing(Standing now) {
        Standing before = standing;
        standing = now;
        boolean isNew = now.complete() && !(before.complete() && Objects.equals(now.cluster(), before.cluster()));
        if (!isNew) {
            return;
        }
        Set<Session> others = new HashSet<>(world.everybody()
                .filter(other -> other != session)
                .filter(other -> other.claims().completeFor.contains(now.cluster()))
                .toList());
        boolean founds = before.cluster() == null;
        List<Map<CellName, CellState>> bases = others.stream()
                .map(other -> other.claims().base)
                .filter(Objects::nonNull)
                .filter(session::isInJournal)
                .toList();
        if (!founds && !toldToServe && bases.isEmpty()) {
            throw new Violation(
                    "%s takes a part for all: it was %s and is %s, beside %s".formatted(session, before, now, others));
        }
        if (!founds && !toldToServe && !before.complete()) {
            requirePulled(others);
        }
        completeFor.add(now.cluster());
        Map<CellName, CellState> all = new HashMap<>(base == null ? beganWith : base);
        inCommon(bases).forEach((cell, state) -> all.merge(cell, state, CellState::join));
        base = all;
    }

    /// Of each cell the smallest state, if one of them has no more than it.
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
