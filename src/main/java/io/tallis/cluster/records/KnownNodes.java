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

/// A snapshot of the known nodes, with a unique name for each. Immutable.
///
/// Of several nodes with the same name, one is shown with that name: reachable nodes come before unreachable ones,
/// those before hidden ones, and then the smallest UUID decides. The others are shown as `name-1a2b`, with as many
/// digits of their UUIDs as are needed. Nodes that know and reach the same nodes therefore show the same names.
public final class KnownNodes {
    private static final int FEWEST_DIGITS = 4;
    private static final int DIGITS = 32;
    private static final Comparator<NodeRecord> BY_UUID =
            Comparator.comparing(record -> record.uuid().toString());

    private final List<NodeRecord> all;
    private final Map<UUID, String> names = new HashMap<>();
    private final Map<ReplicaId, UUID> owners = new HashMap<>();

    KnownNodes(Collection<NodeRecord> records, Set<ReplicaId> reachable) {
        all = records.stream().sorted(BY_UUID).toList();
        Set<String> taken = new HashSet<>();
        List<NodeRecord> namesakes = new ArrayList<>();
        for (NodeRecord record : byPrecedence(reachable)) {
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

    private List<NodeRecord> byPrecedence(Set<ReplicaId> reachable) {
        return all.stream()
                .sorted(Comparator.comparing(NodeRecord::hidden).thenComparing(record -> !record.isAmong(reachable)))
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

    /// The name of the node that the session belongs to, or the digits of the session's id if that is unknown. Hidden
    /// nodes have names too, since their shards still exist.
    public String nameOf(ReplicaId session) {
        UUID owner = owners.get(session);
        return owner == null ? session.toString() : names.getOrDefault(owner, session.toString());
    }

    /// The name of the node, or its UUID if it is unknown.
    public String nameOf(UUID node) {
        return names.getOrDefault(node, node.toString());
    }

    /// Finds a node by its unique name, its UUID, or the id of one of its sessions; else by a name with digits that it
    /// had while another node of the same name came before it.
    public Optional<NodeRecord> find(String text) {
        return all.stream().filter(record -> matches(record, text)).findFirst().or(() -> onlyOneOnceNamed(text));
    }

    private Optional<NodeRecord> onlyOneOnceNamed(String text) {
        List<NodeRecord> found =
                all.stream().filter(record -> mayHaveBeenNamed(record, text)).toList();
        return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
    }

    private static boolean mayHaveBeenNamed(NodeRecord record, String text) {
        String longest = longestName(record);
        return text.length() >= longest.length() - DIGITS + FEWEST_DIGITS && longest.startsWith(text);
    }

    private boolean matches(NodeRecord record, String text) {
        return text.equals(names.get(record.uuid()))
                || text.equalsIgnoreCase(record.uuid().toString())
                || record.sessions().stream()
                        .anyMatch(session -> session.id().toString().equalsIgnoreCase(text));
    }

    /// The node that a session belongs to, null if that is unknown.
    public @Nullable UUID owner(ReplicaId session) {
        return owners.get(session);
    }
}
