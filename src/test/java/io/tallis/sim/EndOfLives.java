package io.tallis.sim;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Life;
import io.tallis.keyspace.Keyspace;
import io.tallis.sim.Act.Lived;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/// The end of a simulation as far as keys expire: all nodes agree on all of them, and when all deadlines have passed,
/// what had one is gone from everywhere.
final class EndOfLives {
    private static final int FRESH_WINDOWS = 5;

    /// How long a round of the rotation takes at least.
    private static final long ROUND_NANOS = 60_000_000_000L;
    private static final long LOOK_NANOS = 500_000_000;
    private static final long SPREAD_NANOS = 3_000_000_000L;
    private static final long SWEEP_NANOS = 500_000_000;
    private static final long SKEW_MILLIS = 5_000;
    private static final long LITTLE_MILLIS = 100;

    /// The longest time that digests show cells ahead of.
    private static final long MINUTE_MILLIS = 60_000;

    /// What a node shows of a key.
    private record Shown(Set<Act> acts, Lived life) {
        private boolean agreesWith(Shown other) {
            return acts.equals(other.acts) && life.deadline() == other.life.deadline();
        }
    }

    private final World world;
    private final ExpiringClients clients;

    EndOfLives(World world, ExpiringClients clients) {
        this.world = world;
        this.clients = clients;
    }

    /// Nodes may take so long to agree as long as their clocks are right.
    void run(long agreeNanos) {
        List<Session> living = world.living().toList();
        if (!world.expiring().happens()) {
            requireSameDigests(living);
            return;
        }
        untilAllAgree(living, agreeNanos);
        requireSame(living);
        requireSameDigests(living);
        requirePromises(living);
        leave(living);
    }

    /// What a node dropped that lives on at another comes back to it by the rotation only: because its clock was ahead,
    /// or because the other had a copy without deadline, and did not hear of the deadline until all others forgot it.
    private void untilAllAgree(List<Session> living, long agreeNanos) {
        boolean differ = world.expiring().clocksAreSet() || world.lives().hasStragglers();
        long rounds = differ ? 1 + living.size() : 0;
        long end = world.events().now() + agreeNanos + rounds * ROUND_NANOS;
        while (world.events().now() < end && !(allAgree(living) && haveSameDigests(living))) {
            world.events().runFor(LOOK_NANOS);
        }
    }

    /// Some windows that were never used before are used, then all deadlines pass.
    private void leave(List<Session> living) {
        Set<CellName> fresh = clients.useFreshWindows(FRESH_WINDOWS);
        world.events().runFor(SPREAD_NANOS / world.expiring().rate());
        requireSame(living);
        world.timeOfDay()
                .leapTo(world.lives().latestDeadline() + world.expiring().graceMillis() + SKEW_MILLIS + LITTLE_MILLIS);
        world.events().runFor(SWEEP_NANOS);
        requireSame(living);
        requireSameDigests(living);
        requirePromises(living);
        living.forEach(session -> requireGone(session, fresh));
    }

    private Map<CellName, Shown> shown(Session session, long asOf) {
        Map<CellName, Shown> shown = new HashMap<>();
        visit(session, (name, cell) -> {
            cell.endIfOver(asOf);
            if (cell.exists()) {
                shown.put(
                        name,
                        new Shown(
                                world.lives()
                                        .visible(name, cell, session.keyspace().replicas()),
                                Lived.of(cell.life())));
            }
        });
        return shown;
    }

    /// As of when all nodes agree. If a clock was set, one node may have dropped what lives on at another, and digests,
    /// by which they find that out, show cells as of the end of the present minute.
    private long agreedAsOf(Session session) {
        long now = session.epochMillis();
        return world.expiring().clocksAreSet() ? (now / MINUTE_MILLIS + 1) * MINUTE_MILLIS : now;
    }

    private static void visit(Session session, BiConsumer<CellName, Cell> visitor) {
        for (int i = 0; i < CrowdedNames.PARTITIONS; i++) {
            session.keyspace().visitAll(CrowdedNames.FIRST_PARTITION + i, (type, key, cell) -> {
                CellName name = CellName.of(type, key);
                if (name.isDropped()) {
                    visitor.accept(name, cell);
                }
            });
        }
    }

