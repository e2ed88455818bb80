package io.tallis.acl;

import io.tallis.command.Arguments;
import io.tallis.command.CommandEntry;
import io.tallis.command.Denial;
import io.tallis.command.Subscriptions;
import io.tallis.command.User;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// A user by its name. Clients keep it, so a change of its rules applies to their next command. Only
/// [Users] changes them.
public final class NamedUser implements User {
    private final String name;
    private volatile Rules rules;

    /// Kept apart from the rules, since every command asks for it.
    private volatile boolean mayRunAll;

    NamedUser(String name, Rules rules) {
        this.name = name;
        this.rules = rules;
        mayRunAll = rules.allowAll();
    }

    public Rules rules() {
        return rules;
    }

    /// The line that defines the user in a file, each character one byte.
    public String line() {
        return "user " + Words.of(name.getBytes(StandardCharsets.UTF_8)) + " " + rules;
    }

    void rules(Rules next) {
        // What is taken away is gone before anything else changes.
        mayRunAll &= next.allowAll();
        rules = next;
        mayRunAll = next.allowAll();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean mayRunAll() {
        return mayRunAll;
    }

    @Override
    public @Nullable Denial denial(CommandEntry entry, Arguments arguments) {
        return rules.denial(entry, arguments);
    }

    @Override
    public boolean mayReceive(Subscriptions.Kind kind, byte[] channel) {
        return rules.allowSubscription(kind, channel);
    }
}
