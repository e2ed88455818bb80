package io.tallis.journal;

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

/// Copies of the data under `backup/`, each a whole data directory: to restore one, copy it to where the data
/// directory was and start.
///
/// A copy is made beside the data first, while no checkpoint can be taken. Its database shares unchanging files with
/// the present one; its journal is what was recorded since the checkpoint began.
///
/// Then it gets its place among the others, while all goes on: by a new name or, where `backup/` is on another disk,
/// carried there, under a name that tells that it is not whole. So one with a proper name is whole and on the disk, and
/// a disk that hangs keeps nothing but the copy waiting. The newest [#KEPT] are kept.
final class Backups {
    static final int KEPT = 8;

    /// Names of copies that are being made begin with it, so that a plain listing shows whole ones only.
    private static final String UNFINISHED = ".";
    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS").withZone(ZoneOffset.UTC);

    private final DataDirectory directory;
    private final CellStore store;
    private final Journal journal;
    private final Pause pause;
    private final Carriage carriage;
    private final Clock clock;

    /// The journal as far as a copy needs it.
    @FunctionalInterface
    interface Journal {
        /// Copies all that was recorded so far, from segment `first` on.
        void copyTo(Disk copy, long first) throws IOException;
    }

    /// `whileNothingElse` is paused with while a copy is made, and `whileAllGoesOn` while it gets its place.
    Backups(
            DataDirectory directory,
            CellStore store,
            Journal journal,
            Pause whileNothingElse,
            Pause whileAllGoesOn,
            Clock clock) {
        this.directory = directory;
        this.store = store;
        this.journal = journal;
        pause = whileNothingElse;
        carriage = new Carriage(whileAllGoesOn);
        this.clock = clock;
    }

    /// Deletes what the process before may have left beside the data.
    void begin() {
        try {
            directory.unfinishedBackups().forEach(Backups::giveUp);
        } catch (IOException e) {
            Failures.LOG.log(Level.WARNING, "cannot look for copies that were not finished: " + Failures.reason(e));
        }
    }

    /// Makes a copy of what the store committed last, which must be `replay from segment`, while nothing else is
    /// committed. Returns where it is until it is kept.
    Path make(long segment) throws IOException {
        directory.requireHeld();
        Path copy = directory.unfinishedBackup(NAME.format(now()));
        try {
            fill(copy, segment);
            return copy;
        } catch (IOException e) {
            giveUp(copy);
            throw e;
        }
    }

    private Instant now() {
        return Instant.ofEpochMilli(clock.epochMillis());
    }

    /// Puts a copy that was made among the others. Returns where it is.
    Path keep(Path copy) throws IOException {
        try {
            directory.makeBackups();
            deleteUnfinished();
            Path backup = directory.backups().resolve(nextName());
            move(copy, backup);
            Directories.sync(directory.backups());
            deleteOldest();
            return backup;
        } finally {
            giveUp(copy);
        }
    }

    private void move(Path copy, Path backup) throws IOException {
        try {
            Files.move(copy, backup, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException _) {
            Path unfinished = unfinished(backup);
            try {
                carriage.carry(copy, unfinished);
                Files.move(unfinished, backup, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                giveUp(unfinished);
                throw e;
            }
        }
    }

    private static Path unfinished(Path backup) {
        return backup.resolveSibling(UNFINISHED + backup.getFileName());
    }

    /// Told by the time, and behind all others whatever the clock did since: the last in order is the newest.
    private String nextName() throws IOException {
        Instant now = now();
        List<Path> copies = copies();
        if (copies.isEmpty()) {
            return NAME.format(now);
        }
        Instant next = timeOf(copies.getLast()).plusMillis(1);
        return NAME.format(next.isAfter(now) ? next : now);
    }

    /// Long ago where somebody else gave the name.
    private static Instant timeOf(Path copy) {
        try {
            return Instant.from(NAME.parse(copy.getFileName().toString()));
        } catch (DateTimeException _) {
            return Instant.EPOCH;
        }
    }

    private void fill(Path copy, long segment) throws IOException {
        Path segments = copy.resolve("journal");
        Files.createDirectories(segments);
        copyJoining(copy);
        store.copyTo(copy.resolve("cells"), pause);
        directory.writeNode(copy);
        copyNodes(copy);
        journal.copyTo(new NioDisk(segments), segment);
        copyJoining(copy);
        Directories.sync(copy);
    }

    /// A part is one in a copy too. Before all else, since it may have become all by the end, and after it, since it
    /// may have become a part.
    private void copyJoining(Path copy) throws IOException {
        if (!Files.notExists(directory.joining())) {
            WholeFile.replace(copy.resolve(DataDirectory.JOINING), ByteBuffer.allocate(0));
        }
    }

    /// Whose shards are whose, by name. Counts do not depend on it, so a copy without it is better than none.
    private void copyNodes(Path copy) throws IOException {
        try {
            Path nodes = Files.copy(directory.nodes(), copy.resolve(DataDirectory.NODES));
            try (FileChannel file = FileChannel.open(nodes, StandardOpenOption.WRITE)) {
                file.force(true);
            }
        } catch (NoSuchFileException _) {
            // Nobody else is known yet.
        }
    }

    /// Deletes what is not whole, which keeps files that the database has done with from being freed, perhaps on a full
    /// disk. What cannot be deleted keeps nobody from making another copy.
    private static void giveUp(Path unfinished) {
        try {
            if (Files.exists(unfinished)) {
                Directories.deleteTree(unfinished);
            }
        } catch (IOException e) {
            Failures.LOG.log(Level.WARNING, "cannot delete " + unfinished + ": " + Failures.reason(e));
        }
    }

    private void deleteUnfinished() throws IOException {
        copies().stream().filter(Backups::isUnfinished).forEach(Backups::giveUp);
    }

    private void deleteOldest() {
        try {
            List<Path> copies =
                    copies().stream().filter(copy -> !isUnfinished(copy)).toList();
            for (Path copy : copies.subList(0, Math.max(0, copies.size() - KEPT))) {
                delete(copy);
            }
        } catch (IOException e) {
            Failures.LOG.log(Level.WARNING, "cannot delete the oldest copies: " + Failures.reason(e));
        }
    }

    /// Under the name of such as are not whole, which it will not be.
    private void delete(Path copy) throws IOException {
        Path unfinished = unfinished(copy);
        Files.move(copy, unfinished, StandardCopyOption.ATOMIC_MOVE);
        giveUp(unfinished);
    }

    private static boolean isUnfinished(Path copy) {
        return copy.getFileName().toString().startsWith(UNFINISHED);
    }

    /// All copies that have a name of ours, the oldest first.
    private List<Path> copies() throws IOException {
        return Directories.list(directory.backups()).stream()
                .filter(file -> file.getFileName().toString().matches("\\.?\\d{8}-\\d{6}-\\d{3}"))
                .sorted()
                .toList();
    }
}
