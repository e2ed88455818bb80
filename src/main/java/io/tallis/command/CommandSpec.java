package io.tallis.command;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/// The facts of one command or subcommand, as `commands.txt` has them.
///
/// `id` counts from 0 without gaps. `arity` counts all words; negative means at least so many. `fullName` is in
/// lower case, a subcommand's is `client|setname`. `wholeKeyspace` says that the command touches counters that no
/// word of it names.
public record CommandSpec(
        int id,
        String fullName,
        int arity,
        Set<CommandFlag> flags,
        KeyPositions keys,
        boolean wholeKeyspace,
        SecretWords secret,
        CommandLabels labels,
        CommandDocs docs,
        List<CommandSpec> subcommands) {

    /// The last word of the name: `setname`.
    public String name() {
        return fullName.substring(fullName.indexOf('|') + 1);
    }

    /// The name as it is typed: `CLIENT SETNAME`.
    public String typedName() {
        return fullName.replace('|', ' ').toUpperCase(Locale.ROOT);
    }

    public boolean is(CommandFlag flag) {
        return flags.contains(flag);
    }
}
