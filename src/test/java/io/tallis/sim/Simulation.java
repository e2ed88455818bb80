package io.tallis.sim;

import io.tallis.cluster.ReplicationStatus;
import io.tallis.cluster.peer.ClusterId;
import io.tallis.cluster.peer.Purge;
import io.tallis.cluster.peer.Standing;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.KeyspaceAudit;
import io.tallis.testing.Gen;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Runs a cluster from its start through all its trouble to the end, where all nodes must be equal. Deterministic for a
/// seed.
final class Simulation {
    /// How long members may take to converge once all trouble is over.
    private static final long AGREE_NANOS = 2_000_000_000;

    /// How long to wait for nodes to serve before trouble begins.
    private static final long START_NANOS = 10_000_000_000L;

    /// By then all views are complete, and no frame of a dead session is in transit.
    static final long SETTLE_NANOS = 1_500_000_000;

    /// How long a node may take to serve once all is well but the weather: it is patient as long as it gets on, and an
    /// answer that is damaged on its way takes one and a half seconds to be asked for again.
    private static final long JOIN_NANOS = 120_000_000_000L;

    /// After so long an operator looks which nodes do not serve, and from then on after each of the shorter times.
    private static final long NOBODY_NANOS = 60_000_000_000L;

    private static final long OPERATOR_NANOS = 10_000_000_000L;

    /// About what a cell takes in a frame besides its key.
    private static final long CELL_BYTES = 100;

    /// How long one that answered may take a damaged answer for one that is on its way.
    private static final long REPEAT_NANOS = 9_000_000_000L;

    private static final long STEP_NANOS = 20_000_000;

    /// A node that serves beside others, and is behind a purge, ends within this time.
    private static final long BEHIND_NANOS = 5_000_000_000L;

    /// How long nodes may go on sending after they have converged, and what counts as silence.
    private static final long TALK_NANOS = 10_000_000_000L;

    /// Makes seeds next to each other differ.
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private static final long QUIET_NANOS = 1_200_000_000;

    private final World world;
    private final Clients clients;
    private final ExpiringClients expiringClients;
    private final PurgingClients purgingClients;
    private final TroubleMaker troubles;
    private final EndOfLives end;
    private Map<CellName, CellState> outcome = Map.of();
    private long changesInTrouble;
    private boolean givenUp;

    /// What happens besides the faults of each simulation.
    private enum Kind {
        PLAIN,
        /// Keys expire, and clocks differ.
        EXPIRY,
        FOLDS,
        PURGES,
        /// Clients try again when they were not answered.
        RETRIES
    }

    private Simulation(long seed, Kind kind) {
        Gen gen = new Gen(seed);
        Gen second = new Gen(~seed);
        boolean keysExpire = kind == Kind.EXPIRY;
        Folding folding = switch (kind) {
            case PLAIN -> Folding.draw(new Gen(seed * SPREAD));
            case EXPIRY, RETRIES -> Folding.NONE;
            case FOLDS -> Folding.drawOften(new Gen(seed * SPREAD));
            case PURGES -> Folding.draw(new Gen(seed * SPREAD)).withAllNodes(new Gen(~(seed * SPREAD)));
        };
        Purging purging = kind == Kind.PURGES ? Purging.draw(new Gen(~seed * SPREAD)) : Purging.NONE;
        world = new World(
                gen,
                purging.scenario(folding.scenario(Scenario.draw(gen))),
                second,
                keysExpire ? Expiring.draw(second) : Expiring.NONE,
                folding,
                purging,
                kind == Kind.RETRIES ? Retrying.draw(new Gen(~seed * SPREAD)) : Retrying.NONE);
        clients = new Clients(world);
        expiringClients = new ExpiringClients(world);
        purgingClients = new PurgingClients(world);
        troubles = new TroubleMaker(world, clients);
        end = new EndOfLives(world, expiringClients);
    }

    /// The result of a simulation. Equal fingerprints mean equal courses of events.
    record Result(
            long events,
            long nanos,
            long changes,
            long changesInTrouble,
            long acknowledged,
            long acts,
            long revivals,
            long folds,
            long purges,
            long retries,
            boolean givenUp,
            long fingerprint) {}

    /// Throws with the seed, the scenario and the last events when a check fails.
    static Result run(long seed) {
        return run(seed, Kind.PLAIN);
    }

