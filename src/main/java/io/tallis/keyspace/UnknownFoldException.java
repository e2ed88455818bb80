package io.tallis.keyspace;

/// Thrown when a received cell has a shard of a fold that this node has not made yet, and was not merged.
public final class UnknownFoldException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UnknownFoldException() {
        super("a fold that is not known here", null, false, false);
    }
}
