package io.tallis.acl;

import io.tallis.command.Arguments;
import io.tallis.command.CommandEntry;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

/// The commands that a selector allows. Never modified.
///
/// A bit for each command and subcommand, by its id. A command without its bit may still be allowed with certain words
/// as its first argument, as by `+select|0`. `text` are the rules from which this was made, as `ACL LIST` shows them: a
/// later version may have more commands, and gets them from the rules.
record AllowedCommands(BitSet bits, boolean all, Map<Integer, List<String>> firstArguments, String text) {
    boolean allow(CommandEntry entry, Arguments arguments) {
        int id = entry.id();
        return all || bits.get(id) || allowFirstArgument(id, arguments);
    }

    private boolean allowFirstArgument(int id, Arguments arguments) {
        if (firstArguments.isEmpty() || arguments.count() < 2) {
            return false;
        }
        return firstArguments.getOrDefault(id, List.of()).stream().anyMatch(word -> arguments.is(1, word));
    }
}
