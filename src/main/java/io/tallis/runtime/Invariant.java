package io.tallis.runtime;

/// The check for what can only be false through a mistake of ours.
///
/// Never for what a client, a peer or a disk may do. A failure stops the component that made the mistake.
public final class Invariant {
    private Invariant() {}

    public static void check(boolean condition, String expectation) {
        if (!condition) {
            throw new InvariantViolation(expectation);
        }
    }

    /// A mistake of ours was met; the state of the component that throws it is not to be trusted.
    public static final class InvariantViolation extends IllegalStateException {
        private static final long serialVersionUID = 1;

        InvariantViolation(String expectation) {
            super(expectation);
        }
    }
}
