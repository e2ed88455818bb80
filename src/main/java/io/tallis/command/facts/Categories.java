package io.tallis.command.facts;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The categories of commands, by which rules of access control name many commands at once.
public final class Categories {
    /// Redis's categories in its order, and `counter`. Some have no commands here: rules that name them stay valid.
    public static final List<String> ALL = List.of(
            "keyspace",
            "read",
            "write",
            "set",
            "sortedset",
            "list",
            "hash",
            "string",
            "counter",
            "bitmap",
            "hyperloglog",
            "geo",
            "stream",
            "pubsub",
            "admin",
            "fast",
            "slow",
            "blocking",
            "dangerous",
            "connection",
            "transaction",
            "scripting");

    private Categories() {}

    /// The categories of a command, in the order of [#ALL].
    public static List<String> of(CommandSpec spec) {
        Set<String> categories = new HashSet<>();
        if (spec.is(CommandFlag.WRITE)) {
            categories.add("write");
        }
        if (spec.is(CommandFlag.READONLY)) {
            categories.add("read");
        }
        if (spec.is(CommandFlag.ADMIN)) {
            categories.addAll(List.of("admin", "dangerous"));
        }
        if (spec.is(CommandFlag.PUBSUB)) {
            categories.add("pubsub");
        }
        if (spec.is(CommandFlag.BLOCKING)) {
            categories.add("blocking");
        }
        categories.add(spec.is(CommandFlag.FAST) ? "fast" : "slow");
        categories.addAll(labels(spec));
        return ALL.stream().filter(categories::contains).toList();
    }

    /// The categories that do not follow from a flag. A container of subcommands has none; that of the group `pubsub`
    /// follows from the flag.
    private static List<String> labels(CommandSpec spec) {
        List<String> stated = spec.labels().categories();
        if (!stated.isEmpty()) {
            return stated;
        }
        if (!spec.subcommands().isEmpty()) {
            return List.of();
        }
        return switch (spec.docs().group()) {
            case "generic" -> List.of("keyspace");
            case "transactions" -> List.of("transaction");
            case "pubsub" -> List.of();
            case "sorted-set" -> List.of("sortedset");
            case String group -> List.of(group);
        };
    }
}
