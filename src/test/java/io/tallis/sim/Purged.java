package io.tallis.sim;

import io.tallis.cluster.peer.ClusterId;
import io.tallis.cluster.peer.Purge;
import io.tallis.cluster.peer.Standing;
import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Keyspace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// The specification of keys whose deleted cells are purged: what a node may show of them, and what it must.
///
///   - A node shows a set of increments that were made, none of them twice.
///   - A delete takes away what its node showed then, and no more. What it took, and a purge dropped, no node shows
///     again that knows of the purge.
///   - In the end all nodes show the same: what was acknowledged and not deleted.
///
/// The exceptions have names: increments, and deletes, of which no disk has anything any more, because disks were
/// emptied, replaced by older copies or by those of others, lost what was not synced, or were refused as they were
/// behind a purge; and increments in a copy from before its cluster joined an earlier one, which is not behind the
/// purges of that. Each time that a disk changes in such a way, all that are left are looked at.
final class Purged {
    private record Place(int session, CellName cell) {}

    private final World world;
    private final Map<CellName, PurgedKey> keys = new LinkedHashMap<>();

    /// What each session last had of deleted cells: the increments that are reset there.
    private final Map<Place, List<PurgedKey.Increment>> tombstones = new HashMap<>();

    private final Set<Purge> purges = new HashSet<>();

    private long drops;
    private long refusals;
    private Runnable onStep = () -> {};

    Purged(World world) {
        this.world = world;
    }

    /// How many purges were made.
    long count() {
        return purges.size();
    }

    /// How many cells were dropped.
    long drops() {
        return drops;
    }

    /// How many sessions have ended because their nodes were behind.
    long refusals() {
        return refusals;
    }

    /// Does this whenever a node takes a step towards a purge.
    void onStep(Runnable action) {
        onStep = action;
    }

    void goOn() {
        onStep.run();
    }

    PurgedKey key(CellName cell) {
        return keys.computeIfAbsent(cell, PurgedKey::new);
    }

    /// How many increments have to be shown, or not, and of how many neither is known.
    String summary() {
        long shown = 0;
        long gone = 0;
        long all = 0;
        for (PurgedKey key : keys.values()) {
            for (PurgedKey.Increment one : key.increments()) {
                all++;
                shown += one.mustShow() ? 1 : 0;
                gone += one.mustBeGone() ? 1 : 0;
            }
        }
        return "%d shown, %d gone, %d of either".formatted(shown, gone, all - shown - gone);
    }

    // What nodes do

    /// A session comes to know a purge.
    void noted(Purge purge) {
        purges.add(purge);
        goOn();
    }

    /// A session ends because its node is behind.
    void refused(Session session) {
        refusals++;
        if (!session.host().mayBeBehind()) {
            throw new Violation("%s is said to be behind, and was neither forgotten nor copied: %s"
                    .formatted(session, session.replicator().standing()));
        }
    }

    // What nodes show

    /// Looks at all that a session has.
    void look(Session session) {
        Set<CellName> present = new HashSet<>();
        visit(session.keyspace(), (name, cell) -> {
            present.add(name);
            look(session, key(name), cell);
        });
        tombstones.entrySet().removeIf(one -> {
            boolean isDropped = one.getKey().session == session.number() && !present.contains(one.getKey().cell);
            if (isDropped) {
                dropped(session, one.getKey().cell, one.getValue());
            }
            return isDropped;
        });
    }

    static void visit(Keyspace keyspace, BiConsumer<CellName, Cell> visitor) {
        for (int i = 0; i < CrowdedNames.PARTITIONS; i++) {
            keyspace.visitAll(CrowdedNames.FIRST_PARTITION + i, (type, key, cell) -> {
                CellName name = CellName.of(type, key);
                if (name.isDropped()) {
                    visitor.accept(name, cell);
                }
            });
        }
    }

    private void look(Session session, PurgedKey key, Cell cell) {
        long value = cell.value();
        key.requirePossible(value, session);
        Standing standing = session.replicator().standing();
        for (PurgedKey.Increment one : key.increments()) {
            Purge dropped = one.dropped();
            boolean isBack = (value & one.amount()) != 0
                    && dropped != null
                    && one.mustBeGone()
                    && !standing.isBehind(dropped)
                    && session.ready();
            if (isBack) {
                throw new Violation("%s (%s) shows again: %s%n%s".formatted(session, standing, one, key));
            }
        }
        Place place = new Place(session.number(), key.cell());
        if (cell.exists()) {
            tombstones.remove(place);
        } else {
            Replicas replicas = session.keyspace().replicas();
            tombstones.put(
                    place,
                    key.increments().stream()
                            .filter(one -> isKnownDeleted(one, cell, replicas))
                            .toList());
        }
    }

    private void dropped(Session session, CellName cell, List<PurgedKey.Increment> increments) {
        drops++;
        Purge purge = session.replicator().standing().purge();
        if (purge.equals(Purge.NONE)) {
            throw new Violation("%s drops %s without a purge".formatted(session, cell));
        }
        requireNoted(session, purge);
        increments.forEach(one -> one.drop(purge));
    }

