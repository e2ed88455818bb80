package io.tallis.journal.rocksdb;

import io.tallis.journal.DamagedException;
import io.tallis.journal.DataDirectoryException;
import io.tallis.journal.Place;
import io.tallis.runtime.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/// The directory of the database, as it is on the disk: people may delete files of a database that is open, or move all
/// the data away and put other in its place.
final class DatabaseFiles {
    private static final String CURRENT = "CURRENT";
    private static final String OPTIONS = "OPTIONS";
    private static final String TABLE_SUFFIX = ".sst";

    private final Path directory;
    private final Path aside;
    private final Place data;

    DatabaseFiles(Path directory, Place data) {
        this.directory = directory;
        aside = directory.resolveSibling(directory.getFileName() + ".damaged");
        this.data = data;
    }

    /// Whether there is a database.
    boolean exist() {
        return Files.exists(directory.resolve(CURRENT));
    }

    /// RocksDB takes a database that lost its table of contents for a new one.
    void requireWholeOrNew() throws IOException {
        Directories.make(directory);
        if (!exist() && !tablesIn(directory).isEmpty()) {
            throw new DamagedException(directory + ": the file " + CURRENT + " is missing");
        }
    }

    /// The tables of a database in such a directory.
    static List<Path> tablesIn(Path directory) throws IOException {
        return Directories.list(directory).stream()
                .filter(file -> file.toString().endsWith(TABLE_SUFFIX))
                .toList();
    }

    /// Fails when the data directory is not this process's any more.
    void requireHeld() throws IOException {
        data.requireHeld();
    }

    /// Whether the data directory is this process's, as far as can be told.
    boolean areHeld() {
        try {
            data.requireHeld();
        } catch (DataDirectoryException _) {
            return false;
        } catch (IOException _) {
            // Nobody knows; nobody has been seen.
        }
        return true;
    }

    /// What has become of a file without which the database could not be opened again; null when all are there, or gone
    /// with the whole data directory.
    @Nullable
    String lost(@Nullable RocksDB database) {
        for (String name : needed(database)) {
            // RocksDB may have had no use for it any more when it was looked for.
            if (Files.notExists(directory.resolve(name)) && needed(database).contains(name) && areHeld()) {
                return "the file " + directory.resolve(name) + " is gone";
            }
        }
        return null;
    }

    /// The names of the files without which it could not be opened; none if that cannot be told.
    private static List<String> needed(@Nullable RocksDB database) {
        if (database == null) {
            return List.of(CURRENT);
        }
        try {
            return database.getLiveFiles(false).files.stream()
                    .map(name -> name.substring(1))
                    .filter(name -> !name.startsWith(OPTIONS))
                    .toList();
        } catch (RocksDBException _) {
            return List.of();
        }
    }

    /// Puts what is left of the database out of the way; nothing may have it open. Should this process end before
    /// another has taken its place, a person may get something out of it. Where one lies there still, that stays, and
    /// what came after it is deleted.
    void setAside() throws IOException {
        data.requireHeld();
        if (Files.exists(aside)) {
            delete(directory);
        } else if (Files.exists(directory)) {
            Files.move(directory, aside, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /// Another has taken its place. What cannot be deleted is when that is tried again.
    void deleteWhatWasSetAside() {
        try {
            delete(aside);
            Files.deleteIfExists(aside);
        } catch (IOException _) {
            // Until the next commit.
        }
    }

    private static void delete(Path database) throws IOException {
        if (Files.isDirectory(database)) {
            for (Path file : Directories.list(database)) {
                if (Files.isRegularFile(file)) {
                    Files.delete(file);
                }
            }
        }
    }
}
