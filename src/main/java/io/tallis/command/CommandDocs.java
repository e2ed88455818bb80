package io.tallis.command;

import java.util.List;

/// What people are told about a command. `deprecated` is empty, or since when and what to use instead. `syntax` is
/// parsed when somebody asks.
public record CommandDocs(
        String group, String since, String summary, String complexity, String deprecated, String syntax) {
    public List<Argument> arguments() {
        return new ArgumentSyntax(syntax).parse();
    }

    /// The arguments as people write them.
    public String usage() {
        return String.join(" ", arguments().stream().map(Argument::usage).toList());
    }
}
