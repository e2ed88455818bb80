package io.tallis.command.connection;

import io.tallis.command.Reply;
import io.tallis.command.facts.Argument;
import io.tallis.command.facts.CommandSpec;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// The documentation of one command as `COMMAND DOCS` replies it. redis-cli makes its help and hints of it.
///
/// redis-cli exits when an element has another type than in Redis: names and texts are bulk strings, flags are simple
/// strings, arguments are an array of maps.
final class CommandDocs {
    /// Keys that a command treats otherwise than its first.
    private static final Set<String> SECOND_KEYS = Set.of("newkey", "destination");

    private CommandDocs() {}

    static void write(CommandSpec spec, Reply reply) {
        CommandSpec.Docs docs = spec.docs();
        boolean container = !spec.subcommands().isEmpty();
        reply.bulk(spec.fullName());
        boolean deprecated = !docs.deprecated().isEmpty();
        reply.map(5 + (deprecated ? 3 : 0) + (container ? 1 : 0));
        text("summary", docs.summary(), reply);
        text("since", docs.since(), reply);
        text("group", docs.group(), reply);
        text("complexity", docs.complexity(), reply);
        if (deprecated) {
            writeDeprecation(docs.deprecated(), reply);
        }
        reply.bulk("arguments");
        writeArguments(container ? subcommand(spec) : docs.arguments(), reply);
        if (container) {
            reply.bulk("subcommands");
            reply.map(spec.subcommands().size());
            spec.subcommands().forEach(child -> write(child, reply));
        }
    }

    private static void writeDeprecation(String sinceAndInstead, Reply reply) {
        int space = sinceAndInstead.indexOf(' ');
        reply.bulk("doc_flags");
        reply.set(1);
        reply.status("deprecated");
        text("deprecated_since", sinceAndInstead.substring(0, space), reply);
        text("replaced_by", sinceAndInstead.substring(space + 1), reply);
    }

    /// The subcommands in the form of arguments, which makes redis-cli show them as hints.
    private static List<Argument> subcommand(CommandSpec spec) {
        List<Argument> names =
                spec.subcommands().stream().map(CommandDocs::token).toList();
        boolean optional = spec.arity() == -1;
        Argument oneOfThem = new Argument("subcommand", Argument.Type.ONEOF, "", optional, false, names);
        Argument others = new Argument("arg", Argument.Type.STRING, "", true, true, List.of());
        return List.of(oneOfThem, others);
    }

    private static Argument token(CommandSpec subcommand) {
        String token = subcommand.name().toUpperCase(Locale.ROOT);
        return new Argument(subcommand.name(), Argument.Type.PURE_TOKEN, token, false, false, List.of());
    }

    private static void writeArguments(List<Argument> arguments, Reply reply) {
        reply.array(arguments.size());
        arguments.forEach(argument -> writeArgument(argument, reply));
    }

    private static void writeArgument(Argument argument, Reply reply) {
        boolean hasToken = !argument.token().isEmpty();
        boolean hasFlags = argument.optional() || argument.multiple();
        boolean hasParts = !argument.parts().isEmpty();
        boolean isKey = argument.type() == Argument.Type.KEY;
        reply.map(3 + (isKey ? 1 : 0) + (hasToken ? 1 : 0) + (hasFlags ? 1 : 0));
        text("name", argument.name(), reply);
        text("type", argument.type().redisName(), reply);
        if (!hasParts) {
            text("display_text", argument.name(), reply);
        }
        if (isKey) {
            // The index of the key specification in COMMAND INFO.
            reply.bulk("key_spec_index");
            reply.integer(SECOND_KEYS.contains(argument.name()) ? 1 : 0);
        }
        if (hasToken) {
            text("token", argument.token(), reply);
        }
        if (hasFlags) {
            writeFlags(argument, reply);
        }
        if (hasParts) {
            reply.bulk("arguments");
            writeArguments(argument.parts(), reply);
        }
    }

    private static void writeFlags(Argument argument, Reply reply) {
        reply.bulk("flags");
        reply.set((argument.optional() ? 1 : 0) + (argument.multiple() ? 1 : 0));
        if (argument.optional()) {
            reply.status("optional");
        }
        if (argument.multiple()) {
            reply.status("multiple");
        }
    }

    private static void text(String name, String value, Reply reply) {
        reply.bulk(name);
        reply.bulk(value);
    }
}