    private boolean allAgree(List<Session> living) {
        return differences(living).isEmpty();
    }

    private String differences(List<Session> living) {
        Map<CellName, Shown> first = shown(living.getFirst(), agreedAsOf(living.getFirst()));
        StringBuilder text = new StringBuilder();
        for (Session session : living) {
            Map<CellName, Shown> other = shown(session, agreedAsOf(session));
            TreeMap<String, CellName> names = new TreeMap<>();
            first.keySet().forEach(name -> names.put(name.toString(), name));
            other.keySet().forEach(name -> names.put(name.toString(), name));
            names.values().stream()
                    .filter(name -> !first.containsKey(name)
                            || !other.containsKey(name)
                            || !first.get(name).agreesWith(other.get(name)))
                    .forEach(name -> text.append("%n  %s of %s has %s, %s has %s"
                            .formatted(name, living.getFirst(), first.get(name), session, other.get(name))));
        }
        return text.toString();
    }

    private void requireSame(List<Session> living) {
        if (!allAgree(living)) {
            throw new Violation("not all show the same: " + differences(living));
        }
        living.forEach(Session::look);
    }

    static boolean haveSameDigests(List<Session> living) {
        return living.stream().allMatch(session -> differing(living, session) < 0);
    }

    static void requireSameDigests(List<Session> living) {
        for (Session session : living) {
            int partition = differing(living, session);
            if (partition >= 0) {
                throw new Violation("digests of partition %d of %s differ".formatted(partition, session));
            }
        }
    }

    /// The first partition of which the session has another digest than the first one, or -1.
    private static int differing(List<Session> living, Session session) {
        Keyspace first = living.getFirst().keyspace();
        return IntStream.range(0, Keyspace.PARTITIONS)
                .filter(partition -> !Arrays.equals(
                        first.digest(partition), session.keyspace().digest(partition)))
                .findFirst()
                .orElse(-1);
    }

    private void requirePromises(List<Session> living) {
        Map<CellName, List<Act>> durable = new LinkedHashMap<>();
        for (Machine machine : world.machines()) {
            if (!machine.retired()) {
                machine.disk()
                        .acknowledged(Act.class)
                        .forEach(act -> durable.computeIfAbsent(act.cell, _ -> new ArrayList<>())
                                .add(act));
            }
        }
        Map<CellName, Shown> shown = shown(living.getFirst(), living.getFirst().epochMillis());
        Shown nothing = new Shown(Set.of(), new Lived(0, 0, Life.NEVER, Life.NEVER, Life.NEVER, Life.NEVER));
        durable.forEach((name, acts) -> {
            Shown present = shown.getOrDefault(name, nothing);
            world.lives().requireKept(name, present.acts, present.life, acts);
        });
    }

    /// Cells that no reader sees are there only if they must be for ever, and the disk has no others than memory.
    private void requireGone(Session session, Set<CellName> fresh) {
        Keyspace keyspace = session.keyspace();
        session.disk().writeAll();
        session.host().disk().checkpoint(keyspace, () -> false, () -> {});
        Map<CellName, Lived> present = new HashMap<>();
        visit(session, (name, cell) -> {
            present.put(name, Lived.of(cell.life()));
            long horizon = cell.life().horizon();
            boolean staysForever = cell.life().isEmpty() || horizon == Life.FOREVER;
            if (!cell.exists() && (!staysForever || fresh.contains(name))) {
                throw new Violation("%s still has %s: %s".formatted(session, name, Lived.of(cell.life())));
            }
            if (cell.exists() && cell.life().hasDeadline()) {
                throw new Violation("%s still shows %s: %s".formatted(session, name, Lived.of(cell.life())));
            }
        });
        List<CellName> onDisk = session.host().disk().inDatabase().stream()
                .filter(CellName::isDropped)
                .toList();
        if (!present.keySet().equals(Set.copyOf(onDisk))) {
            throw new Violation("%s has %s, its database %s".formatted(session, present.keySet(), onDisk));
        }
    }
}
