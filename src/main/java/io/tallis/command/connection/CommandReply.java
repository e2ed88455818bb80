package io.tallis.command.connection;

import io.tallis.command.CommandFlag;
import io.tallis.command.CommandSpec;
import io.tallis.command.KeyPositions;
import io.tallis.command.Reply;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The ten things that `COMMAND INFO` says of a command, in Redis's order.
final class CommandReply {
    /// In the order in which Redis names them.
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

    private CommandReply() {}

    static void send(CommandSpec spec, Reply reply) {
        KeyPositions keys = spec.keys();
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
        // Tips are about how to spread requests over shards.
        reply.set(0);
        sendKeySpecs(spec, reply);
        sendSubcommands(spec, reply);
    }

    private static void sendSubcommands(CommandSpec spec, Reply reply) {
        if (spec.subcommands().isEmpty()) {
            reply.set(0);
            return;
        }
        reply.array(spec.subcommands().size());
        spec.subcommands().forEach(child -> send(child, reply));
    }

    /// The categories by which Redis's access control would group the command.
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

    /// Those that no flag tells. A name that only stands before others has none; that of the group `pubsub` is its
    /// flag's.
    private static List<String> labels(CommandSpec spec) {
        List<String> told = spec.labels().categories();
        if (!told.isEmpty()) {
            return told;
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

    private static void sendKeySpecs(CommandSpec spec, Reply reply) {
        KeyPositions keys = spec.keys();
        if (keys.first() == 0) {
            reply.set(0);
            return;
        }
        reply.set(1);
        reply.map(3);
        reply.bulk("flags");
        List<String> flags = keyFlags(spec);
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
        sendRange(keys, reply);
    }

    private static void sendRange(KeyPositions keys, Reply reply) {
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

    /// What happens to the keys of a command.
    static List<String> keyFlags(CommandSpec spec) {
        if (!spec.labels().access().isEmpty()) {
            return spec.labels().access();
        }
        return spec.is(CommandFlag.WRITE) ? List.of("RW", "access", "update") : List.of("RO", "access");
    }
}
