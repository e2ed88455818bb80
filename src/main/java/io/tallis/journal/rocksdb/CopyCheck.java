package io.tallis.journal.rocksdb;

import io.tallis.journal.Pause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;

/// Reads all of a copy of a database before anybody relies on it.
///
/// What is wrong with it is wrong with the original too where they share the blocks of a disk. The copy may lie on a
/// disk of its own, so that is looked for.
final class CopyCheck {
    private final Options options;
    private final Path original;
    private final Function<RocksDBException, IOException> ofCopy;
    private final Function<RocksDBException, IOException> ofOriginal;

    /// What it fails with is `ofOriginal` where the original cannot be read either, else `ofCopy`.
    CopyCheck(
            Options options,
            Path original,
            Function<RocksDBException, IOException> ofCopy,
            Function<RocksDBException, IOException> ofOriginal) {
        this.options = options;
        this.original = original;
        this.ofCopy = ofCopy;
        this.ofOriginal = ofOriginal;
    }

    /// Reads something of a database.
    @FunctionalInterface
    private interface Reading {
        void of(Path path) throws RocksDBException;
    }

    void read(Path copy, Pause pause) throws IOException {
        read(copy, original, this::readNames);
        for (Path table : DatabaseFiles.tablesIn(copy)) {
            read(table, original.resolve(table.getFileName()), this::readTable);
            pause.take();
        }
    }

    /// Which files belong to it.
    private void readNames(Path database) throws RocksDBException {
        RocksDB.openReadOnly(options, database.toString()).close();
    }

    private void readTable(Path table) throws RocksDBException {
        try (SstFileReader reader = new SstFileReader(options)) {
            reader.open(table.toString());
            reader.verifyChecksum();
        }
    }

    private void read(Path copied, Path from, Reading reading) throws IOException {
        try {
            reading.of(copied);
        } catch (RocksDBException e) {
            throw failure(e, from, reading);
        }
    }

    private IOException failure(RocksDBException withCopy, Path from, Reading reading) {
        try {
            reading.of(from);
        } catch (RocksDBException e) {
            // Tables are deleted when others have taken their place.
            if (Files.exists(from)) {
                return ofOriginal.apply(e);
            }
        }
        return ofCopy.apply(withCopy);
    }
}
