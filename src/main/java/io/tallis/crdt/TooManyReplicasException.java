package io.tallis.crdt;

/// A counter of one more replica than this process can tell apart. Nothing was changed.
public final class TooManyReplicasException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    TooManyReplicasException(int limit) {
        super("met more than " + limit + " replica ids");
    }
}
