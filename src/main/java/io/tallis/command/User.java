package io.tallis.command;

import org.jspecify.annotations.Nullable;

/// The user as whom a client runs commands. Any thread may call. What a user may do can change at any time, and
/// applies to the next command of every client.
public interface User {
    String name();

    /// Whether every command, key and channel is allowed: the answer for most users, and what costs least to ask.
    boolean mayRunAll();

    /// Why the user may not run this request, whose number of words fits the command; null if it may.
    @Nullable
    Denial denial(CommandEntry entry, Arguments arguments);

    /// Whether the user may have this subscription.
    boolean mayReceive(Subscriptions.Kind kind, byte[] name);

    /// The user of a client that has not been admitted yet.
    User NONE = new User() {
        @Override
        public String name() {
            return "";
        }

        @Override
        public boolean mayRunAll() {
            return false;
        }

        @Override
        public Denial denial(CommandEntry entry, Arguments arguments) {
            return Denial.ofCommand(entry);
        }

        @Override
        public boolean mayReceive(Subscriptions.Kind kind, byte[] name) {
            return false;
        }
    };
}
