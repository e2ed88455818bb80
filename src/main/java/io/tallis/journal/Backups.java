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
import java.util.Objects;
import java.util.regex.Pattern;

/// Copies of the data under `backup/`, each a whole data directory: to restore one, copy it to where the data
/// directory was and start.
///
/// A copy is made beside the data first, while no checkpoint can be taken. Its database shares unchanging files with
/// the present one; its journal is what was recorded since the checkpoint began.
///
/// Then it gets its place among the others, while all goes on: by a new name or, where `backup/` is on another disk,
/// carried there, under a name that tells that it is not whole. So one with a proper name is whole and on the disk, and
/// that disk may hang without holding up a checkpoint, unless the database is on a disk of its own too. The newest
/// [#KEPT] are kept.
///
/// Several nodes may have their copies in one place: each deletes its own only.
final class Backups {
    static final int KEPT = 8;

    /// Names of copies that are being made begin with it, so that a plain listing shows whole ones only, and end with
    /// those of the node and of the process.
    private static final String UNFINISHED = ".";

    /// Names of copies that are being deleted end with it.
    private static final String GIVEN_UP = ".deleted";

    private static final String WHOLE = "\\d{8}-\\d{6}-\\d{3}";
    private static final Pattern PROPER = Pattern.compile(WHOLE);
    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS").withZone(ZoneOffset.UTC);

    private final DataDirectory directory;
    private final CellStore store;
    private final Journal journal;
    private final Pause pause;
    private final Carriage carriage;
    private final Clock clock;
    private final Pattern unfinished;

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
        unfinished = Pattern.compile("\\." + WHOLE + "-" + directory.node() + "-\\p{XDigit}+(\\.deleted)?");
    }

    /// Deletes what lies beside the data, which nobody goes on with.
    void clear() {
        try {
            directory.unfinishedBackups().forEach(this::giveUp);
        } catch (IOException e) {
            Failures.LOG.log(Level.WARNING, "cannot look for copies that were not finished: " + Failures.reason(e));
        }
    }

    /// A copy that was made, what it has, and where it is until it is kept.
    record Made(Path copy, Inventory parts) {}

    /// Makes a copy of what the store committed last, which must be `replay from segment`, while nobody commits.
    Made make(long segment) throws IOException {
        directory.requireHeld();
        clear();
        Path copy = placeToMake();
        try {
            return new Made(copy, fill(copy, segment));
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
        unfinished().forEach(this::giveUp);
        return unfinished(nextPlace());
    }

    private Instant now() {
        return Instant.ofEpochMilli(clock.epochMillis());
    }

    /// Puts a copy that was made among the others. Returns where it is.
    Path keep(Made made) throws IOException {
        try {
            directory.makeBackups();
            unfinished().stream().filter(file -> !file.equals(made.copy)).forEach(this::giveUp);
            Path backup = place(made);
            try {
                Directories.sync(directory.backups());
            } finally {
                deleteOldest();
            }
            return backup;
        } finally {
            giveUp(made.copy);
        }
    }

    /// Under a name that tells that it is not whole first, until it is known to be. Fails where somebody else takes the
    /// next one just then.
    private Path place(Made made) throws IOException {
        Path unfinished = unfinished(nextPlace());
        try {
            bring(made, unfinished);
            made.parts.requireIn(unfinished);
            Path place = nextPlace();
            rename(unfinished, place);
            return place;
        } catch (IOException e) {
            giveUp(unfinished);
            throw e;
        }
    }

    private void bring(Made made, Path to) throws IOException {
        try {
            rename(made.copy, to);
        } catch (AtomicMoveNotSupportedException _) {
            carriage.carry(made.copy, made.parts, to);
        }
    }

    private void rename(Path from, Path to) throws IOException {
        directory.requireHeld();
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    private Path unfinished(Path backup) {
        return backup.resolveSibling(
                UNFINISHED + backup.getFileName() + "-" + directory.node() + "-" + directory.process());
    }

    /// Told by the time, and behind all others of the node: the last in order is its newest, whatever the clock did.
    private Path nextPlace() throws IOException {
        List<Path> all = copies();
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

    /// Long ago where somebody else gave the name.
    private static Instant timeOf(Path copy) {
        try {
            return Instant.from(NAME.parse(copy.getFileName().toString()));
        } catch (DateTimeException _) {
            return Instant.EPOCH;
        }
    }

    /// Returns what the copy has. Each part is looked for when it should be there, in case somebody deletes them.
    private Inventory fill(Path copy, long segment) throws IOException {
        Path segments = copy.resolve("journal");
        Path cells = copy.resolve("cells");
        Files.createDirectories(segments);
        copyCluster(copy);
        store.copyTo(cells, pause);
        Inventory database = Inventory.of(cells);
        directory.writeNode(copy);
        copyNodes(copy);
        journal.copyTo(new NioDisk(segments), segment);
        copyCluster(copy);
        Directories.sync(copy);
        database.requireIn(cells);
        if (!directory.isOwnCopy(copy)) {
            throw new IOException("somebody has changed " + copy);
        }
        return Inventory.of(copy);
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
    private void giveUp(Path unfinished) {
        giveUp(unfinished, givenUp(unfinished));
    }

    private static Path givenUp(Path unfinished) {
        String name = unfinished.getFileName().toString();
        return name.endsWith(GIVEN_UP) ? unfinished : unfinished.resolveSibling(name + GIVEN_UP);
    }

    /// Under a name that nobody goes on with, since another process may be about to give it a proper one. Left alone
    /// where another's directory is.
    private void giveUp(Path copy, Path to) {
        try {
            if (directory.isHeld()) {
                Files.move(copy, to, StandardCopyOption.ATOMIC_MOVE);
                Directories.sync(Objects.requireNonNull(to.getParent()));
                Directories.deleteTree(to);
            }
        } catch (NoSuchFileException _) {
            // It was never made, or somebody else deleted it.
        } catch (IOException e) {
            Failures.LOG.log(Level.WARNING, "cannot delete " + copy + ": " + Failures.reason(e));
        }
    }

    /// Copies of this node's that are not whole.
    private List<Path> unfinished() throws IOException {
        return named(unfinished);
    }

    /// One that somebody has started a node on is that node's.
    private void deleteOldest() {
        try {
            List<Path> copies = copies().stream().filter(directory::isOwnCopy).toList();
            for (Path copy : copies.subList(0, Math.max(0, copies.size() - KEPT))) {
                directory.requireHeld();
                giveUp(copy, givenUp(unfinished(copy)));
            }
        } catch (IOException e) {
            Failures.LOG.log(Level.WARNING, "cannot look for the oldest copies: " + Failures.reason(e));
        }
    }

    /// All whole copies, the oldest first.
    private List<Path> copies() throws IOException {
        return named(PROPER);
    }

    private List<Path> named(Pattern pattern) throws IOException {
        return Directories.list(directory.backups()).stream()
                .filter(file -> pattern.matcher(file.getFileName().toString()).matches())
                .sorted()
                .toList();
    }
}
