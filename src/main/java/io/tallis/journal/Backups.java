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
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Copies of the data under `backup/`, each a whole data directory: to restore one, copy it to where the data
/// directory was and start.
///
/// A copy is made beside the data first, while no checkpoint can be taken. Its database shares unchanging files with
/// the present one; its journal is what was recorded since the checkpoint began.
///
/// Then it gets its place among the others, while all goes on: by a new name or, where `backup/` is on another disk,
/// carried there, under a name that tells that it is not whole. So one with a proper name is whole and on the disk, and
/// a disk that hangs keeps nothing but the copy waiting. The newest [#KEPT] are kept.
///
/// Several nodes may have their copies in one place: each deletes its own only.
final class Backups {
    static final int KEPT = 8;

    /// Names of copies that are being made begin with it, so that a plain listing shows whole ones only, and end with
    /// the node's.
    private static final String UNFINISHED = ".";

    private static final Pattern WHOLE = Pattern.compile("\\d{8}-\\d{6}-\\d{3}");
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

    /// Deletes what lies beside the data, which nobody goes on with.
    void clear() {
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
        clear();
        Path copy = placeToMake();
        try {
            fill(copy, segment);
            return copy;
        } catch (IOException e) {
            giveUp(copy);
            throw e;
        }
    }

    /// Beside the data, whose disk is waited for anyway. Where the database is on another, a copy there would share
    /// nothing with it, and may share something among the others.
    private Path placeToMake() throws IOException {
        if (directory.hasCellsOnItsDisk()) {
            return directory.unfinishedBackup(NAME.format(now()));
        }
        directory.makeBackups();
        return unfinished(nextPlace());
    }

    private Instant now() {
        return Instant.ofEpochMilli(clock.epochMillis());
    }

    /// Puts a copy that was made among the others. Returns where it is.
    Path keep(Path copy) throws IOException {
        try {
            directory.makeBackups();
            deleteUnfinishedBut(copy);
            Path backup = move(copy);
            Directories.sync(directory.backups());
            deleteOldest();
            return backup;
        } finally {
            giveUp(copy);
        }
    }

    private Path move(Path copy) throws IOException {
        try {
            return moveToNextPlace(copy);
        } catch (AtomicMoveNotSupportedException _) {
            Path unfinished = unfinished(nextPlace());
            try {
                carriage.carry(copy, unfinished);
                return moveToNextPlace(unfinished);
            } catch (IOException e) {
                giveUp(unfinished);
                throw e;
            }
        }
    }

    /// Fails where somebody else takes it just then.
    private Path moveToNextPlace(Path copy) throws IOException {
        Path place = nextPlace();
        rename(copy, place);
        return place;
    }

    private void rename(Path from, Path to) throws IOException {
        directory.requireHeld();
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    private Path unfinished(Path backup) {
        return backup.resolveSibling(UNFINISHED + backup.getFileName() + "-" + directory.node());
    }

    /// Told by the time, and behind all others whatever the clock did since: the last in order is the newest.
    private Path nextPlace() throws IOException {
        Instant now = now();
        List<Path> copies = copies();
        Instant next = copies.isEmpty() ? now : timeOf(copies.getLast()).plusMillis(1);
        return directory.backups().resolve(NAME.format(next.isAfter(now) ? next : now));
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

    private void deleteUnfinishedBut(Path copy) throws IOException {
        Directories.list(directory.backups()).stream()
                .filter(file -> isUnfinished(file) && !file.equals(copy))
                .forEach(Backups::giveUp);
    }

    private boolean isUnfinished(Path copy) {
        String name = copy.getFileName().toString();
        return name.startsWith(UNFINISHED) && name.endsWith(directory.node().toString());
    }

    /// One that somebody has started a node on is that node's.
    private void deleteOldest() {
        try {
            List<Path> copies = new ArrayList<>();
            for (Path copy : copies()) {
                if (directory.isOwnCopy(copy)) {
                    copies.add(copy);
                }
            }
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
        rename(copy, unfinished);
        giveUp(unfinished);
    }

    /// All whole copies, the oldest first.
    private List<Path> copies() throws IOException {
        return Directories.list(directory.backups()).stream()
                .filter(file -> WHOLE.matcher(file.getFileName().toString()).matches())
                .sorted()
                .toList();
    }
}
