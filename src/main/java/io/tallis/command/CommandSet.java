package io.tallis.command;

import io.tallis.command.facts.CommandFacts;
import java.util.LinkedHashMap;
import java.util.Map;

/// Collects the commands of all families at the start.
public final class CommandSet {
    private final CommandFacts facts;
    private final Map<String, Command> commands = new LinkedHashMap<>();

    public CommandSet(CommandFacts facts) {
        this.facts = facts;
    }

    /// Registers a command under its full name in lower case: `incr`, `client|setname`.
    ///
    /// @throws IllegalStateException when the name has no facts, or already has a command
    public CommandSet add(String name, Command command) {
        if (facts.find(name) == null) {
            throw new IllegalStateException("command '" + name + "' has no facts");
        }
        if (commands.put(name, command) != null) {
            throw new IllegalStateException("command '" + name + "' is there twice");
        }
        return this;
    }

    public CommandFacts facts() {
        return facts;
    }

    /// What was registered, by full name.
    public Map<String, Command> commands() {
        return commands;
    }
}
