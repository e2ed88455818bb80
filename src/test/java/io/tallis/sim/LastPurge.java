package io.tallis.sim;

import io.tallis.keyspace.Keyspace;
import io.tallis.testing.Gen;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/// The end of a simulation in which deleted counters are purged: all nodes show the same of all keys, and after a last
/// purge none has a deleted cell, in memory or in its database.
final class LastPurge {
    private static final long LOOK_NANOS = 100_000_000;
    private static final long SPREAD_NANOS = 500_000_000;

    /// How long nodes may take for a purge that nothing disturbs, and for one that they had begun before. Each write of
    /// a standing that fails takes five seconds of that.
    private static final long PURGE_NANOS = 60_000_000_000L;

    /// After so long an operator asks again: what was deleted while nodes prepared a purge is left to the next one.
    private static final long ASK_AGAIN_NANOS = 8_000_000_000L;

    private final World world;
    private final PurgingClients clients;

    LastPurge(World world, PurgingClients clients) {
        this.world = world;
        this.clients = clients;
    }

    /// Nodes may take so long to agree.
    void run(long agreeNanos) {
        List<Session> living = world.living().toList();
        untilAllAgree(living, agreeNanos);
        clients.deleteSome();
        world.events().runFor(SPREAD_NANOS);
        if (isEachNodeThereOnce(living)) {
            untilAllIsPurged(living);
            untilDigestsAreEqual(living, agreeNanos);
        }
        untilAllAgree(living, agreeNanos);
        living.forEach(LastPurge::requireSameOnDisk);
    }

    private void untilAllAgree(List<Session> living, long agreeNanos) {
        long end = world.events().now() + agreeNanos;
        while (world.purged().differences(living) != null) {
            if (world.events().now() > end) {
                throw new Violation("not all show the same: " + world.purged().differences(living));
            }
            world.events().runFor(LOOK_NANOS);
        }
        living.forEach(world.purged()::requireRight);
    }

    /// Before the last purge a node may have dropped what another keeps until then.
    private void untilDigestsAreEqual(List<Session> living, long agreeNanos) {
        long end = world.events().now() + agreeNanos;
        while (!EndOfLives.haveSameDigests(living) && world.events().now() < end) {
            world.events().runFor(LOOK_NANOS);
        }
        EndOfLives.requireSameDigests(living);
    }

    /// Copies of a node that run at once are taken for one node, or for too many: they do not purge.
    private static boolean isEachNodeThereOnce(List<Session> living) {
        Set<UUID> nodes = new HashSet<>();
        return living.stream().allMatch(session -> nodes.add(session.uuid()));
    }

    private void untilAllIsPurged(List<Session> living) {
        Gen gen = world.purging().gen();
        long end = world.events().now() + PURGE_NANOS;
        long askAt = 0;
        while (!living.stream()
                .allMatch(session -> Purged.tombstones(session.keyspace()).isEmpty())) {
            if (world.events().now() > end) {
                throw new Violation("deleted cells are not purged: "
                        + living.stream().map(LastPurge::described).toList());
            }
            if (world.events().now() >= askAt) {
                askAt = world.events().now() + ASK_AGAIN_NANOS;
                Session asked = gen.pick(living);
                asked.tasks().add(asked.replicator()::purgeAtOnce);
            }
            world.events().runFor(LOOK_NANOS);
        }
    }

    private static String described(Session session) {
        return "%s on %s has %s, %s, %s, says %s"
                .formatted(
                        session,
                        session.host().name(),
                        Purged.tombstones(session.keyspace()),
                        session.replicator().standing(),
                        session.replicator().status().purges(),
                        session.purges());
    }

    /// A checkpoint leaves in the database what is in memory.
    private static void requireSameOnDisk(Session session) {
        Keyspace keyspace = session.keyspace();
        session.disk().writeAll();
        session.host().disk().checkpoint(keyspace, () -> false, () -> {});
        Set<CellName> present = new HashSet<>();
        Purged.visit(keyspace, (name, _) -> present.add(name));
        Set<CellName> onDisk = new HashSet<>(session.host().disk().inDatabase());
        onDisk.removeIf(name -> !name.isDropped());
        if (!present.equals(onDisk)) {
            throw new Violation("%s has %s, its database %s".formatted(session, present, onDisk));
        }
    }
}
