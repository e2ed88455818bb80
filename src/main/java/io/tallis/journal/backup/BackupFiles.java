package io.tallis.journal.backup;

import io.tallis.journal.checkpoint.GenerationFiles;
import io.tallis.journal.checkpoint.Generations;
import io.tallis.journal.disk.DataDirectory;
import io.tallis.journal.disk.Disk;
import io.tallis.journal.disk.Failures;
import io.tallis.journal.disk.FileCopy;
import io.tallis.journal.disk.NioDisk;
import io.tallis.journal.disk.Pause;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Directories;
import io.tallis.runtime.WholeFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/// The backups under `backup/`, each a whole data directory: to restore one, copy it to the place of the data directory
/// and start.
///
/// ```
/// make   while no checkpoint can begin:  backup.unfinished-<time>/, beside the data
///          cells-1/   the database's tables as hard links
///          journal/   what was recorded since the checkpoint began
/// keep   while all goes on:              backup/.<time>-<node>/   renamed, or copied where backup/ is on another disk
///                                        backup/<time>/           renamed when it is complete and durable
/// ```
///
/// So a backup with a proper name is complete, and a slow disk under `backup/` holds up no checkpoint. The newest
/// [#KEPT] are kept.
///
/// Several nodes may keep their backups in one place: each deletes only copies that have its own UUID, and none that a
/// process was started in.
public final class BackupFiles {
    static final int KEPT = 8;

    private static final String DELETED = ".deleted";
    private static final String TIME = "\\d{8}-\\d{6}-\\d{3}";
    private static final Pattern COMPLETE = Pattern.compile(TIME);
    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS").withZone(ZoneOffset.UTC);

    private final DataDirectory directory;
    private final Generations database;
    private final Journal journal;
    private final Pause whileMade;
    private final Pause whileKept;
    private final Clock clock;
    private final Pattern incomplete;

    /// The journal as far as a copy needs it.
    @FunctionalInterface
    public interface Journal {
        /// Copies all that was recorded so far, from segment `first` on.
        void copyTo(Disk copy, long first) throws IOException;
    }

    public BackupFiles(
            DataDirectory directory,
            Generations database,
            Journal journal,
            Pause whileMade,
            Pause whileKept,
            Clock clock) {
        this.directory = directory;
        this.database = database;
        this.journal = journal;
        this.whileMade = whileMade;
        this.whileKept = whileKept;
        this.clock = clock;
        incomplete = Pattern.compile("\\." + TIME + "-" + directory.node() + "(\\.deleted)?");
    }

    /// Deletes copies that a process before did not finish.
    public void deleteUnfinished() {
        try {
            directory.unfinishedBackups().forEach(this::delete);
        } catch (IOException e) {
            Failures.LOG.log(Level.WARNING, "cannot look for unfinished backups: " + Failures.reason(e));
        }
    }

    /// Makes a copy of what was committed last, which must be `replay from segment`, while nothing is committed.
    /// Returns where it is until [#keep] takes it.
    public Path make(long segment) throws IOException {
        directory.requireHeld();
        deleteUnfinished();
        Path copy = directory.unfinishedBackup(NAME.format(now()));
        try {
            fill(copy, segment);
            return copy;
        } catch (IOException e) {
            delete(copy);
            throw e;
        }
    }

    private Instant now() {
        return Instant.ofEpochMilli(clock.epochMillis());
    }

    private void fill(Path copy, long segment) throws IOException {
        Path segments = copy.resolve("journal");
        Files.createDirectories(segments);
        copyCluster(copy);
        database.store().copyTo(copy.resolve(GenerationFiles.name(1)), whileMade);
        GenerationFiles.write(copy, 1);
        directory.writeNode(copy);
        copyNodes(copy);
        journal.copyTo(new NioDisk(segments, directory::requireHeld), segment);
        copyCluster(copy);
        Directories.sync(copy);
    }

    /// As it was at the beginning of the copy, since a node that becomes complete meanwhile may not be so in the copy;
    /// at
    /// the end only what was not there before.
    private void copyCluster(Path copy) throws IOException {
        Path target = copy.resolve(DataDirectory.CLUSTER);
        if (Files.notExists(target) && !Files.notExists(directory.cluster())) {
            WholeFile.replace(target, ByteBuffer.wrap(Files.readAllBytes(directory.cluster())));
        }
    }

