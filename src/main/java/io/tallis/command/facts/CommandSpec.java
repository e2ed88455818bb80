package io.tallis.command.facts;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/// The facts of one command or subcommand, as `commands.txt` states them.
///
/// `id` counts from 0 without gaps. `arity` counts all words including the name; a negative arity is a minimum.
/// `fullName` is in lower case; a subcommand's is `client|setname`. `wholeKeyspace` is set for a command that touches
/// counters which no word of the request names.
public record CommandSpec(
        int id,
        String fullName,
        int arity,
        Set<CommandFlag> flags,
        Keys keys,
        boolean wholeKeyspace,
        Secret secret,
        Labels labels,
        Docs docs,
        List<CommandSpec> subcommands) {

    /// The words of a request that are keys: every `step`-th from `first` to `last`, which counts from the end when it
    /// is negative. All three are 0 for a command without keys.
    public record Keys(int first, int last, int step) {
        static final Keys NONE = new Keys(0, 0, 0);
    }

    /// The words of a request that operators never see: `count` words after each word equal to `mark`.
    public record Secret(String mark, int count) {
        static final Secret NONE = new Secret("", 0);
    }

    /// What Redis's access control would know beyond the flags: what the command does to its keys (`RW`, `update`), and
    /// its categories; and tips for clients. A list is empty where the flags or the group imply it. `access` has one
    /// list for all keys, or one for each.
    public record Labels(List<List<String>> access, List<String> categories, List<String> tips) {}

    /// The documentation of a command. `deprecated` is empty, or the version since which it is and what to use instead.
    /// `syntax` is parsed on demand.
    public record Docs(
            String group, String since, String summary, String complexity, String deprecated, String syntax) {
        public List<Argument> arguments() {
            return new ArgumentSyntax(syntax).parse();
        }

        /// The arguments as a person writes them.
        public String usage() {
            return String.join(" ", arguments().stream().map(Argument::usage).toList());
        }
    }

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

    /// What the command does to its keys, in Redis's terms: one list for all of them, or one for each.
    public List<List<String>> access() {
        if (!labels.access().isEmpty()) {
            return labels.access();
        }
        return List.of(is(CommandFlag.WRITE) ? List.of("RW", "access", "update") : List.of("RO", "access"));
    }

    /// Whether a request of so many words fits the arity.
    public boolean fits(int words) {
        return arity >= 0 ? words == arity : words >= -arity;
    }
}
