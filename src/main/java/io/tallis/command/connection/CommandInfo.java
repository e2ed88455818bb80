package io.tallis.command.connection;

import io.tallis.command.Reply;
import io.tallis.command.facts.Categories;
import io.tallis.command.facts.CommandSpec;
import java.util.List;

/// The ten elements with which `COMMAND INFO` describes a command, in Redis's order.
final class CommandInfo {
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
        List<String> categories = Categories.of(spec);
        reply.set(categories.size());
        categories.forEach(category -> reply.status("@" + category));
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

    private static void writeKeySpecs(CommandSpec spec, Reply reply) {
        CommandSpec.Keys keys = spec.keys();
        if (keys.first() == 0) {
            reply.set(0);
            return;
        }
        List<List<String>> access = spec.access();
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
}
