package io.tallis.sim;

import io.tallis.cluster.peer.FoldNews;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.Fold;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// All folds that were ever made, and which shards of sessions a fold's shard stands for: the simulation goes on to
/// compare what each session counted, as if nothing was ever folded.
///
/// Every session knows exactly what it has when it makes a fold. So a fold's shard is the sum of what one of them had,
/// of the counts, and of the resets, before or after a reset of all that. The product keeps the larger of two sums; if
/// neither is behind the other in all members, that is no sum of anything that can be known, and only a node that was
/// not asked when the fold was agreed on may bring that about.
final class MadeFolds {
    /// A fold, by the number of its id, and the nodes that were asked.
    private static final class Made {
        private final int number;

        /// All sessions in it, those of folds among its members too.
        private final BitSet sessions = new BitSet();

        private final Set<Session> asked;
        private final Set<UUID> nodes = new HashSet<>();

        /// All that was counted when it was agreed on.
        private final Map<CellName, CellState> all = new HashMap<>();

        /// What sessions had when they made it, by cell; and those that were asked.
        private final Map<CellName, List<CellState>> known = new HashMap<>();

        private final Map<CellName, List<CellState>> agreed = new HashMap<>();

        private Made(int number, Set<Session> asked) {
            this.number = number;
            this.asked = asked;
            asked.forEach(session -> nodes.add(session.uuid()));
        }

        private static boolean add(Map<CellName, List<CellState>> states, CellName cell, CellState state) {
            List<CellState> all = states.computeIfAbsent(cell, _ -> new ArrayList<>());
            return !all.contains(state) && all.add(state);
        }

        private List<CellState> known(CellName cell) {
            return known.getOrDefault(cell, List.of());
        }
    }

    /// A fold and the fingerprint of its members.
    private record Ready(long proposal, long fingerprint) {}

    private final World world;
    private final Map<ReplicaId, Made> folds = new LinkedHashMap<>();

    /// The sessions that ever told to be ready. They may have given up since: all that they have of the members is in
    /// the fold.
    private final Map<Ready, Set<Session>> ready = new HashMap<>();

    /// The nodes that a session knew when it decided a fold, and the sessions that ran then or might still be
    /// reachable. It makes the fold once its journal has that.
    private record Decision(Set<UUID> nodes, Set<Session> present) {}

    private final Map<Session, Decision> decided = new HashMap<>();

    private Runnable onStep = () -> {};

    MadeFolds(World world) {
        this.world = world;
    }

    int count() {
        return folds.size();
    }

    /// Does this whenever nodes take a step towards a fold.
    void onStep(Runnable action) {
        onStep = action;
    }

    void goOn() {
        onStep.run();
    }

    // Folds are made

    /// What a session tells in its beat.
    void told(Session by, FoldNews news) {
        if (news.fingerprint() != 0) {
            ready.computeIfAbsent(new Ready(news.proposal(), news.fingerprint()), _ -> new HashSet<>())
                    .add(by);
        }
    }

    /// A session has found that all are ready for the fold that it proposes.
    void decided(Session by) {
        Set<Session> present = world.everybody().filter(Session::livedLately).collect(Collectors.toSet());
        decided.put(by, new Decision(by.registry().nodes(), present));
    }

    /// A session makes a fold, as the first one or as one that heard of it.
    void made(Session by, Fold fold) {
        Made made = folds.get(fold.id());
        if (made == null) {
            made = agreed(by, fold);
        }
        Made known = made;
        by.memory().cells().forEach((cell, state) -> requireKept(by, known, cell, state.only(known.sessions)));
    }

    /// Whether a fold stands for a session.
    boolean contains(ReplicaId fold, int session) {
        return made(fold).sessions.get(session);
    }

    /// A session has found a fold on its disk.
    void found(Session by, Fold fold) {
        Made made = made(fold.id());
        by.memory().cells().forEach((cell, state) -> Made.add(made.known, cell, state.only(made.sessions)));
    }

    private Made made(ReplicaId id) {
        Made made = folds.get(id);
        if (made == null) {
            throw new Violation("a fold that was never made: " + id);
        }
        return made;
    }

    private Made agreed(Session by, Fold fold) {
        Set<Session> asked = new HashSet<>();
        asked.add(by);
        long proposal = Fold.proposal(fold.node(), fold.members()).id().low();
        Decision decision = decided.remove(by);
        if (decision == null) {
            throw new Violation(by + " makes a fold that was not decided");
        }
        asked.addAll(ready.getOrDefault(new Ready(proposal, fold.fingerprint()), Set.of()));
        asked.retainAll(decision.present);
        Made made = new Made(world.sessions().makeFold(fold.id()), asked);
        folds.put(fold.id(), made);
        for (ReplicaId member : fold.members()) {
            if (member.isFold()) {
                made.sessions.or(made(member).sessions);
            } else {
                made.sessions.set(world.sessions().numberOf(member));
            }
        }
        world.trace()
                .note(by.toString(), "agrees with " + asked + " on fold " + made.number + " of " + made.sessions, 0);
        requireAllAsked(by, made, decision.nodes);
        requireEnded(by, made);
        by.memory().cells().forEach((cell, state) -> made.all.put(cell, state.only(made.sessions)));
        asked.forEach(other -> requireAgreement(by, made, other));
        return made;
    }

    /// All nodes that the first one knows were asked.
    private static void requireAllAsked(Session by, Made made, Set<UUID> nodes) {
        if (!made.nodes.containsAll(nodes)) {
            throw new Violation(
                    "%s folds %s with %s and without others of %s".formatted(by, made.sessions, made.asked, nodes));
        }
    }

