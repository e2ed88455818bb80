package io.tallis.sim;

/// Something that must never be, and was.
final class Violation extends AssertionError {
    private static final long serialVersionUID = 1;

    Violation(String message) {
        super(message);
    }
}
