package io.tallis.command;

import java.util.Locale;

/// An error reply, thrown: one line that starts with an upper-case word.
///
/// It has no stack trace, since it reports a mistake of the client and not a bug.
public final class CommandError extends RuntimeException {
    static final String OVERFLOW = "ERR increment or decrement would overflow";

    private static final long serialVersionUID = 1;

    public CommandError(String text) {
        super(text, null, false, false);
    }

    /// For unexpected or missing words.
    public static CommandError syntax() {
        return new CommandError("ERR syntax error");
    }

    /// For a change whose result would not fit in 64 bits.
    public static CommandError overflow() {
        return new CommandError(OVERFLOW);
    }

    /// For a number that was expected, in a request or as the value of a key.
    public static CommandError noNumber() {
        return new CommandError(Numbers.NOT_AN_INTEGER);
    }

    /// For a key with a GCOUNT only.
    public static CommandError wrongType() {
        return new CommandError("WRONGTYPE Operation against a key holding the wrong kind of value");
    }

    /// For an unknown subcommand, or a known one with a wrong number of words.
    public static CommandError subcommand(Arguments arguments) {
        return new CommandError("ERR unknown subcommand or wrong number of arguments for '" + arguments.shown(1)
                + "'. Try " + arguments.shown(0).toUpperCase(Locale.ROOT) + " HELP.");
    }

    public String text() {
        return String.valueOf(getMessage());
    }
}
