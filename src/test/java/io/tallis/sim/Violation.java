package io.tallis.sim;

/// A check of the simulation failed.
final class Violation extends AssertionError {
    private static final long serialVersionUID = 1;

    Violation(String message) {
        super(message);
    }
}
