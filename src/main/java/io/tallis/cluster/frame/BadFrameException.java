package io.tallis.cluster.frame;

import java.io.Serial;

/// A frame whose head is not right.
public final class BadFrameException extends Exception {
    @Serial
    private static final long serialVersionUID = 1;

    private final DropReason reason;

    public BadFrameException(DropReason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public DropReason reason() {
        return reason;
    }
}
