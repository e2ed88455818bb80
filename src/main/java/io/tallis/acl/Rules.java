package io.tallis.acl;

import io.tallis.command.Arguments;
import io.tallis.command.CommandEntry;
import io.tallis.command.Denial;
import io.tallis.command.Subscriptions;
import io.tallis.command.facts.CommandFacts;
import io.tallis.command.facts.CommandFlag;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// All rules of a user. Immutable: a change makes new ones, so that a mistake in the last of several rules leaves a
/// user as it was.
///
/// A request is allowed if one of the selectors allows it; the first has the rules outside of parentheses. Passwords
/// are kept as digests in hexadecimal form. `payload` is a rule about `RESTORE`, which is kept and without effect here,
/// or empty.
public record Rules(
        boolean enabled, boolean noPassword, String payload, List<String> passwords, List<Selector> selectors) {

    /// Of a new user, who may do nothing.
    static Rules none(CommandFacts facts) {
        Selector nothing = new SelectorEditor(facts).selector();
        return new Rules(false, false, "", List.of(), List.of(nothing));
    }

    /// These rules with further ones. Throws [RuleException].
    Rules with(List<String> rules, CommandFacts facts) {
        RulesEditor editor = new RulesEditor(this, facts);
        rules.forEach(editor::apply);
        return editor.rules();
    }

    /// A rule that is one word in any case of letters.
    static String keyword(String rule) {
        return rule.toLowerCase(Locale.ROOT);
    }

    boolean allowAll() {
        return selectors.stream().anyMatch(Selector::allowsAll);
    }

    /// Whether keys of every name can be read and changed, by commands that are allowed.
    boolean allowAllKeys() {
        return selectors.getFirst().allKeys();
    }

    @Nullable
    Denial denial(CommandEntry entry, Arguments arguments) {
        boolean needsNoRight = entry.is(CommandFlag.NO_AUTH);
        int denied = Selector.ALLOWED;
        // By index, here and in the selector: the JVM does not inline an iterator that so much other code uses too, and
        // calling it would cost more than the check.
        for (int i = 0; i < selectors.size(); i++) {
            int answer = selectors.get(i).check(entry, arguments, needsNoRight);
            if (answer == Selector.ALLOWED) {
                return null;
            }
            denied = Math.max(denied, answer);
        }
        return Denial.of(Selector.reason(denied), entry, arguments, Selector.word(denied));
    }

    boolean allowSubscription(Subscriptions.Kind kind, byte[] name) {
        boolean isPattern = kind == Subscriptions.Kind.PATTERN;
        return selectors.stream().anyMatch(selector -> selector.allowsChannel(isPattern, name, 0, name.length));
    }

    /// Whether this is the digest of one of the passwords. The time taken does not depend on how much of it fits.
    boolean hasPassword(byte[] hexDigest) {
        boolean found = false;
        for (String password : passwords) {
            found |= MessageDigest.isEqual(password.getBytes(StandardCharsets.US_ASCII), hexDigest);
        }
        return found;
    }

    /// The flags as `ACL GETUSER` names them.
    public List<String> flags() {
        List<String> flags = new ArrayList<>();
        flags.add(enabled ? "on" : "off");
        if (noPassword) {
            flags.add("nopass");
        }
        if (!payload.isEmpty()) {
            flags.add(payload);
        }
        return flags;
    }

    /// A selector as `ACL GETUSER` shows it.
    public record Shown(String commands, String keys, String channels) {}

    /// The selectors, the one with the rules outside of parentheses first.
    public List<Shown> shownSelectors() {
        return selectors.stream()
                .map(one -> new Shown(one.commands().text(), one.keysText(), one.channelsText()))
                .toList();
    }

    /// As rules, from which the same can be made again.
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(String.join(" ", flags()));
        passwords.forEach(password -> text.append(" #").append(password));
        text.append(' ').append(selectors.getFirst());
        return text.append(selectors.stream()
                        .skip(1)
                        .map(selector -> " (" + selector + ")")
                        .collect(Collectors.joining()))
                .toString();
    }
}