    /// The same with keys that expire, and clocks that differ.
    static Result runWithExpiry(long seed) {
        return run(seed, Kind.EXPIRY);
    }

    /// The same where sessions end and are folded again and again.
    static Result runWithFolds(long seed) {
        return run(seed, Kind.FOLDS);
    }

    /// The same where counters are deleted and purged again and again.
    static Result runWithPurges(long seed) {
        return run(seed, Kind.PURGES);
    }

    /// The same with clients that try again when they were not answered.
    static Result runWithRetries(long seed) {
        return run(seed, Kind.RETRIES);
    }

    private static Result run(long seed, Kind kind) {
        Simulation simulation = new Simulation(seed, kind);
        try {
            simulation.run();
        } catch (GivenUp reason) {
            simulation.givenUp = true;
            simulation.world.trace().note("all", reason.getMessage(), 0);
        } catch (Throwable failure) {
            throw new AssertionError(
                    "fails with --seed %d at %,d ns: %s%n%s%n%s"
                            .formatted(
                                    seed,
                                    simulation.world.events().now(),
                                    failure.getMessage(),
                                    simulation.world.scenario() + "\n" + simulation.world.expiring() + "\n"
                                            + simulation.world.folding() + "\n" + simulation.world.purging(),
                                    simulation.world.trace()),
                    failure);
        }
        return simulation.result();
    }

    private Result result() {
        return new Result(
                world.events().happened(),
                world.events().now(),
                world.history().changes(),
                changesInTrouble,
                clients.acknowledged(),
                world.lives().acts(),
                world.lives().revivals(),
                world.folds().count(),
                world.purged().count(),
                world.telling().tells() + world.repeating().repeats(),
                givenUp,
                world.trace().fingerprint());
    }

    private void run() {
        world.machines().forEach(world::start);
        clients.start();
        expiringClients.start();
        purgingClients.start();
        world.telling().start();
        world.repeating().start();
        untilEnoughServe();
        long before = world.history().changes();
        troubles.start();
        world.events()
                .runFor(Math.max(
                        world.scenario().activeNanos(),
                        Math.max(
                                world.purging().activeNanos(),
                                Math.max(
                                        world.expiring().activeNanos(),
                                        world.folding().activeNanos()))));
        changesInTrouble = world.history().changes() - before;
        troubles.mendAll();
        world.mended();
        world.events().runFor(SETTLE_NANOS);
        untilAllServe();
        if (world.purging().happens()) {
            untilNoneIsBehind();
        }
        if (world.folding().happens() || world.purging().happens()) {
            troubles.forgetThoseThatAreGone();
        }
        world.network().weather(Weather.FAIR);
        world.events().runFor(2 * Weather.LATEST_NANOS);
        if (world.scenario().weather().damagePercent() > 0) {
            // A node that believes an answer to be on its way sends no other for a while.
            world.events().runFor(REPEAT_NANOS);
        }
        whatIsKnownSpreads();
        clients.stop();
        expiringClients.stop();
        purgingClients.stop();
        world.telling().stop();
        world.repeating().stop();
        if (world.expiring().happens()) {
            world.timeOfDay().align();
        }
        world.events().runFor(2 * Weather.LATEST_NANOS);
        outcome = everythingKnown();
        untilAllAgree();
        requirePromises();
        requireValues();
        if (world.retrying().happens()) {
            world.telling().end(AGREE_NANOS + bulkNanos());
            world.repeating().end(AGREE_NANOS + bulkNanos());
        }
        if (world.purging().happens()) {
            troubles.forgetAllThatAreGone();
            new LastPurge(world, purgingClients).run(AGREE_NANOS + bulkNanos());
        } else {
            end.run(AGREE_NANOS + bulkNanos());
        }
        untilAllKnowTheSameNodes();
        requireQuiet();
        requireVersion();
    }

    /// Trouble in an empty cluster shows few bugs, since there is nothing to lose, and founding a cluster takes longer
    /// than all the trouble. So most clusters serve before it begins; those that need an operator for that may not.
    private void untilEnoughServe() {
        long end = world.events().now() + START_NANOS;
        while (world.living().filter(Session::serves).count() < world.scenario().servingBefore()
                && world.events().now() < end) {
            world.events().runFor(STEP_NANOS);
        }
    }

