package io.tallis.command;

import java.util.LinkedHashMap;
import java.util.Map;

/// The commands of all families, while they are being gathered at start.
public final class CommandSet {
    private final CommandFacts facts;
    private final Map<String, Command> commands = new LinkedHashMap<>();

    CommandSet(CommandFacts facts) {
        this.facts = facts;
    }

    /// Adds what runs under `name`, which is lower case: `incr`, `client|setname`.
    ///
    /// @throws IllegalStateException when the name has no facts, or a command already
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

    Map<String, Command> commands() {
        return commands;
    }
}