    /// None of the members runs, but for processes that were forgotten, or whose node runs twice.
    private void requireEnded(Session by, Made made) {
        world.living()
                .filter(other -> made.sessions.get(other.number()))
                .filter(other -> by.registry().nodes().contains(other.uuid()))
                .filter(other -> made.asked.stream()
                        .noneMatch(one -> one != other && one.uuid().equals(other.uuid())))
                .findAny()
                .ifPresent(other -> {
                    throw new Violation("%s folds %s, which runs".formatted(by, other));
                });
    }

    /// All that were asked have the same counts of the members, and none has resets of them that another lacks, but for
    /// resets of all.
    private static void requireAgreement(Session by, Made made, Session other) {
        Set<CellName> cells = new HashSet<>(made.all.keySet());
        cells.addAll(other.memory().cells().keySet());
        for (CellName cell : cells) {
            CellState mine = made.all.getOrDefault(cell, CellState.NOTHING);
            CellState theirs = other.memory().of(cell).only(made.sessions);
            if (!mine.countsAreWithin(theirs) || !theirs.countsAreWithin(mine)) {
                throw new Violation("%s and %s fold %s, of which they have of %s %s and %s"
                        .formatted(by, other, made.sessions, cell, mine, theirs));
            }
            Made.add(made.agreed, cell, theirs);
        }
        made.agreed.forEach((cell, states) -> states.forEach(one -> states.forEach(two -> {
            if (!one.covers(two) && !two.equals(two.reset())) {
                throw new Violation("%s and others fold %s with different resets of %s: %s and %s"
                        .formatted(by, made.sessions, cell, one, two));
            }
        })));
    }

    /// What the session has of the members is among what was agreed on.
    private void requireKept(Session by, Made made, CellName cell, CellState state) {
        if (state.equals(CellState.NOTHING) || !Made.add(made.known, cell, state)) {
            return;
        }
        CellState all = made.all.getOrDefault(cell, CellState.NOTHING);
        if (!state.countsAreWithin(all)) {
            String text =
                    "%s has of %s %s, and makes a fold of %s with %s".formatted(by, cell, state, made.sessions, all);
            boolean wasForgotten = !made.nodes.contains(by.uuid());
            throw failure(wasForgotten || by.host().disk().isCopied(), text);
        }
        requireSameResets(by, made, cell, state);
    }

    /// Resets that only a node made that was not asked, beside others in the fold, may be undone in part.
    private static void requireSameResets(Session by, Made made, CellName cell, CellState state) {
        for (CellState other : made.known(cell)) {
            if (!other.coversResetsOf(state) && !state.coversResetsOf(other)) {
                String text = "%s has of %s resets %s, others make a fold with %s".formatted(by, cell, state, other);
                throw failure(!made.asked.contains(by), text);
            }
        }
    }

    private static Error failure(boolean isGivenUp, String text) {
        return isGivenUp ? new GivenUp(text) : new Violation(text);
    }

    /// A session refuses a fold because it has made one of the same sessions.
    void refused(Session by) {
        boolean isExcused =
                world.machines().stream().anyMatch(machine -> machine.disk().isCopied() || machine.isForgotten());
        String text = by + " refuses a fold";
        throw failure(isExcused, text);
    }

    /// A session learns that it was folded.
    void requireFolded(Session session) {
        if (folds.values().stream().noneMatch(made -> made.sessions.get(session.number()))) {
            throw new Violation(session + " ends, and was not folded");
        }
    }

    // Shards of folds

    /// The state with shards of sessions in place of those of folds. `before` is what was there earlier.
    CellState unfolded(CellName cell, CellState state, CellState before) {
        CellState unfolded = state;
        for (Made made : folds.values()) {
            if (state.hasShard(made.number)) {
                long[] sums = state.only(bit(made.number)).sums();
                unfolded = unfolded.without(made.number).join(members(made, cell, sums, before.only(made.sessions)));
            }
        }
        return unfolded;
    }

    private static BitSet bit(int number) {
        BitSet bit = new BitSet();
        bit.set(number);
        return bit;
    }

    private CellState members(Made made, CellName cell, long[] sums, CellState before) {
        CellState found =
                find(Stream.concat(Stream.of(before), made.known(cell).stream()).toList(), sums, before);
        if (found == null) {
            List<CellState> more = new ArrayList<>(made.known(cell));
            world.everybody().forEach(other -> more.add(other.memory().of(cell).only(made.sessions)));
            world.history().resets(cell).forEach(reset -> more.add(reset.after().only(made.sessions)));
            found = find(more, sums, before);
        }
        if (found == null || !found.covers(before)) {
            String text = "%s: fold %d of %s is %s, which is nothing that a session had of it: %s; before %s"
                    .formatted(cell, made.number, made.sessions, Arrays.toString(sums), made.known(cell), before);
            throw failure(!made.agreed.getOrDefault(cell, List.of()).containsAll(made.known(cell)), text);
        }
        return found;
    }

    /// Members with these sums, which have all that was there before if possible.
    private static @Nullable CellState find(List<CellState> known, long[] sums, CellState before) {
        CellState found = null;
        for (CellState counts : known) {
            long[] counted = counts.sums();
            if (counted[0] == sums[0] && counted[1] == sums[1]) {
                for (CellState resets : known) {
                    for (CellState one : List.of(resets, resets.reset())) {
                        long[] reset = one.sums();
                        CellState candidate = counts.withResetsOf(one);
                        if (reset[2] == sums[2] && reset[3] == sums[3] && candidate.isPossible()) {
                            if (candidate.covers(before)) {
                                return candidate;
                            }
                            found = candidate;
                        }
                    }
                }
            }
        }
        return found;
    }
}
