package io.tallis.server;

/// The server cannot start. The message is one line for the operator, with the cause and the remedy.
public final class StartException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public StartException(String message) {
        super(message, null, false, false);
    }
}
