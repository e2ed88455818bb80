package io.tallis.command;

import java.nio.charset.StandardCharsets;

/// What operators are shown instead of passwords.
final class Secrets {
    static final byte[] HIDDEN = "(redacted)".getBytes(StandardCharsets.US_ASCII);

    private Secrets() {}

    /// Whether the word stands behind the one that the command's facts call the mark of a secret.
    static boolean hides(CommandSpec spec, Arguments arguments, int word) {
        SecretWords secret = spec.secret();
        for (int mark = Math.max(0, word - secret.count()); mark < word; mark++) {
            if (arguments.is(mark, secret.mark())) {
                return true;
            }
        }
        return false;
    }
}
