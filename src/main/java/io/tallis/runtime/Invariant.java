package io.tallis.runtime;

/// Checks conditions that only a bug can violate; the component that finds a violation stops.
///
/// Never used for input from clients, peers or the disk.
public final class Invariant {
    private Invariant() {}

    public static void check(boolean condition, String expectation) {
        if (!condition) {
            throw new InvariantViolation(expectation);
        }
    }

    /// A bug was detected; the state of the component that throws this cannot be trusted.
    public static final class InvariantViolation extends IllegalStateException {
        private static final long serialVersionUID = 1;

        InvariantViolation(String expectation) {
            super(expectation);
        }
    }
}
