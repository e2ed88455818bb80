package io.tallis.keyspace;

/// A client's new counter finds no room in its partition. Nothing was changed.
public final class KeyspaceFullException extends RuntimeException {
    private static final long serialVersionUID = 1;

    KeyspaceFullException(String message) {
        super(message, null, false, false);
    }
}
