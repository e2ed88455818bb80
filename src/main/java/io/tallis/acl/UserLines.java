package io.tallis.acl;

import io.tallis.command.facts.CommandFacts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// The lines that define users, in an ACL file and in the configuration file: `user`, the name, the rules.
final class UserLines {
    private final CommandFacts facts;
    private final SortedMap<String, Rules> users = new TreeMap<>();
    private final List<String> mistakes = new ArrayList<>();

    UserLines(CommandFacts facts) {
        this.facts = facts;
    }

    /// Adds the user of a line, whose characters are bytes. A mistake is noted with its `origin`.
    void add(String origin, String line) {
        List<String> words = Words.split(line);
        if (words.isEmpty()) {
            return;
        }
        if (!words.getFirst().equals("user") || words.size() < 2) {
            mistakes.add(origin + " should start with user keyword followed by the username.");
            return;
        }
        add(origin, words.get(1), words.subList(2, words.size()));
    }

    private void add(String origin, String nameBytes, List<String> words) {
        String name = Words.shown(nameBytes);
        try {
            if (!AccessControl.isName(nameBytes.getBytes(StandardCharsets.ISO_8859_1))) {
                throw new RuleException(nameBytes, "the username contains invalid characters");
            }
            if (users.containsKey(name)) {
                throw new RuleException(
                        "user", "Duplicate user found. A user can only be defined once in config files");
            }
            if (users.size() >= Bounds.MOST_USERS) {
                throw new RuleException("user", "there are more than " + Bounds.MOST_USERS + " users");
            }
            users.put(name, Rules.none(facts).with(Words.rules(words), facts));
        } catch (RuleException wrong) {
            mistakes.add(origin + ": " + wrong.reason() + ", at '" + wrong.shown() + "'.");
        } catch (UnmatchedParenthesisException wrong) {
            mistakes.add(origin + ": " + wrong.getMessage());
        }
    }

    SortedMap<String, Rules> users() {
        return users;
    }

    /// One text for each line that is not valid.
    List<String> mistakes() {
        return mistakes;
    }
}
