package io.tallis.journal.rocksdb;

import io.tallis.journal.Pause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;

/// Reads all of a copy of a database before anybody relies on it.
///
/// What is wrong with it is wrong with the original too where they share the blocks of a disk. Where the disk knows no
/// links the copy has blocks of its own, so that is looked for.
final class CopyCheck {
    private final Options options;
    private final Path original;
    private final Pause pause;

    CopyCheck(Options options, Path original, Pause pause) {
        this.options = options;
        this.original = original;
        this.pause = pause;
    }

    /// The original cannot be read either.
    static final class OriginalException extends Exception {
        private static final long serialVersionUID = 1;

        private final transient RocksDBException reason;

        private OriginalException(RocksDBException reason) {
            super(reason);
            this.reason = reason;
        }

        RocksDBException reason() {
            return reason;
        }
    }

    /// Reads something of a database.
    @FunctionalInterface
    private interface Reading {
        void of(Path path) throws IOException, RocksDBException;
    }

    /// Reads which files belong to it, while the original deletes none, and returns its last commit. Fails with
    /// RocksDB's own exception, as the other does, where only the copy cannot be read.
    long readCommit(Path copy) throws IOException, RocksDBException, OriginalException {
        read(copy, original, this::commitIn);
        return commitIn(copy);
    }

    /// Reads all the rest.
    void readTables(Path copy) throws IOException, RocksDBException, OriginalException {
        for (Path table : DatabaseFiles.tablesIn(copy)) {
            read(table, original.resolve(table.getFileName()), this::readTable);
            pause.take();
        }
    }

    private long commitIn(Path database) throws IOException, RocksDBException {
        try (RocksDB open = RocksDB.openReadOnly(options, database.toString())) {
            return CommitRow.in(open, database);
        }
    }

    private void readTable(Path table) throws RocksDBException {
        try (SstFileReader reader = new SstFileReader(options)) {
            reader.open(table.toString());
            reader.verifyChecksum();
        }
    }

    private void read(Path copied, Path from, Reading reading) throws IOException, RocksDBException, OriginalException {
        try {
            reading.of(copied);
        } catch (RocksDBException e) {
            requireReadable(from, reading);
            throw e;
        }
    }

    private void requireReadable(Path from, Reading reading) throws IOException, OriginalException {
        try {
            reading.of(from);
        } catch (RocksDBException e) {
            // Tables are deleted when others have taken their place.
            if (Files.exists(from)) {
                throw new OriginalException(e);
            }
        }
    }
}
