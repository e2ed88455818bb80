package io.tallis.cluster.records;

import io.tallis.crdt.ReplicaId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The nodes known at one moment, and what people call them. Immutable; any thread may ask.
///
/// No two nodes are called the same: of several with one name, the one with the smallest UUID of those who are present
/// has it, and the others are called `name-1a2b`, by as many digits of their UUIDs as tell them apart; after those who
/// are present come the absent, and then the hidden ones. So all who know and see the same nodes call them the same.
public final class KnownNodes {
    private static final int FEWEST_DIGITS = 4;
    private static final int DIGITS = 32;
    private static final Comparator<NodeRecord> BY_UUID =
            Comparator.comparing(record -> record.uuid().toString());

    private final List<NodeRecord> all;
    private final Map<UUID, String> names = new HashMap<>();
    private final Map<ReplicaId, UUID> owners = new HashMap<>();

    KnownNodes(Collection<NodeRecord> records, Set<ReplicaId> present) {
        all = records.stream().sorted(BY_UUID).toList();
        Set<String> taken = new HashSet<>();
        List<NodeRecord> namesakes = new ArrayList<>();
        for (NodeRecord record : byPrecedence(present)) {
            record.sessions().forEach(session -> owners.put(session.id(), record.uuid()));
            String name = record.newest().name();
            if (taken.add(name)) {
                names.put(record.uuid(), name);
            } else {
                namesakes.add(record);
            }
        }
        namesakes.sort(BY_UUID);
        namesakes.forEach(record -> names.put(record.uuid(), distinct(record, taken)));
    }

    private List<NodeRecord> byPrecedence(Set<ReplicaId> present) {
        return all.stream()
                .sorted(Comparator.comparing(NodeRecord::hidden).thenComparing(record -> !record.isAmong(present)))
                .toList();
    }

    private static String distinct(NodeRecord record, Set<String> taken) {
        String longest = longestName(record);
        for (int length = longest.length() - DIGITS + FEWEST_DIGITS; length < longest.length(); length++) {
            String name = longest.substring(0, length);
            if (taken.add(name)) {
                return name;
            }
        }
        return longest;
    }

    private static String longestName(NodeRecord record) {
        return record.newest().name() + "-" + record.uuid().toString().replace("-", "");
    }

    /// All nodes that are not hidden, ordered by their UUIDs.
    public List<NodeRecord> visible() {
        return all.stream().filter(record -> !record.hidden()).toList();
    }

    /// What the node of that session is called; the digits of the id when nobody knows. Hidden nodes have names too,
    /// since their shards are there.
    public String nameOf(ReplicaId session) {
        UUID owner = owners.get(session);
        return owner == null ? session.toString() : names.getOrDefault(owner, session.toString());
    }

    /// What the node is called; its UUID when it is not known.
    public String nameOf(UUID node) {
        return names.getOrDefault(node, node.toString());
    }

    /// The node that people mean: by what it is called here, its UUID, or the id of one of its sessions; else by a name
    /// with digits that it had while a namesake was before it.
    public Optional<NodeRecord> find(String who) {
        return all.stream()
                .filter(record -> isMeant(record, who))
                .findFirst()
                .or(() -> onlyOneThatMayHaveBeenCalled(who));
    }

    private Optional<NodeRecord> onlyOneThatMayHaveBeenCalled(String who) {
        List<NodeRecord> found =
                all.stream().filter(record -> mayHaveBeenCalled(record, who)).toList();
        return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
    }

    private static boolean mayHaveBeenCalled(NodeRecord record, String who) {
        String longest = longestName(record);
        return who.length() >= longest.length() - DIGITS + FEWEST_DIGITS && longest.startsWith(who);
    }

    private boolean isMeant(NodeRecord record, String who) {
        return who.equals(names.get(record.uuid()))
                || who.equalsIgnoreCase(record.uuid().toString())
                || record.sessions().stream()
                        .anyMatch(session -> session.id().toString().equalsIgnoreCase(who));
    }

    /// The node that a session belongs to, null when nobody knows.
    public @Nullable UUID owner(ReplicaId session) {
        return owners.get(session);
    }
}
