package io.tallis.crdt;

/// A new replica id, when this process has numbered as many as it can. Nothing was changed.
public final class TooManyReplicasException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    TooManyReplicasException(int limit) {
        super("met more than " + limit + " replica ids");
    }
}
