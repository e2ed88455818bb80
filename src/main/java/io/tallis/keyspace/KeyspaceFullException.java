package io.tallis.keyspace;

/// Thrown when there is no room for a change in its counter, or in the partition of its key, see [Capacity]; or none
/// for
/// the order of a hash that is read, see [OrderMemory]. Nothing was changed.
public final class KeyspaceFullException extends RuntimeException {
    private static final long serialVersionUID = 1;

    KeyspaceFullException() {
        super("this counter or the partition of its key is full", null, false, false);
    }
}
