package io.tallis.journal.rocksdb;

import io.tallis.journal.disk.FileCopy;
import io.tallis.journal.disk.Pause;
import io.tallis.runtime.Directories;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;

/// A copy of an open database as it is on the disk, for a backup.
///
/// Tables never change, so the copy shares them by hard links where both directories are on one file system; elsewhere
/// they are copied a megabyte at a time. RocksDB's own `Checkpoint` would copy all of them without a pause, and a
/// rebuild of a damaged database or a stop would have to wait for it.
///
/// Each table is read in full before it goes into the copy, which finds blocks that have rotted on the disk: RocksDB
/// itself reads a block only when it merges its table, and a rotten block would otherwise be noticed by the next start,
/// when no memory has its cells any more.
final class DatabaseCopy {
    private static final String CURRENT = "CURRENT";
    private static final String MANIFEST = "MANIFEST-";
    private static final String TABLE = ".sst";

    private final RocksDB database;
    private final Options options;
    private final Path directory;
    private final Pause pause;

    DatabaseCopy(RocksDB database, Options options, Path directory, Pause pause) {
        this.database = database;
        this.options = options;
        this.directory = directory;
        this.pause = pause;
    }

    /// Makes the copy, in a directory that must not exist. RocksDB must not delete files meanwhile.
    void make(Path copy) throws IOException, RocksDBException {
        Files.createDirectory(copy);
        RocksDB.LiveFiles live = database.getLiveFiles(false);
        for (String name : live.files) {
            copy(name.substring(1), copy, live.manifestFileSize);
            pause.take();
        }
        Directories.sync(copy);
        requireReadable(copy);
    }

    private void copy(String name, Path copy, long manifestBytes) throws IOException, RocksDBException {
        Path from = directory.resolve(name);
        Path to = copy.resolve(name);
        if (name.startsWith(MANIFEST)) {
            // RocksDB goes on writing to it, and may begin another.
            FileCopy.copy(from, to, manifestBytes, pause);
            Path current = Files.writeString(copy.resolve(CURRENT), name + "\n", StandardCharsets.US_ASCII);
            Directories.sync(current);
        } else if (name.endsWith(TABLE)) {
            verify(from);
            linkOrCopy(from, to);
        }
    }

    private void verify(Path table) throws RocksDBException {
        try (SstFileReader reader = new SstFileReader(options)) {
            reader.open(table.toString());
            reader.verifyChecksum();
        }
    }

    private void linkOrCopy(Path from, Path to) throws IOException {
        try {
            Files.createLink(to, from);
        } catch (UnsupportedOperationException | FileSystemException _) {
            FileCopy.copy(from, to, Files.size(from), pause);
        }
    }

    /// Proves that the manifest can be read, of which RocksDB has what it needs in memory. A file that is missing was
    /// deleted from the copy, and is no damage to the database.
    private void requireReadable(Path copy) throws IOException, RocksDBException {
        try {
            RocksDB.openReadOnly(options, copy.toString()).close();
        } catch (RocksDBException e) {
            if (RocksFailure.isCorruption(e)) {
                throw e;
            }
            throw new IOException(copy + " cannot be read: " + e.getMessage(), e);
        }
    }
}
