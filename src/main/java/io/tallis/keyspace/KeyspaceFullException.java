package io.tallis.keyspace;

/// A change finds no room in its counter, or in the partition of its key; see [Bounds]. Nothing was changed.
public final class KeyspaceFullException extends RuntimeException {
    private static final long serialVersionUID = 1;

    KeyspaceFullException() {
        super("this counter or the partition of its key is full", null, false, false);
    }
}
