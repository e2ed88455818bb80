package io.tallis.bench;

import java.util.concurrent.ExecutionException;

/// A measure that cannot be taken, or is not to be believed: the text says which and why.
final class BenchException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BenchException(String message) {
        super(message);
    }

    /// The text ends with that of the cause, which may be wrapped in another.
    BenchException(String message, Throwable cause) {
        super(message + ": " + (cause instanceof ExecutionException ? cause.getCause() : cause), cause);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
