package io.tallis.sim;

/// Ends a simulation in which something happened that the design of folds gives up by name: from here on nodes need not
/// have what clients did.
final class GivenUp extends Error {
    private static final long serialVersionUID = 1;

    GivenUp(String message) {
        super(message);
    }
}
