package io.tallis.journal.rocksdb;

import io.tallis.journal.DamagedException;
import java.io.IOException;
import java.nio.file.Path;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/// What RocksDB's failures mean here.
final class Failure {
    private Failure() {}

    static IOException of(Path directory, String what, RocksDBException e) {
        return of(directory, what, e, "");
    }

    /// With something more at its end.
    static IOException of(Path directory, String what, RocksDBException e, String more) {
        String text = directory + " " + what + ": " + e.getMessage() + more;
        if (lacksSpace(e)) {
            return new NoSpaceException(text, e);
        }
        if (text.contains("While lock file")) {
            return new IOException(
                    directory + " is in use by another process, or cannot be locked: " + e.getMessage(), e);
        }
        boolean damaged = isCorruption(e) || text.contains("No such file or directory");
        return damaged ? new DamagedException(text, e) : new IOException(text, e);
    }

    /// What was read is not what was written.
    static boolean isCorruption(RocksDBException e) {
        Status status = e.getStatus();
        return status != null && status.getCode() == Status.Code.Corruption;
    }

    /// A full disk, a quota, a limit on the size of files.
    private static boolean lacksSpace(RocksDBException e) {
        Status status = e.getStatus();
        String text = String.valueOf(e.getMessage());
        return (status != null && status.getSubCode() == Status.SubCode.NoSpace)
                || text.contains("No space left on device")
                || text.contains("Disk quota exceeded")
                || text.contains("File too large");
    }

    /// The disk has no room for what was to be written.
    static final class NoSpaceException extends IOException {
        private static final long serialVersionUID = 1;

        NoSpaceException(String failure, Throwable cause) {
            super(failure, cause);
        }
    }
}
