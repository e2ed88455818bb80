package io.tallis.command;

/// Commands that belong together and are made with the same collaborators.
@FunctionalInterface
public interface CommandFamily {
    /// Adds each command of the family under its name.
    void addTo(CommandSet commands);
}
