package io.tallis.keyspace;

/// Thrown when there is no room for a change, see [Capacity], or for what a read needs. Nothing was changed. The
/// message may be told to clients.
public final class KeyspaceFullException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private KeyspaceFullException(String message) {
        super(message, null, false, false);
    }

    static KeyspaceFullException ofPartition() {
        return new KeyspaceFullException(
                "the partition of this key is full, deleted keys and fields included, which leave with a purge");
    }

    static KeyspaceFullException ofCounter() {
        return new KeyspaceFullException("this counter has too many shards");
    }

    static KeyspaceFullException ofOrder() {
        return new KeyspaceFullException("there is no memory for the order of this hash");
    }
}
