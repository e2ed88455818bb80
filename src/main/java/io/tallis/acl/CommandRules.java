package io.tallis.acl;

import io.tallis.command.facts.Categories;
import io.tallis.command.facts.CommandFacts;
import io.tallis.command.facts.CommandSpec;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/// Rules about commands, applied one after the other: `+get`, `-@dangerous`, `+config|get`, `+select|0`.
///
/// A rule replaces an earlier one about the same commands, so there are never more rules than commands, categories and
/// first arguments.
final class CommandRules {
    /// The most first arguments of one selector.
    static final int MOST_FIRST_ARGUMENTS = 256;

    private static final String ALL = "+@all";
    private static final String NONE = "-@all";

    private final CommandFacts facts;
    private final List<String> rules = new ArrayList<>(List.of(NONE));
    private final BitSet allowed = new BitSet();
    private final Map<Integer, List<String>> firstArguments = new HashMap<>();
    private boolean all;

    /// Allows no command.
    CommandRules(CommandFacts facts) {
        this.facts = facts;
    }

    static CommandRules of(CommandFacts facts, AllowedCommands commands) {
        CommandRules copy = new CommandRules(facts);
        copy.rules.clear();
        copy.rules.addAll(List.of(commands.text().split(" ", -1)));
        copy.allowed.or(commands.bits());
        commands.firstArguments().forEach((id, words) -> copy.firstArguments.put(id, new ArrayList<>(words)));
        copy.all = commands.all();
        return copy;
    }

    AllowedCommands allowed() {
        BitSet bits = new BitSet(facts.size());
        bits.or(allowed);
        Map<Integer, List<String>> words = new HashMap<>();
        firstArguments.forEach((id, list) -> words.put(id, List.copyOf(list)));
        return new AllowedCommands(bits, all, Map.copyOf(words), String.join(" ", rules));
    }

    /// Applies a rule that begins with `+` or `-`.
    void apply(String rule) {
        boolean allow = rule.charAt(0) == '+';
        String name = rule.substring(1).toLowerCase(Locale.ROOT);
        if (name.equals("@all")) {
            applyToAll(allow);
        } else if (name.startsWith("@")) {
            applyToCategory(rule, name.substring(1), allow);
        } else {
            CommandSpec spec = facts.find(name);
            if (spec != null) {
                set(spec, allow);
            } else if (allow && name.indexOf('|') >= 0) {
                addFirstArgument(rule, name);
            } else {
                throw new RuleException(rule, RuleException.UNKNOWN);
            }
            note(allow, name, earlier -> earlier.equals(name) || earlier.startsWith(name + "|"));
        }
        all &= allow;
    }

    void applyToAll(boolean allow) {
        all = allow;
        allowed.set(0, facts.size(), allow);
        firstArguments.clear();
        rules.clear();
        rules.add(allow ? ALL : NONE);
    }

    private void applyToCategory(String rule, String category, boolean allow) {
        if (!Categories.ALL.contains(category)) {
            throw new RuleException(rule, RuleException.UNKNOWN);
        }
        facts.all().stream()
                .filter(spec -> Categories.of(spec).contains(category))
                .forEach(spec -> setOne(spec, allow));
        note(allow, "@" + category, earlier -> earlier.equals("@" + category));
    }

    private void set(CommandSpec spec, boolean allow) {
        setOne(spec, allow);
        spec.subcommands().forEach(child -> setOne(child, allow));
    }

    private void setOne(CommandSpec spec, boolean allow) {
        allowed.set(spec.id(), allow);
        firstArguments.remove(spec.id());
    }

    /// `+select|0`: a command that has no such subcommand, with one word as its first argument.
    private void addFirstArgument(String rule, String name) {
        int bar = name.lastIndexOf('|');
        String word = name.substring(bar + 1);
        CommandSpec spec = facts.find(name.substring(0, bar));
        if (spec == null) {
            throw new RuleException(rule, RuleException.UNKNOWN);
        }
        if (spec.fullName().indexOf('|') >= 0) {
            throw new RuleException(rule, "Allowing first-arg of a subcommand is not supported");
        }
        if (word.isEmpty()) {
            throw new RuleException(rule, RuleException.SYNTAX);
        }
        if (!spec.subcommands().isEmpty()) {
            throw new RuleException(rule, RuleException.UNKNOWN);
        }
        List<String> words = firstArguments.computeIfAbsent(spec.id(), _ -> new ArrayList<>());
        String upper = word.toUpperCase(Locale.ROOT);
        if (!words.contains(upper)) {
            Bounds.requireRoom(rule, count(firstArguments.values()), MOST_FIRST_ARGUMENTS, "first arguments");
            words.add(upper);
        }
    }

    private static int count(Collection<List<String>> lists) {
        return lists.stream().mapToInt(List::size).sum();
    }

    private void note(boolean allow, String name, Predicate<String> replaces) {
        rules.subList(1, rules.size()).removeIf(rule -> replaces.test(rule.substring(1)));
        rules.add((allow ? '+' : '-') + name);
    }
}
