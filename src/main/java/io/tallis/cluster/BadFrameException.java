package io.tallis.cluster;

import java.io.Serial;

/// A frame whose head is not right.
final class BadFrameException extends Exception {
    @Serial
    private static final long serialVersionUID = 1;

    private final DropReason reason;

    BadFrameException(DropReason reason, String message) {
        super(message);
        this.reason = reason;
    }

    DropReason reason() {
        return reason;
    }
}