    /// A node that drops a cell knows that all nodes have noted the purge on disk.
    private void requireNoted(Session session, Purge purge) {
        Set<UUID> nodes = session.registry().nodes();
        for (Machine machine : world.machines()) {
            Standing standing = machine.disk().standing();
            if (nodes.contains(machine.self().uuid())
                    && !machine.mayBeBehind()
                    && standing.complete()
                    && Objects.equals(
                            standing.cluster(), session.replicator().standing().cluster())
                    && purge.isLaterThan(standing.purge())) {
                throw new Violation("%s drops what was deleted before purge %s, of which %s has not heard: %s"
                        .formatted(session, purge, machine.name(), standing));
            }
        }
    }

    /// Whether an increment is reset in this cell.
    private boolean isKnownDeleted(PurgedKey.Increment one, Cell cell, Replicas replicas) {
        if ((cell.value() & one.amount()) != 0) {
            return false;
        }
        Counter counts = cell.counts();
        for (int shard = 0; shard < counts.shards(); shard++) {
            ReplicaId id = replicas.id(counts.replica(shard));
            boolean isReset = id.isFold()
                    ? world.folds().contains(id, one.session())
                    : world.sessions().numberOf(id) == one.session() && counts.low(shard, Counter.RP) >= one.total();
            if (isReset) {
                return true;
            }
        }
        return false;
    }

    // Losses

    /// What a disk has of the keys.
    private record Content(Standing standing, boolean isCopied, Keyspace keyspace, Map<CellName, Cell> cells) {}

    /// The content of a disk was lost, in part or as a whole. What no other has may come out otherwise.
    void onLoss() {
        if (!world.purging().happens()) {
            return;
        }
        List<Content> contents = world.machines().stream()
                .filter(machine -> !machine.retired())
                .map(machine -> content(machine.disk()))
                .toList();
        ClusterId earliest = contents.stream()
                .map(content -> content.standing.cluster())
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
        for (PurgedKey key : keys.values()) {
            for (PurgedKey.Increment one : key.increments()) {
                boolean isInCopyOfLater = contents.stream()
                        .anyMatch(content -> content.isCopied
                                && !Objects.equals(content.standing.cluster(), earliest)
                                && shows(content, key, one));
                boolean isLost = (one.mustShow() && contents.stream().noneMatch(content -> shows(content, key, one)))
                        || (one.mustBeGone()
                                && contents.stream().noneMatch(content -> knowsDeleted(content, key, one)));
                if (isLost || (one.mustBeGone() && isInCopyOfLater)) {
                    one.mayBeOtherwise();
                }
            }
        }
    }

    private Content content(Disk disk) {
        Keyspace keyspace = world.keyspace();
        disk.load(keyspace, CellName::isDropped);
        Map<CellName, Cell> cells = new HashMap<>();
        visit(keyspace, (name, cell) -> {
            Cell copy = new Cell();
            copy.copyFrom(cell);
            cells.put(name, copy);
        });
        return new Content(disk.standing(), disk.isCopied(), keyspace, cells);
    }

    private static boolean shows(Content content, PurgedKey key, PurgedKey.Increment one) {
        Cell cell = content.cells.get(key.cell());
        return cell != null && (cell.value() & one.amount()) != 0;
    }

    private boolean knowsDeleted(Content content, PurgedKey key, PurgedKey.Increment one) {
        Cell cell = content.cells.get(key.cell());
        Purge dropped = one.dropped();
        boolean knowsPurge = dropped != null && !content.standing.isBehind(dropped);
        return knowsPurge || (cell != null && isKnownDeleted(one, cell, content.keyspace.replicas()));
    }

    // At the end

    /// All nodes show the same of all keys, and what they must. Returns what is wrong, if anything is.
    @Nullable
    String differences(List<Session> living) {
        Map<CellName, Long> first = values(living.getFirst());
        for (Session session : living) {
            Map<CellName, Long> other = values(session);
            for (CellName cell : keys.keySet()) {
                if (!Objects.equals(first.get(cell), other.get(cell))) {
                    return "%s is %x to %s and %x to %s: %s"
                            .formatted(
                                    cell,
                                    first.getOrDefault(cell, 0L),
                                    living.getFirst(),
                                    other.getOrDefault(cell, 0L),
                                    session,
                                    key(cell));
                }
            }
        }
        return null;
    }

    void requireRight(Session session) {
        Map<CellName, Long> values = values(session);
        keys.values().forEach(key -> key.requireRight(values.getOrDefault(key.cell(), 0L), session));
    }

    private static Map<CellName, Long> values(Session session) {
        Map<CellName, Long> values = new HashMap<>();
        visit(session.keyspace(), (name, cell) -> {
            if (cell.exists()) {
                values.put(name, cell.value());
            }
        });
        return values;
    }

    /// The cells of deleted counters that a session still has.
    static List<CellName> tombstones(Keyspace keyspace) {
        List<CellName> found = new ArrayList<>();
        visit(keyspace, (name, cell) -> {
            if (!cell.exists()) {
                found.add(name);
            }
        });
        return found;
    }
}
