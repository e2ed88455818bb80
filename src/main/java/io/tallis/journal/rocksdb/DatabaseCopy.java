package io.tallis.journal.rocksdb;

import io.tallis.journal.Pause;
import io.tallis.journal.Pieces;
import io.tallis.runtime.Directories;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/// Copies a database that is open, as it is on the disk at the beginning of the copy; meanwhile it deletes no files.
///
/// Its tables, which never change, are shared with the copy where both are on one disk. Else they are copied, a piece
/// at a time: RocksDB's own `Checkpoint` would copy all of them without a pause, and nobody could make up for a loss
/// meanwhile, nor stop.
final class DatabaseCopy {
    private final RocksDB database;
    private final Path directory;
    private final Pause pause;

    DatabaseCopy(RocksDB database, Path directory, Pause pause) {
        this.database = database;
        this.directory = directory;
        this.pause = pause;
    }

    /// Makes the copy, in a directory that must not exist.
    void make(Path copy) throws IOException, RocksDBException {
        Files.createDirectory(copy);
        RocksDB.LiveFiles live = database.getLiveFiles(false);
        for (String name : live.files) {
            copy(name.substring(1), copy, live.manifestFileSize);
        }
        Directories.sync(copy);
    }

    private void copy(String name, Path copy, long tableOfContentsBytes) throws IOException {
        Path from = directory.resolve(name);
        Path to = copy.resolve(name);
        if (name.startsWith(DatabaseFiles.TABLE_OF_CONTENTS)) {
            // It is written on meanwhile, and another may take its place.
            Pieces.copy(from, to, tableOfContentsBytes, pause);
            Path current =
                    Files.writeString(copy.resolve(DatabaseFiles.CURRENT), name + "\n", StandardCharsets.US_ASCII);
            Directories.sync(current);
        } else if (!name.equals(DatabaseFiles.CURRENT) && !name.startsWith(DatabaseFiles.OPTIONS)) {
            share(from, to);
        }
        pause.take();
    }

    private void share(Path from, Path to) throws IOException {
        try {
            Files.createLink(to, from);
        } catch (UnsupportedOperationException | FileSystemException _) {
            Pieces.copy(from, to, Files.size(from), pause);
        }
    }
}
