package io.tallis.acl;

import io.tallis.command.facts.CommandFacts;
import java.util.ArrayList;
import java.util.List;

/// A selector in the making. Rules are applied one after the other.
final class SelectorEditor {
    private final CommandRules commands;
    private final List<KeyPattern> keys = new ArrayList<>();
    private final List<Pattern> channels = new ArrayList<>();
    private boolean allKeys;
    private boolean allChannels;

    /// A selector that allows nothing.
    SelectorEditor(CommandFacts facts) {
        commands = new CommandRules(facts);
    }

    SelectorEditor(CommandFacts facts, Selector selector) {
        commands = CommandRules.of(facts, selector.commands());
        keys.addAll(selector.keys());
        channels.addAll(selector.channels());
        allKeys = selector.allKeys();
        allChannels = selector.allChannels();
    }

    Selector selector() {
        return new Selector(commands.allowed(), allKeys, List.copyOf(keys), allChannels, List.copyOf(channels));
    }

    int patterns() {
        return keys.size() + channels.size();
    }

    /// Throws [RuleException] if this is no rule of a selector.
    void apply(String rule) {
        switch (Rules.keyword(rule)) {
            case "allkeys", "~*" -> setKeys(true);
            case "resetkeys" -> setKeys(false);
            case "allchannels", "&*" -> setChannels(true);
            case "resetchannels" -> setChannels(false);
            case "allcommands", "+@all" -> commands.applyToAll(true);
            case "nocommands", "-@all" -> commands.applyToAll(false);
            default -> applyOther(rule);
        }
    }

    private void applyOther(String rule) {
        switch (rule.charAt(0)) {
            case '~', '%' -> addKeys(rule);
            case '&' -> addChannels(rule);
            case '+', '-' -> commands.apply(rule);
            default -> throw new RuleException(rule, RuleException.SYNTAX);
        }
    }

    private void setKeys(boolean all) {
        allKeys = all;
        keys.clear();
    }

    private void setChannels(boolean all) {
        allChannels = all;
        channels.clear();
    }

    private void addKeys(String rule) {
        if (allKeys) {
            throw new RuleException(
                    rule,
                    "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any"
                            + " effect. Try 'resetkeys' to start with an empty list of patterns");
        }
        KeyPattern added = KeyPattern.of(rule);
        for (int i = 0; i < keys.size(); i++) {
            KeyPattern known = keys.get(i);
            if (known.pattern().toString().equals(added.pattern().toString())) {
                keys.set(i, new KeyPattern(known.pattern(), known.allowed() | added.allowed()));
                return;
            }
        }
        Bounds.requireRoom(rule, patterns(), Bounds.MOST_PATTERNS, "patterns");
        keys.add(added);
    }

    private void addChannels(String rule) {
        if (allChannels) {
            throw new RuleException(
                    rule,
                    "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have"
                            + " any effect. Try 'resetchannels' to start with an empty list of channels");
        }
        Pattern added = Selector.pattern(rule, 1);
        if (channels.stream().noneMatch(known -> known.toString().equals(added.toString()))) {
            Bounds.requireRoom(rule, patterns(), Bounds.MOST_PATTERNS, "patterns");
            channels.add(added);
        }
    }
}
