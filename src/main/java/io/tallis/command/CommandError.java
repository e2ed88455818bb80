package io.tallis.command;

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

    public String text() {
        return String.valueOf(getMessage());
    }
}
