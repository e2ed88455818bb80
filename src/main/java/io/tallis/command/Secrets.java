package io.tallis.command;

import java.nio.charset.StandardCharsets;

/// What operators are shown instead of passwords.
final class Secrets {
    static final byte[] HIDDEN = "(redacted)".getBytes(StandardCharsets.US_ASCII);

    private Secrets() {}

    static boolean hides(CommandSpec spec, int word) {
        return spec.secretFrom() > 0 && word >= spec.secretFrom();
    }
}
