package io.tallis.command.connection;

import io.tallis.command.Reply;
import io.tallis.command.facts.CommandFlag;
import io.tallis.command.facts.CommandSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The ten elements with which `COMMAND INFO` describes a command, in Redis's order.
final class CommandInfo {
    /// All categories, in Redis's order.
    private static final List<String> CATEGORIES = List.of(
            "@keyspace",
            "@read",
            "@write",
            "@string",
            "@counter",
            "@pubsub",
            "@admin",
            "@fast",
            "@slow",
            "@blocking",
            "@dangerous",
            "@connection",
            "@transaction");

    private CommandInfo() {}

    static void write(CommandSpec spec, Reply reply) {
        CommandSpec.Keys keys = spec.keys();
        reply.array(10);
        reply.bulk(spec.fullName());
        reply.integer(spec.arity());
        reply.set(spec.flags().size());
        spec.flags().forEach(flag -> reply.status(flag.redisName()));
        reply.integer(keys.first());
        reply.integer(keys.last());
        reply.integer(keys.step());
        List<String> categories = categories(spec);
        reply.set(categories.size());
        categories.forEach(reply::status);
        reply.set(spec.labels().tips().size());
        spec.labels().tips().forEach(reply::bulk);
        writeKeySpecs(spec, reply);
        writeSubcommands(spec, reply);
    }

    private static void writeSubcommands(CommandSpec spec, Reply reply) {
        if (spec.subcommands().isEmpty()) {
            reply.set(0);
            return;
        }
        reply.array(spec.subcommands().size());
        spec.subcommands().forEach(child -> write(child, reply));
    }

    /// The categories that Redis's access control would put the command in.
    static List<String> categories(CommandSpec spec) {
        Set<String> categories = new HashSet<>();
        if (spec.is(CommandFlag.WRITE)) {
            categories.add("@write");
        }
        if (spec.is(CommandFlag.READONLY)) {
            categories.add("@read");
        }
        if (spec.is(CommandFlag.ADMIN)) {
            categories.addAll(List.of("@admin", "@dangerous"));
        }
        if (spec.is(CommandFlag.PUBSUB)) {
            categories.add("@pubsub");
        }
        if (spec.is(CommandFlag.BLOCKING)) {
            categories.add("@blocking");
        }
        categories.add(spec.is(CommandFlag.FAST) ? "@fast" : "@slow");
        labels(spec).forEach(label -> categories.add("@" + label));
        return CATEGORIES.stream().filter(categories::contains).toList();
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
            case String group -> List.of(group);
        };
    }

    private static void writeKeySpecs(CommandSpec spec, Reply reply) {
        CommandSpec.Keys keys = spec.keys();
        if (keys.first() == 0) {
            reply.set(0);
            return;
        }
        List<List<String>> access = access(spec);
        reply.set(access.size());
        if (access.size() == 1) {
            writeKeySpec(access.getFirst(), keys, reply);
            return;
        }
        for (int i = 0; i < access.size(); i++) {
            int word = keys.first() + i * keys.step();
            writeKeySpec(access.get(i), new CommandSpec.Keys(word, word, 1), reply);
        }
    }

    private static void writeKeySpec(List<String> flags, CommandSpec.Keys keys, Reply reply) {
        reply.map(3);
        reply.bulk("flags");
        reply.set(flags.size());
        flags.forEach(reply::status);
        reply.bulk("begin_search");
        reply.map(2);
        reply.bulk("type");
        reply.bulk("index");
        reply.bulk("spec");
        reply.map(1);
        reply.bulk("index");
        reply.integer(keys.first());
        reply.bulk("find_keys");
        writeRange(keys, reply);
    }

    private static void writeRange(CommandSpec.Keys keys, Reply reply) {
        reply.map(2);
        reply.bulk("type");
        reply.bulk("range");
        reply.bulk("spec");
        reply.map(3);
        reply.bulk("lastkey");
        reply.integer(keys.last() < 0 ? keys.last() : keys.last() - keys.first());
        reply.bulk("keystep");
        reply.integer(keys.step());
        reply.bulk("limit");
        reply.integer(0);
    }

    /// What a command does to its keys, in Redis's terms: one list for all of them, or one for each.
    static List<List<String>> access(CommandSpec spec) {
        if (!spec.labels().access().isEmpty()) {
            return spec.labels().access();
        }
        return List.of(spec.is(CommandFlag.WRITE) ? List.of("RW", "access", "update") : List.of("RO", "access"));
    }
}
