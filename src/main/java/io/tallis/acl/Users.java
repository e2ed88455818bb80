package io.tallis.acl;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.command.facts.CommandFacts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// All users by name. Any thread may call. A change is made whole or not at all.
final class Users {
    static final String DEFAULT = "default";

    private static final String NO_PASSWORD = "nopass";
    private static final List<String> EVERYTHING = List.of("on", "~*", "&*", "+@all");

    private final CommandFacts facts;
    private final NamedUser defaultUser;

    /// Replaced and never modified.
    @GuardedBy("this")
    private SortedMap<String, NamedUser> users = new TreeMap<>();

    private volatile SortedMap<String, NamedUser> published;

    /// The password of the default user unless rules say otherwise, as a rule.
    @GuardedBy("this")
    private String passwordRule = NO_PASSWORD;

    /// Has the user `default`, who may do everything and needs no password.
    Users(CommandFacts facts) {
        this.facts = facts;
        defaultUser = new NamedUser(DEFAULT, everything());
        users.put(DEFAULT, defaultUser);
        published = Collections.unmodifiableSortedMap(users);
    }

    /// The rules of the default user at a start.
    @GuardedBy("this")
    private Rules everything() {
        return Rules.none(facts).with(EVERYTHING, facts).with(List.of(passwordRule), facts);
    }

    synchronized void defaultPassword(String password) {
        passwordRule = password.isEmpty() ? NO_PASSWORD : ">" + Words.of(password.getBytes(StandardCharsets.UTF_8));
        defaultUser.rules(defaultUser.rules().with(List.of("resetpass", passwordRule), facts));
    }

    synchronized boolean areAsAtStart() {
        return users.size() == 1
                && defaultUser.rules().toString().equals(everything().toString());
    }

    NamedUser defaultUser() {
        return defaultUser;
    }

    @Nullable
    NamedUser find(String name) {
        return published.get(name);
    }

    /// In the order of their names.
    List<NamedUser> all() {
        return List.copyOf(published.values());
    }

    /// Makes or changes a user. Throws [RuleException].
    synchronized NamedUser set(String name, List<String> rules) {
        NamedUser known = users.get(name);
        if (known != null) {
            known.rules(known.rules().with(rules, facts));
            return known;
        }
        requireName(name);
        if (users.size() >= Bounds.MOST_USERS) {
            throw new RuleException(name, "there can be at most " + Bounds.MOST_USERS + " users");
        }
        NamedUser made = new NamedUser(name, Rules.none(facts).with(rules, facts));
        SortedMap<String, NamedUser> next = new TreeMap<>(users);
        next.put(name, made);
        publish(next);
        return made;
    }

    private void requireName(String name) {
        if (name.getBytes(StandardCharsets.UTF_8).length > Bounds.LONGEST_NAME) {
            throw new RuleException(name, "a user's name has at most " + Bounds.LONGEST_NAME + " bytes");
        }
    }

    /// Deletes a user, who may do nothing from now on. Returns it, or null if there was none.
    synchronized @Nullable NamedUser delete(String name) {
        NamedUser user = users.get(name);
        if (user != null) {
            SortedMap<String, NamedUser> next = new TreeMap<>(users);
            next.remove(name);
            publish(next);
            user.rules(Rules.none(facts));
        }
        return user;
    }

    /// Has these users only, and the default user as it is at a start if it is not among them. Returns those that are
    /// gone.
    synchronized List<NamedUser> replace(SortedMap<String, Rules> wanted) {
        SortedMap<String, NamedUser> next = new TreeMap<>();
        wanted.forEach((name, rules) -> next.put(name, renewed(name, rules)));
        if (!wanted.containsKey(DEFAULT)) {
            next.put(DEFAULT, renewed(DEFAULT, everything()));
        }
        List<NamedUser> gone = new ArrayList<>(users.values());
        gone.removeAll(next.values());
        publish(next);
        gone.forEach(user -> user.rules(Rules.none(facts)));
        return gone;
    }

    @GuardedBy("this")
    private NamedUser renewed(String name, Rules rules) {
        NamedUser known = users.get(name);
        if (known == null) {
            return new NamedUser(name, rules);
        }
        known.rules(rules);
        return known;
    }

    @GuardedBy("this")
    private void publish(SortedMap<String, NamedUser> next) {
        users = next;
        published = Collections.unmodifiableSortedMap(next);
    }
}
