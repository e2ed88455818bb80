package io.tallis.wire;

import java.io.IOException;

/// Bytes from a disk or a peer that do not follow the form they should have.
public final class MalformedException extends IOException {
    private static final long serialVersionUID = 1;

    public MalformedException(String message) {
        super(message);
    }
}
