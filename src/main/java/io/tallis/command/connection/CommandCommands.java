package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Glob;
import io.tallis.command.Reply;
import io.tallis.command.facts.Categories;
import io.tallis.command.facts.CommandFacts;
import io.tallis.command.facts.CommandSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// `COMMAND`: describes the commands of this server, from their facts.
public final class CommandCommands implements CommandFamily {
    /// In `COMMAND GETKEYS`, the word where the request in question begins.
    private static final int REQUEST = 2;

    private final CommandFacts facts;

    public CommandCommands(CommandFacts facts) {
        this.facts = facts;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("command", (_, _, reply) -> describeAll(reply))
                .add(
                        "command|count",
                        (_, _, reply) -> reply.integer(facts.commands().size()))
                .add("command|docs", this::docs)
                .add("command|getkeys", this::getKeys)
                .add("command|getkeysandflags", this::getKeysAndFlags)
                .add("command|info", this::info)
                .add("command|list", this::list);
    }

    private void describeAll(Reply reply) {
        reply.array(facts.commands().size());
        facts.commands().forEach(spec -> CommandInfo.write(spec, reply));
    }

    /// `COMMAND INFO [command-name...]`: all commands without a name, null for an unknown one.
    private void info(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() == 2) {
            describeAll(reply);
            return;
        }
        reply.array(arguments.count() - 2);
        for (int word = 2; word < arguments.count(); word++) {
            CommandSpec spec = facts.find(arguments.text(word));
            if (spec == null) {
                reply.nil();
            } else {
                CommandInfo.write(spec, reply);
            }
        }
    }

    /// `COMMAND DOCS [command-name...]`: unknown names are left out.
    private void docs(Arguments arguments, Client client, Reply reply) {
        List<CommandSpec> wanted = arguments.count() == 2 ? facts.commands() : named(arguments);
        reply.map(wanted.size());
        wanted.forEach(spec -> CommandDocs.write(spec, reply));
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

    /// `COMMAND LIST [FILTERBY MODULE name | ACLCAT category | PATTERN pattern]`: names, with those of subcommands.
    private void list(Arguments arguments, Client client, Reply reply) {
        Predicate<CommandSpec> filter = arguments.count() > 2 ? filter(arguments) : _ -> true;
        List<CommandSpec> found = facts.all().stream().filter(filter).toList();
        reply.array(found.size());
        found.forEach(spec -> reply.bulk(spec.fullName()));
    }

    private static Predicate<CommandSpec> filter(Arguments arguments) {
        if (arguments.count() == 5 && arguments.is(2, "FILTERBY")) {
            String value = arguments.text(4).toLowerCase(Locale.ROOT);
            if (arguments.is(3, "MODULE")) {
                return _ -> false;
            }
            if (arguments.is(3, "ACLCAT")) {
                return spec -> Categories.of(spec).contains(value);
            }
            if (arguments.is(3, "PATTERN")) {
                Glob pattern = new Glob(value.getBytes(StandardCharsets.UTF_8));
                return spec -> pattern.matches(spec.fullName().getBytes(StandardCharsets.US_ASCII));
            }
        }
        throw CommandError.syntax();
    }

    /// `COMMAND GETKEYS command [arg...]`: the keys of a request.
    private void getKeys(Arguments arguments, Client client, Reply reply) {
        List<byte[]> keys = keys(required(arguments), arguments);
        reply.array(keys.size());
        keys.forEach(reply::bulk);
    }

    /// `COMMAND GETKEYSANDFLAGS command [arg...]`: each key with what the command does to it.
    private void getKeysAndFlags(Arguments arguments, Client client, Reply reply) {
        CommandSpec spec = required(arguments);
        List<byte[]> keys = keys(spec, arguments);
        List<List<String>> access = spec.access();
        reply.array(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            List<String> flags = access.get(Math.min(i, access.size() - 1));
            reply.array(2);
            reply.bulk(keys.get(i));
            reply.set(flags.size());
            flags.forEach(reply::status);
        }
    }

    /// The command of the request in question, which must be valid and have keys.
    private CommandSpec required(Arguments arguments) {
        CommandSpec spec = find(arguments);
        if (spec == null) {
            throw new CommandError("ERR Invalid command specified");
        }
        if (spec.keys().first() == 0) {
            throw new CommandError("ERR The command has no key arguments");
        }
        if (!spec.fits(arguments.count() - REQUEST)) {
            throw new CommandError("ERR Invalid number of arguments specified for command");
        }
        return spec;
    }

    private @Nullable CommandSpec find(Arguments arguments) {
        CommandSpec command = facts.find(arguments.text(REQUEST));
        if (command == null || command.subcommands().isEmpty() || arguments.count() == REQUEST + 1) {
            return command;
        }
        return facts.find(command.fullName() + "|" + arguments.text(REQUEST + 1));
    }

    private static List<byte[]> keys(CommandSpec spec, Arguments arguments) {
        List<byte[]> keys = new ArrayList<>();
        int words = arguments.count() - REQUEST;
        int last = spec.keys().last();
        int end = last < 0 ? words + last : last;
        for (int word = spec.keys().first(); word <= end; word += spec.keys().step()) {
            keys.add(arguments.bytes(REQUEST + word));
        }
        return keys;
    }
}
