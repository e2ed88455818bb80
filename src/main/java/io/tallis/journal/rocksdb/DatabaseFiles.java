package io.tallis.journal.rocksdb;

import io.tallis.journal.DamagedException;
import io.tallis.journal.DataDirectoryException;
import io.tallis.journal.Place;
import io.tallis.runtime.Directories;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/// The directory of the database, as it is on the disk: people may delete files of a database that is open, or move all
/// the data away and put other in its place.
final class DatabaseFiles {
    private static final Logger LOG = System.getLogger(DatabaseFiles.class.getName());
    static final String CURRENT = "CURRENT";
    static final String TABLE_OF_CONTENTS = "MANIFEST-";
    static final String OPTIONS = "OPTIONS";
    private static final String TABLE_SUFFIX = ".sst";

    private final Path directory;
    private final Path aside;
    private final Path unfinished;
    private final Place data;

    /// Whether this process has put one aside for which no other has been committed yet.
    private boolean isAside;

    private final Map<String, Seen> seen = new HashMap<>();
    private Contents contents;

    DatabaseFiles(Path directory, Place data) {
        this.directory = directory;
        aside = directory.resolveSibling(directory.getFileName() + ".damaged");
        unfinished = directory.resolveSibling(directory.getFileName() + ".unfinished");
        this.data = data;
        contents = nothingSeen();
    }

    private Contents nothingSeen() {
        return new Contents(directory, 0, 0);
    }

    /// Whether there is a database.
    boolean exist() {
        return Files.exists(directory.resolve(CURRENT));
    }