    private void untilAllServe() {
        long end = world.events().now() + JOIN_NANOS;
        long patience = world.events().now() + NOBODY_NANOS;
        while (!world.living().allMatch(Session::serves)) {
            if (world.events().now() > end) {
                throw new Violation("not all nodes serve: "
                        + world.living().map(Simulation::described).toList());
            }
            if (world.events().now() > patience) {
                patience += OPERATOR_NANOS;
                operate();
            }
            world.events().runFor(STEP_NANOS);
        }
    }

    /// Nodes that serve and find themselves behind a purge end after a while, and start again with nothing. Where most
    /// are behind they say so, and an operator starts the others with nothing. A node whose disk fails notes a purge
    /// late, and until then the others take nothing from it.
    private void untilNoneIsBehind() {
        long end = world.events().now() + JOIN_NANOS;
        long before;
        List<Session> fewer;
        do {
            if (world.events().now() > end) {
                throw new Violation("not all know the last purge: "
                        + world.living().map(Simulation::described).toList());
            }
            before = world.purged().refusals();
            world.events().runFor(BEHIND_NANOS);
            untilAllServe();
            fewer = world.living().filter(this::purgedApart).toList();
            fewer.forEach(Session::startEmpty);
        } while (world.purged().refusals() > before || !fewer.isEmpty() || !allKnowTheLastPurge());
    }

    private boolean allKnowTheLastPurge() {
        return world.living()
                        .map(session -> session.replicator().standing().purge())
                        .distinct()
                        .count()
                == 1;
    }

    private boolean purgedApart(Session session) {
        Purge purge = session.replicator().standing().purge();
        return world.living()
                .anyMatch(other -> other.takesNothingFromLaterPurges()
                        && purge.isLaterThan(other.replicator().standing().purge()));
    }

    private static String described(Session session) {
        ReplicationStatus.Joining joining = session.replicator().status().joining();
        return "%s %s %s %s".formatted(session, joining.state(), joining.standing(), joining.reason());
    }

    /// An operator sees that some do not serve. Those that are complete would, or could, by themselves; one of those
    /// that wait for nodes which are lost is told to, or starts empty if the others do not know its last purge.
    private void operate() {
        if (world.living().anyMatch(session -> !session.ready() && session.mayServeByItself())) {
            throw new Violation("a complete node does not serve");
        }
        world.living()
                .filter(session -> !session.ready() && !hasProvider(session))
                .findAny()
                .ifPresent(Session::serve);
        world.living()
                .filter(session -> !session.ready() && hasProvider(session) && !hasLastPurge(session))
                .findAny()
                .ifPresent(Session::startEmpty);
    }

    private boolean hasLastPurge(Session session) {
        Standing own = session.replicator().standing();
        return world.living()
                .filter(other -> other != session && other.ready())
                .map(other -> other.replicator().standing())
                .anyMatch(standing -> !Objects.equals(standing.cluster(), own.cluster())
                        || !own.purge().isLaterThan(standing.purge()));
    }

    /// Whether a node runs from which it could become complete: a complete one of its cluster or of an earlier one.
    private boolean hasProvider(Session session) {
        ClusterId own = session.replicator().standing().cluster();
        return world.living()
                .filter(other -> other != session && other.ready())
                .map(other -> other.replicator().standing())
                .anyMatch(standing -> standing.complete()
                        && (own == null
                                || Objects.requireNonNull(standing.cluster()).compareTo(own) <= 0));
    }

    /// What any node has in memory all nodes have in time, while clients continue.
    private void whatIsKnownSpreads() {
        outcome = everythingKnown();
        world.events().runFor(AGREE_NANOS + bulkNanos());
        world.living()
                .forEach(session -> outcome.forEach((cell, state) -> {
                    CellState has = session.memory().of(cell);
                    if (!has.covers(state)) {
                        throw new Violation("%s lacks of %s what others had two seconds before: it has %s of %s"
                                .formatted(session, cell, has, state));
                    }
                }));
    }

    /// What all nodes have in memory, merged: the state to which they must converge.
    private Map<CellName, CellState> everythingKnown() {
        Map<CellName, CellState> known = new HashMap<>();
        world.living()
                .forEach(session ->
                        session.memory().cells().forEach((cell, state) -> known.merge(cell, state, CellState::join)));
        return known;
    }

