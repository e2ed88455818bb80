package io.tallis.command;

import java.util.Locale;

/// The client's mistake, as the text of an error reply. One line that starts with an upper-case word.
///
/// Carries no stack trace: it is an answer, not a failure of ours.
public final class CommandError extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CommandError(String text) {
        super(text, null, false, false);
    }

    /// For words in a place where none of them belongs.
    public static CommandError syntax() {
        return new CommandError("ERR syntax error");
    }

    /// For a change that would lead out of 64 bits.
    public static CommandError overflow() {
        return new CommandError("ERR increment or decrement would overflow");
    }

    /// For a subcommand that there is not, or not with as many words.
    public static CommandError subcommand(Arguments arguments) {
        return new CommandError("ERR unknown subcommand or wrong number of arguments for '" + arguments.shown(1)
                + "'. Try " + arguments.shown(0).toUpperCase(Locale.ROOT) + " HELP.");
    }

    public String text() {
        return String.valueOf(getMessage());
    }
}