    /// RocksDB takes a database that lost its table of contents for a new one.
    void requireWholeOrNew() throws IOException {
        Directories.make(directory);
        if (!exist() && !tablesIn(directory).isEmpty()) {
            throw new DamagedException(directory + ": the file " + CURRENT + " is missing" + whereElse());
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
        Needed needed = needed(database);
        if (database != null && !needed.names.isEmpty()) {
            seen.keySet().retainAll(needed.names);
        }
        for (String name : needed.names) {
            String fate = fateOf(name, needed, database);
            // RocksDB may have had no use for it any more when it was looked for.
            if (fate != null && needed(database).names.contains(name) && areHeld()) {
                return "the file " + directory.resolve(name) + fate + ", until a checkpoint has made up for it";
            }
        }
        return null;
    }

    /// Who puts a former file back may hit the name of one that was made since.
    private @Nullable String fateOf(String name, Needed needed, @Nullable RocksDB database) {
        try {
            Path file = directory.resolve(name);
            boolean same = switch (name) {
                case CURRENT -> namesOne(needed, file) || namesOne(needed(database), file);
                case String it when it.startsWith(TABLE_OF_CONTENTS) -> isAsWritten(needed, database, file);
                default -> isAsItWas(name, file);
            };
            return same ? null : " is another than it was";
        } catch (NoSuchFileException _) {
            return " is gone";
        } catch (IOException _) {
            // Nobody knows.
            return null;
        }
    }

    /// A start reads the table of contents that is named there. RocksDB begins another after a gigabyte, or after a
    /// write that failed, and knows it a little later. One look is too few then. Where its disk is slow two are, and
    /// all is written anew for nothing. While the database is closed nobody knows which it is.
    private static boolean namesOne(Needed needed, Path current) throws IOException {
        String named = Files.readString(current).strip();
        return needed.tableOfContentsBytes == 0 || needed.names.contains(named);
    }

    /// RocksDB knows what it has written to the table of contents a little later than it is there: so that has as much
    /// at least. Where it has more, and no less than before, the rest is known to have been written before there is yet
    /// more. Of what is written while it is looked for nothing is concluded.
    private boolean isAsWritten(Needed needed, @Nullable RocksDB database, Path tableOfContents) throws IOException {
        long written = needed.tableOfContentsBytes;
        long size = Files.size(tableOfContents);
        if (size >= written && needed(database).tableOfContentsBytes != written) {
            return true;
        }
        Contents before = contents;
        contents = new Contents(tableOfContents, size, written);
        boolean isSame = tableOfContents.equals(before.file);
        return size == written || (size > written && !(isSame && size == before.size && written > before.written));
    }

    /// The table of contents as it was last, and how much was known to be written to it.
    private record Contents(Path file, long size, long written) {}

    /// Tables do not change.
    private boolean isAsItWas(String name, Path table) throws IOException {
        Seen now = new Seen(Files.readAttributes(table, BasicFileAttributes.class));
        return now.equals(seen.computeIfAbsent(name, _ -> now));
    }

    /// How a table was when it was looked for first.
    private record Seen(long size, long writtenMillis) {
        private Seen(BasicFileAttributes file) {
            this(file.size(), file.lastModifiedTime().toMillis());
        }
    }

    /// The names of the files without which it could not be opened, and how long the table of contents is; none, and 0,
    /// if that cannot be told.
    private record Needed(List<String> names, long tableOfContentsBytes) {}

    private static Needed needed(@Nullable RocksDB database) {
        if (database == null) {
            return new Needed(List.of(CURRENT), 0);
        }
        try {
            RocksDB.LiveFiles live = database.getLiveFiles(false);
            List<String> names = live.files.stream()
                    .map(name -> name.substring(1))
                    .filter(name -> !name.startsWith(OPTIONS))
                    .toList();
            return new Needed(names, live.manifestFileSize);
        } catch (RocksDBException _) {
            return new Needed(List.of(), 0);
        }
    }

    /// Puts what is left of the database out of the way; nothing may have it open. Should this process end before
    /// another has taken its place, the next start finds it.
    void setAside() throws IOException {
        data.requireHeld();
        seen.clear();
        contents = nothingSeen();
        if (isAside || isLink() || !couldBeMoved()) {
            empty();
        }
    }

    /// What another process left there has done its service: memory has all of it. A mount cannot be moved.
    private boolean couldBeMoved() {
        try {
            delete(aside);
            Files.move(directory, aside, StandardCopyOption.ATOMIC_MOVE);
            isAside = true;
            return true;
        } catch (NoSuchFileException _) {
            return false;
        } catch (IOException e) {
            LOG.log(Level.WARNING, "what is left of " + directory + " is deleted, since it cannot be put aside: " + e);
            return false;
        }
    }

    /// The next database is to lie where this one does.
    private boolean isLink() {
        return Files.isSymbolicLink(directory);
    }

    /// RocksDB makes no directories in it.
    private void empty() throws IOException {
        if (Files.isDirectory(directory)) {
            for (Path file : Directories.list(directory)) {
                if (Files.isRegularFile(file)) {
                    Files.delete(file);
                }
            }
        }
    }

    /// Whether one lies aside that may be the next to be opened.
    boolean anyIsAside() {
        return !isLink() && Files.exists(aside);
    }

    Path aside() {
        return aside;
    }

    /// Where else a person may find files of the database, for the end of what is said of it.
    String whereElse() {
        return Files.exists(unfinished) ? "; what was put there before the last start may be in " + unfinished : "";
    }

    /// For who has found that nothing can be read that was committed in its place, for that reason: so the journal of
    /// it may be there still. How much of it can be read nobody knows yet. What lies in its place may be a file that
    /// somebody has put back there.
    void putBack(String reason) throws IOException {
        data.requireHeld();
        Directories.syncFiles(aside);
        if (Files.isDirectory(directory) && !Directories.list(directory).isEmpty()) {
            delete(unfinished);
            Files.move(directory, unfinished, StandardCopyOption.ATOMIC_MOVE);
        }
        Files.move(aside, directory, StandardCopyOption.ATOMIC_MOVE);
        Directories.sync(Objects.requireNonNull(directory.getParent()));
        LOG.log(
                Level.WARNING,
                "a process before put the database aside to make it anew, since it was gone or damaged in part. "
                        + reason + ": what was left is " + directory + " again, and what lay there is " + unfinished);
    }

    /// There is one that has all.
    void deleteOthers() {
        isAside = false;
        try {
            delete(aside);
            delete(unfinished);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "a former database is left until the next checkpoint: " + e);
        }
    }

    private static void delete(Path former) throws IOException {
        if (Files.exists(former)) {
            Directories.deleteTree(former);
        }
    }
}
