package io.tallis.journal.disk;

import java.io.IOException;

/// Thrown when the data directory cannot be used. The message names it and says why, in one line.
public final class DataDirectoryException extends IOException {
    private static final long serialVersionUID = 1;

    public DataDirectoryException(String message) {
        super(message);
    }

    public DataDirectoryException(String message, Throwable cause) {
        super(message, cause);
    }
}
