package io.tallis.script;

/// Ends a script, whatever it does: `pcall` does not catch this.
public final class ScriptStopped extends RuntimeException {
    private static final long serialVersionUID = 1;

    ScriptStopped(String text) {
        super(text, null, false, false);
    }

    /// The error reply.
    public String text() {
        return String.valueOf(getMessage());
    }
}
