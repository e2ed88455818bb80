package io.tallis.command.connection;

import io.tallis.command.Argument;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandDocs;
import io.tallis.command.CommandFacts;
import io.tallis.command.CommandSpec;
import io.tallis.command.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// `COMMAND DOCS [command-name...]`: what people are told about commands. redis-cli makes its help and its hints of
/// it.
///
/// redis-cli ends at once when the types are not these: names and texts are bulk strings, flags are statuses,
/// arguments are an array of maps.
final class CommandDocsOf implements Command {
    private final CommandFacts facts;

    CommandDocsOf(CommandFacts facts) {
        this.facts = facts;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        List<CommandSpec> wanted = arguments.count() == 2 ? facts.commands() : named(arguments);
        reply.map(wanted.size());
        wanted.forEach(spec -> sendEntry(spec, reply));
    }

    private List<CommandSpec> named(Arguments arguments) {
        List<CommandSpec> specs = new ArrayList<>();
        for (int word = 2; word < arguments.count(); word++) {
            CommandSpec spec = facts.find(arguments.text(word));
            if (spec != null) {
                specs.add(spec);
            }
        }
        return specs;
    }

    private static void sendEntry(CommandSpec spec, Reply reply) {
        CommandDocs docs = spec.docs();
        boolean container = !spec.subcommands().isEmpty();
        reply.bulk(spec.fullName());
        boolean deprecated = !docs.deprecated().isEmpty();
        reply.map(5 + (deprecated ? 3 : 0) + (container ? 1 : 0));
        text("summary", docs.summary(), reply);
        text("since", docs.since(), reply);
        text("group", docs.group(), reply);
        text("complexity", docs.complexity(), reply);
        if (deprecated) {
            sendDeprecation(docs.deprecated(), reply);
        }
        reply.bulk("arguments");
        sendArguments(container ? subcommand(spec) : docs.arguments(), reply);
        if (container) {
            reply.bulk("subcommands");
            reply.map(spec.subcommands().size());
            spec.subcommands().forEach(child -> sendEntry(child, reply));
        }
    }

    private static void sendDeprecation(String sinceAndInstead, Reply reply) {
        int space = sinceAndInstead.indexOf(' ');
        reply.bulk("doc_flags");
        reply.set(1);
        reply.status("deprecated");
        text("deprecated_since", sinceAndInstead.substring(0, space), reply);
        text("replaced_by", sinceAndInstead.substring(space + 1), reply);
    }

    /// What can follow the name of a command that has subcommands, so that redis-cli hints at them.
    private static List<Argument> subcommand(CommandSpec spec) {
        List<Argument> names =
                spec.subcommands().stream().map(CommandDocsOf::token).toList();
        boolean optional = spec.arity() == -1;
        Argument oneOfThem = new Argument("subcommand", Argument.Type.ONEOF, "", optional, false, names);
        Argument others = new Argument("arg", Argument.Type.STRING, "", true, true, List.of());
        return List.of(oneOfThem, others);
    }

    private static Argument token(CommandSpec subcommand) {
        String token = subcommand.name().toUpperCase(Locale.ROOT);
        return new Argument(subcommand.name(), Argument.Type.PURE_TOKEN, token, false, false, List.of());
    }

    private static void sendArguments(List<Argument> arguments, Reply reply) {
        reply.array(arguments.size());
        arguments.forEach(argument -> sendArgument(argument, reply));
    }

    private static void sendArgument(Argument argument, Reply reply) {
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
            // The first, and only, that COMMAND INFO tells.
            reply.bulk("key_spec_index");
            reply.integer(0);
        }
        if (hasToken) {
            text("token", argument.token(), reply);
        }
        if (hasFlags) {
            sendFlags(argument, reply);
        }
        if (hasParts) {
            reply.bulk("arguments");
            sendArguments(argument.parts(), reply);
        }
    }

    private static void sendFlags(Argument argument, Reply reply) {
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
