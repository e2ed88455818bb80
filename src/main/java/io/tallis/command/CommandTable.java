package io.tallis.command;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// All commands by name. Immutable; any thread may ask.
public final class CommandTable {
    private final NameTable<CommandEntry> commands;

    private CommandTable(NameTable<CommandEntry> commands) {
        this.commands = commands;
    }

    /// The table of these families. Each command needs facts, and each fact a command; those named `help` explain
    /// their siblings from the facts and need none.
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
            Command command = explains ? new Help(spec) : present(commands, child);
            subcommands.put(child.name(), new CommandEntry(child, command, Map.of()));
        }
        boolean container = !subcommands.isEmpty() && !commands.containsKey(spec.fullName());
        return new CommandEntry(spec, container ? CommandTable::needsSubcommand : present(commands, spec), subcommands);
    }

    private static Command present(Map<String, Command> commands, CommandSpec spec) {
        Command command = commands.get(spec.fullName());
        if (command == null) {
            throw new IllegalStateException("the facts describe '" + spec.fullName() + "', which no family has");
        }
        return command;
    }

    /// The arity of such a command lets no request without a subcommand come so far.
    private static void needsSubcommand(Arguments arguments, Client client, Reply reply) {
        throw new IllegalStateException("a command without its subcommand");
    }

    /// The command or subcommand that a request names; null when there is none. The number of words is not checked.
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

    /// Whether the first word alone names a command.
    boolean knows(Arguments arguments) {
        return commands.find(arguments.array(), arguments.offset(0), arguments.length(0)) != null;
    }
}
