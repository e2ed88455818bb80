package io.tallis.keyspace;

/// A client's new counter finds no room in its partition. Nothing was changed.
public final class KeyspaceFullException extends RuntimeException {
    private static final long serialVersionUID = 1;

    KeyspaceFullException() {
        super("the partition of this key is full", null, false, false);
    }
}
