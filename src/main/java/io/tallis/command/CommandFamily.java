package io.tallis.command;

/// A group of commands that share collaborators. Each subpackage with commands has one or more.
@FunctionalInterface
public interface CommandFamily {
    /// Adds each command of the family under its name.
    void addTo(CommandSet commands);
}
