package io.tallis.journal.rocksdb;

import io.tallis.journal.disk.DamagedException;
import java.io.IOException;
import java.nio.file.Path;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/// The translation of RocksDB's exceptions into those of the journal: damage is told apart from a disk that fails or is
/// full, because damage is healed by a new generation and the others by waiting.
final class RocksFailure {
    private RocksFailure() {}

    static IOException of(Path directory, String what, RocksDBException e) {
        String text = directory + " " + what + ": " + e.getMessage();
        if (text.contains("While lock file")) {
            return new IOException(
                    directory + " is in use by another process, or cannot be locked: " + e.getMessage(), e);
        }
        boolean damaged = isCorruption(e) || (text.contains("No such file or directory") && !lacksSpace(e));
        return damaged ? new DamagedException(text, e) : new IOException(text, e);
    }

    /// What was read is not what was written.
    static boolean isCorruption(RocksDBException e) {
        Status status = e.getStatus();
        return status != null && status.getCode() == Status.Code.Corruption;
    }

    private static boolean lacksSpace(RocksDBException e) {
        Status status = e.getStatus();
        return status != null && status.getSubCode() == Status.SubCode.NoSpace;
    }
}