    private void untilAllAgree() {
        long end = world.events().now() + AGREE_NANOS + bulkNanos();
        while (!allAgree()) {
            if (world.events().now() > end) {
                throw new Violation("not all is equal: " + differences());
            }
            world.events().runFor(STEP_NANOS);
        }
        world.trace().note("all", "agree", 0);
        List<Session> living = world.living().toList();
        KeyspaceAudit.check(world.gen().pick(living).keyspace());
        living.forEach(session -> {
            session.memory().requireComplete();
        });
    }

    /// How long a node may take to send all that there is to each of the others, within its bounds.
    private long bulkNanos() {
        double bytes = outcome.keySet().stream()
                .mapToLong(cell -> CELL_BYTES + cell.key().length())
                .sum();
        double seconds = bytes * world.machines().size() / world.scenario().bulkBytesPerSecond();
        return (long) (seconds * 1e9);
    }

    private boolean allAgree() {
        boolean sameFolds = world.living()
                        .map(session -> session.keyspace().folds().hash())
                        .distinct()
                        .count()
                == 1;
        return sameFolds
                && world.living().allMatch(session -> session.memory().cells().equals(outcome));
    }

    private String differences() {
        StringBuilder text = new StringBuilder();
        world.living()
                .forEach(session -> outcome.forEach((cell, state) -> {
                    CellState has = session.memory().of(cell);
                    if (!has.equals(state) && text.length() < 1_000) {
                        text.append("%n  %s has of %.30s %s, expected %s".formatted(session, cell, has, state));
                    }
                }));
        return text.toString();
    }

    /// What was acknowledged by a node whose disk still has it has been counted (I7).
    private void requirePromises() {
        for (Machine machine :
                world.machines().stream().filter(one -> !one.retired()).toList()) {
            for (Change change : machine.disk().acknowledged(Change.class)) {
                CellState state = outcome.getOrDefault(change.cell(), CellState.NOTHING);
                if (!world.history().includes(state, change)) {
                    throw new Violation("%s is lost: %s is %s".formatted(change, change.cell(), state));
                }
            }
        }
    }

    private void requireValues() {
        world.living()
                .forEach(session -> outcome.forEach((cell, state) -> {
                    var counters = session.loop().counters();
                    boolean exists = counters.read(cell.type(), cell.toKey());
                    long specified = world.history().value(cell, state);
                    if (counters.value() != specified || exists != state.exists()) {
                        throw new Violation("%s is worth %d to %s, specified is %d"
                                .formatted(cell, counters.value(), session, specified));
                    }
                }));
    }

    /// Some time after all nodes converged, none asks for anything.
    private void requireQuiet() {
        long end = world.events().now() + TALK_NANOS + bulkNanos();
        long[] before;
        long[] after = world.network().frames().talk();
        do {
            before = after;
            world.events().runFor(QUIET_NANOS);
            after = world.network().frames().talk();
            if (world.events().now() > end && !Arrays.equals(before, after)) {
                throw new Violation("frames are sent for nothing, by kind %s and then %s"
                        .formatted(Arrays.toString(before), Arrays.toString(after)));
            }
        } while (!Arrays.equals(before, after));
    }

    /// In time all nodes have the same records of nodes, including those that are gone or forgotten.
    private void untilAllKnowTheSameNodes() {
        long end = world.events().now() + TALK_NANOS;
        while (world.living()
                        .mapToLong(session -> session.registry().hash())
                        .distinct()
                        .count()
                > 1) {
            if (world.events().now() > end) {
                throw new Violation("not all know the same nodes: "
                        + world.living()
                                .map(session -> session + ": "
                                        + session.registry().known().visible())
                                .toList());
            }
            world.events().runFor(STEP_NANOS);
        }
    }

    /// DELTA frames are sent in the newest version that all nodes understand.
    private void requireVersion() {
        int lowest = world.living()
                .mapToInt(session -> session.host().newestVersion())
                .min()
                .orElseThrow();
        world.living().forEach(session -> {
            clients.addOne(session, new CellName(CounterType.GCOUNT, "version"));
            world.events().runFor(STEP_NANOS);
            int version = world.network().frames().deltaVersion(session.id());
            if (version != lowest) {
                throw new Violation("%s writes version %d, all speak %d".formatted(session, version, lowest));
            }
        });
    }
}
