package io.tallis.command.dispatch;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandEntry;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.NameTable;
import io.tallis.command.Reply;
import io.tallis.command.facts.CommandFacts;
import io.tallis.command.facts.CommandSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The table of all commands by name, made once at the start. Immutable; any thread may use it.
public final class CommandTable {
    private final NameTable<CommandEntry> commands;

    private CommandTable(NameTable<CommandEntry> commands) {
        this.commands = commands;
    }

    /// The table of the commands of these families. Every command needs facts and all facts need a command, except the
    /// `help` subcommands, which are made from the facts of their siblings.
    ///
    /// @throws IllegalStateException naming what is missing
    public static CommandTable of(CommandFacts facts, List<? extends CommandFamily> families) {
        CommandSet set = new CommandSet(facts);
        for (CommandFamily family : families) {
            family.addTo(set);
        }
        Map<String, CommandEntry> entries = new HashMap<>();
        for (CommandSpec spec : facts.commands()) {
            entries.put(spec.fullName(), entry(spec, set.commands()));
        }
        return new CommandTable(new NameTable<>(entries));
    }

    private static CommandEntry entry(CommandSpec spec, Map<String, Command> commands) {
        Map<String, CommandEntry> subcommands = new HashMap<>();
        for (CommandSpec child : spec.subcommands()) {
            boolean explains = child.name().equals("help") && !commands.containsKey(child.fullName());
            Command command = explains ? help(spec) : present(commands, child);
            subcommands.put(child.name(), new CommandEntry(child, command, Map.of()));
        }
        boolean container = !subcommands.isEmpty() && !commands.containsKey(spec.fullName());
        return new CommandEntry(spec, container ? CommandTable::needsSubcommand : present(commands, spec), subcommands);
    }

    private static Command present(Map<String, Command> commands, CommandSpec spec) {
        Command command = commands.get(spec.fullName());
        if (command == null) {
            throw new IllegalStateException(
                    "commands.txt describes '" + spec.fullName() + "', but no family implements it");
        }
        return command;
    }

    /// Runs for a container without a subcommand, which its arity rules out.
    private static void needsSubcommand(Arguments arguments, Client client, Reply reply) {
        throw new IllegalStateException("a command without its subcommand");
    }

    /// `GCOUNT HELP` and the like: lists the subcommands with their summaries.
    private static Command help(CommandSpec container) {
        List<String> lines = new ArrayList<>();
        lines.add(container.typedName() + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
        for (CommandSpec child : container.subcommands()) {
            lines.add(
                    (child.name().toUpperCase(Locale.ROOT) + " " + child.docs().usage()).strip());
            lines.add("    " + child.docs().summary());
        }
        return (_, _, reply) -> {
            reply.array(lines.size());
            lines.forEach(reply::status);
        };
    }

    /// The command or subcommand that a request names, or null. Does not check the number of words.
    @Nullable
    CommandEntry find(Arguments arguments) {
        CommandEntry entry = commands.find(arguments.array(), arguments.offset(0), arguments.length(0));
        if (entry == null) {
            return null;
        }
        NameTable<CommandEntry> subcommands = entry.subcommands();
        return subcommands == null || arguments.count() == 1
                ? entry
                : subcommands.find(arguments.array(), arguments.offset(1), arguments.length(1));
    }

    /// Whether the first word names a command.
    boolean knows(Arguments arguments) {
        return commands.find(arguments.array(), arguments.offset(0), arguments.length(0)) != null;
    }
}
