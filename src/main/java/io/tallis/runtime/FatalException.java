package io.tallis.runtime;

/// The process must end now with exit code 1, and no mistake of ours is the reason: thrown to end a thread, which in a
/// server ends the process. The message says why in one line.
public final class FatalException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public FatalException(String reason) {
        super(reason);
    }
}