    private void copyNodes(Path copy) throws IOException {
        try {
            Path nodes = Files.copy(directory.nodes(), copy.resolve(DataDirectory.NODES));
            try (FileChannel file = FileChannel.open(nodes, StandardOpenOption.WRITE)) {
                file.force(true);
            }
        } catch (NoSuchFileException _) {
            // No other node is known yet.
        }
    }

    /// Puts a copy that was made among the others. Returns where it is.
    public Path keep(Path made) throws IOException {
        try {
            directory.makeBackups();
            incompleteCopies().reversed().forEach(this::delete);
            Path backup = nextPlace();
            Path hidden = hidden(backup);
            try {
                bring(made, hidden);
                rename(hidden, backup);
            } catch (IOException e) {
                delete(hidden);
                throw e;
            }
            Directories.sync(directory.backups());
            deleteOldest();
            return backup;
        } finally {
            delete(made);
        }
    }

    private void bring(Path made, Path to) throws IOException {
        try {
            rename(made, to);
        } catch (AtomicMoveNotSupportedException _) {
            FileCopy.copyTree(made, to, whileKept);
        }
    }

    private void rename(Path from, Path to) throws IOException {
        directory.requireHeld();
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    private Path hidden(Path backup) {
        return backup.resolveSibling("." + backup.getFileName() + "-" + directory.node());
    }

    /// Named by the time, and behind all others of this node: the last by name is its newest, whatever the clock did.
    private Path nextPlace() throws IOException {
        List<Path> all = completeCopies();
        Instant next = now();
        for (Path copy : all) {
            Instant behind = timeOf(copy).plusMillis(1);
            if (behind.isAfter(next) && directory.isOwnCopy(copy)) {
                next = behind;
            }
        }
        while (all.contains(placeAt(next))) {
            next = next.plusMillis(1);
        }
        return placeAt(next);
    }

    private Path placeAt(Instant time) {
        return directory.backups().resolve(NAME.format(time));
    }

    /// 1970 for a name that is no time.
    private static Instant timeOf(Path copy) {
        try {
            return Instant.from(NAME.parse(copy.getFileName().toString()));
        } catch (DateTimeException _) {
            return Instant.EPOCH;
        }
    }

    private void deleteOldest() {
        try {
            List<Path> copies =
                    completeCopies().stream().filter(directory::isOwnCopy).toList();
            for (Path copy : copies.subList(0, Math.max(0, copies.size() - KEPT))) {
                delete(copy, hidden(copy));
            }
        } catch (IOException e) {
            Failures.LOG.log(Level.WARNING, "cannot look for the oldest backups: " + Failures.reason(e));
        }
    }

    private void delete(Path copy) {
        delete(copy, copy);
    }

    /// Deletes a copy under another name, so that a crash in the midst of it leaves none that looks complete. A copy
    /// that cannot be deleted is no reason to fail the next backup.
    private void delete(Path copy, Path hidden) {
        String name = hidden.getFileName().toString();
        Path deleted = name.endsWith(DELETED) ? hidden : hidden.resolveSibling(name + DELETED);
        try {
            directory.requireHeld();
            Files.move(copy, deleted, StandardCopyOption.ATOMIC_MOVE);
            Directories.sync(Objects.requireNonNull(deleted.getParent()));
            Directories.deleteTree(deleted);
        } catch (NoSuchFileException _) {
            // It was never made, or is deleted already.
        } catch (IOException e) {
            Failures.LOG.log(Level.WARNING, "cannot delete " + copy + ": " + Failures.reason(e));
        }
    }

    private List<Path> incompleteCopies() throws IOException {
        return named(incomplete);
    }

    /// The oldest first.
    private List<Path> completeCopies() throws IOException {
        return named(COMPLETE);
    }

    private List<Path> named(Pattern pattern) throws IOException {
        return Directories.list(directory.backups()).stream()
                .filter(file -> pattern.matcher(file.getFileName().toString()).matches())
                .sorted()
                .toList();
    }
}
